"""Makes large inputs for the benchmarks out of the test data.

    python benchmarks/make_input.py KIND MIB FILE

KIND is `logs` (what TORCH_LOGS wrote in several versions), `ci` (a CI job's log, a
failure in each 20,000 lines) or `trace` (what TORCH_TRACE wrote; each copy has frame
ids of its own, so that all of its compiles are different). FILE `-` is stdout.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import count
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
    texts = read("corpus/*/*/trace/*.log")
    split = [re.split(rb'("frame_id": \d+)', text) for text in texts]
    for copy in count():
        for file, parts in enumerate(split):
            base = (copy * len(split) + file) * FRAMES_PER_COPY
            yield b"".join(renumbered(part, base) for part in parts)


def renumbered(part: bytes, base: int) -> bytes:
    match = FRAME_ID.fullmatch(part)
    return b'"frame_id": %d' % (base + int(match[1])) if match else part


KINDS = {"logs": logs, "ci": ci, "trace": trace}


def write(kind: str, size: int, file: BinaryIO) -> None:
    """Writes whole texts until at least `size` bytes are written."""
    written = 0
    for text in KINDS[kind]():
        written += file.write(text)
        if written >= size:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a large input.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("mib", type=float)
    parser.add_argument("file")
    args = parser.parse_args()
    size = int(args.mib * 2**20)
    if args.file == "-":
        write(args.kind, size, sys.stdout.buffer)
    else:
        with open(args.file, "wb") as file:
            write(args.kind, size, file)


if __name__ == "__main__":
    main()
