"""Makes large inputs for the benchmarks out of the test data.

    python benchmarks/make_input.py KIND MIB FILE [--model FOLDER]

KIND is `logs` (what TORCH_LOGS wrote in several versions, each log a failure), `ci` (a
CI job's log, a failure in each 20,000 lines), `mixed` (a CI job's log with what
TORCH_LOGS="+dynamo" writes, a third of the lines), `dynamo` (that alone), `trace` (what
TORCH_TRACE wrote of small failures) or `model-trace` (of a model). Copies of traces
have frame ids of their own, so that all of their compiles are different. `mixed`,
`dynamo` and `model-trace` need the FOLDER that make_model_log.py filled. FILE `-` is
stdout.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import count, cycle
from pathlib import Path
from typing import BinaryIO

DATA = Path(__file__).parent.parent / "tests" / "data"
FRAME_ID = re.compile(rb'"frame_id": (\d+)')
FRAMES_PER_COPY = 1000


def read(pattern: str) -> list[bytes]:
    """The files that match, each ending in a newline."""
    texts = [path.read_bytes() for path in sorted(DATA.glob(pattern))]
    return [text if text.endswith(b"\n") else text + b"\n" for text in texts if text]


def logs() -> Iterator[bytes]:
    texts = read("corpus/*/*/log.txt")
    while True:
        yield from texts


def ci() -> Iterator[bytes]:
    failures = read("corpus/*/*/log.txt")
    for number in count():
        yield b"".join(ci_line(number * 20_000 + i) for i in range(20_000))
        yield b"".join(
            b"2025-04-17T06:19:22.0392577Z " + line
            for line in failures[number % len(failures)].splitlines(keepends=True)
        )


def ci_line(number: int) -> bytes:
    stamp = f"2025-04-17T06:{number // 600 % 60:02}:{number // 10 % 60:02}.0392577Z"
    texts = (
        f"test_ops.py::TestOps::test_add_cpu_float{number} PASSED [0.0{number % 997}s]",
        f"[{number % 6000}/6000] Building CXX object c10/CMakeFiles/c10.dir/f.cpp.o",
        f"step {number} loss {1 / (number + 1):.4f} lr 3e-4 tokens/s 81920",
        f"Collecting package-{number % 400}==1.{number % 30}.0",
    )
    return f"{stamp} {texts[number % len(texts)]}\n".encode()


def trace() -> Iterator[bytes]:
    return copies_of_traces(read("corpus/*/*/trace/*.log"))


def copies_of_traces(texts: list[bytes]) -> Iterator[bytes]:
    split = [re.split(rb'("frame_id": \d+)', text) for text in texts]
    for copy in count():
        for file, parts in enumerate(split):
            base = (copy * len(split) + file) * FRAMES_PER_COPY
            yield b"".join(renumbered(part, base) for part in parts)


def dynamo(model: Path) -> Iterator[bytes]:
    text = (model / "model.log").read_bytes()
    while True:
        yield text


def model_trace(model: Path) -> Iterator[bytes]:
    return copies_of_traces([(model / "model_trace.log").read_bytes()])


def mixed(model: Path) -> Iterator[bytes]:
    lines = (model / "model.log").read_bytes().splitlines(keepends=True)
    stamp = b"2025-04-17T06:19:22.0392577Z "
    number = 0
    for run in cycle(range(5, 60)):
        begin = number % len(lines)
        yield b"".join(stamp + line for line in lines[begin : begin + run])
        yield b"".join(ci_line(number + i) for i in range(2 * run))
        number += run


def renumbered(part: bytes, base: int) -> bytes:
    match = FRAME_ID.fullmatch(part)
    return b'"frame_id": %d' % (base + int(match[1])) if match else part


KINDS = {"logs": logs, "ci": ci, "trace": trace}
MODEL_KINDS = {"dynamo": dynamo, "model-trace": model_trace, "mixed": mixed}


def write(kind: str, size: int, file: BinaryIO, model: Path | None = None) -> None:
    """Writes whole texts until at least `size` bytes are written."""
    if kind in KINDS:
        texts = KINDS[kind]()
    elif model is not None:
        texts = MODEL_KINDS[kind](model)
    else:
        sys.exit(f"{kind} needs --model FOLDER; make_model_log.py fills one")
    written = 0
    for text in texts:
        written += file.write(text)
        if written >= size:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a large input.")
    parser.add_argument("kind", choices=[*KINDS, *MODEL_KINDS])
    parser.add_argument("mib", type=float)
    parser.add_argument("file")
    parser.add_argument("--model", type=Path)
    args = parser.parse_args()
    size = int(args.mib * 2**20)
    if args.file == "-":
        write(args.kind, size, sys.stdout.buffer, args.model)
    else:
        with open(args.file, "wb") as file:
            write(args.kind, size, file, args.model)


if __name__ == "__main__":
    main()
