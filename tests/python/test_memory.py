"""Memory does not grow with the source, whatever there is much of in it.

Each input comes through a pipe, so that it is never on a disk; the peak is that
of the whole command, Python included. Measured 2026-11: without any input 17 MiB.
"""

import json
import subprocess
import sys
import tarfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from peak import SCRIPT
from spoiled import PREFIX, assert_sound

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="needs /proc (Linux)"
    ),
]

MEBI = 1 << 20
LIMIT = 64  # MiB
MILLION = 1_000_000
HEAD = PREFIX.format(4487)


def scan_pipe(pieces: Iterable[bytes]) -> tuple[dict[str, Any], float, int]:
    """The report, the peak in MiB, and the number of bytes."""
    command = [sys.executable, "-c", SCRIPT, "scan", "-j1", "--format", "json", "-"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        out: list[bytes] = []
        reader = threading.Thread(target=lambda: out.append(stdout.read()))
        reader.start()
        size = 0
        for piece in pieces:
            stdin.write(piece)
            size += len(piece)
        stdin.close()
        reader.join()
        told = stderr.read().decode()
    assert process.returncode == 0, told
    return json.loads(out[0]), int(told) / 1024, size


def long_line(
    start: str = "", size: int = 1000 * MEBI, end: str = "\n", unit: bytes = b"x"
) -> Iterator[bytes]:
    yield start.encode()
    block = unit * (MEBI // len(unit))
    for _ in range(size // MEBI):
        yield block
    yield end.encode()


def many(make: Callable[[int], str], number: int) -> Iterator[bytes]:
    step = 1000
    for start in range(0, number, step):
        yield "".join(make(i) for i in range(start, start + step)).encode()


def graph_break(i: int) -> str:
    head = f"V1129 15:16:46.{i:06d} 4487 torch/_dynamo/x.py:1] [{i}/0] [__graph_breaks]"
    return (
        f"{head} Graph break in user code at /home/dev/model{i}.py:{i}\n"
        f"{head} Reason: Unsupported: call_method x{i}\n"
    )


def recompile(i: int) -> str:
    head = f"V1129 15:16:46.{i:06d} 4487 torch/_dynamo/g.py:1] [{i}/1] [__recompiles]"
    return (
        f"{head} Recompiling function f{i} in /home/dev/model{i}.py:{i}\n"
        f"{head}     triggered by the following guard failure(s):\n"
        f"{head}     - {i}/0: L['n'] == {i}\n"
    )


def traceback(i: int, prefix: str = "") -> str:
    return (
        f"{prefix}Traceback (most recent call last):\n"
        f'{prefix}  File "/home/dev/m{i}.py", line {i}, in f{i}\n'
        f"{prefix}torch._dynamo.exc.Unsupported: thing{i} of q\n"
    )


def failed_test(i: int) -> str:
    return f"FAILED test_a.py::TestX::test_{i} - torch._dynamo.exc.Unsupported: q{i}\n"


def start(i: int, name: str = "f", process: int = 4487) -> str:
    return (
        f"{PREFIX.format(process)}"
        f'{{"dynamo_start": {{"stack": [{{"line": {i}, "name": "{name}{i}", '
        f'"filename": "/home/dev/{name}{i}.py"}}]}}, "frame_id": {i}, '
        '"frame_compile_id": 0, "attempt": 0}\n'
    )


def artifact(i: int) -> str:
    return (
        f'{HEAD}{{"artifact": {{"name": "name_{i}", "encoding": "string"}}, '
        '"frame_id": 0, "frame_compile_id": 0}\n'
    )


def interned(i: int) -> str:
    return f'{HEAD}{{"str": ["/home/dev/some/long/path/to/module_{i}.py", {i}]}}\n'


def forked(i: int) -> str:
    """A process of its own between two records of one that goes on."""
    return start(i, process=100_000 + i) + start(0, process=99)


def ranked(i: int, line: str) -> str:
    return f"[rank{i % 256}]:{line}"


def payload_line(i: int) -> str:
    """A record of each rank with a payload of 300 KB, all open at once."""
    if i < 256:
        return ranked(i, ERROR)
    return ranked(i, "\t" + "x" * 1000 + "\n")


def large_start(i: int) -> str:
    """A record without payload, which stays open as nothing follows."""
    frames = ", ".join(
        f'{{"line": {n}, "name": "f{n}", "filename": "{LONG_FRAMES}{i}.py"}}'
        for n in range(200)
    )
    return ranked(
        i,
        f'{PREFIX.format(i)}{{"dynamo_start": {{"stack": [{frames}]}}, '
        f'"rank": {i}, "frame_id": 0, "frame_compile_id": 0}}\n',
    )


def large_error(i: int) -> str:
    return ranked(i, ERROR.replace('"frame_id"', f'"x": "{"y" * MEBI}", "frame_id"'))


def long_name(i: int) -> str:
    return f"[rank{i}]:" * 500_000 + " Traceback (most recent call last):\n"


def damaged(i: int) -> str:
    return f'{HEAD}{{"{"n" * 100_000}{i}": {{"a": \n'


OPEN_ENVELOPE = HEAD + '{"dynamo_start": {"stack": "'
ERROR = (
    HEAD + '{"artifact": {"name": "dynamo_error"}, "frame_id": 0, '
    '"frame_compile_id": 0, "has_payload": "0"}\n'
)
BREAK = (
    "V1129 15:16:46.099000 4487 torch/_dynamo/x.py:1] [0/0] [__graph_breaks] "
    "Graph break in user code at /home/dev/model.py:3 "
)
LONG_FRAMES = "z" * 5000

INPUTS: dict[str, tuple[Callable[[], Iterator[bytes]], dict[str, int]]] = {
    "a line of 1 GB": (long_line, {}),
    "a trace record of 1 GB": (
        lambda: long_line(OPEN_ENVELOPE, end='"}}\n'),
        {"malformed": 1},
    ),
    "a payload line of 1 GB": (lambda: long_line(ERROR + "\t"), {"trace_records": 1}),
    "a log record of 1 GB": (
        lambda: long_line(BREAK),
        {"log_records": 1, "graph_breaks": 1, "findings": 1},
    ),
    "an exception of 1 GB": (
        lambda: long_line("torch._dynamo.exc.Unsupported: "),
        {"findings": 1},
    ),
    "1 GB of tabs": (lambda: long_line(unit=b"\t"), {}),
    "1 GB of NULs": (lambda: long_line("x", unit=b"\0"), {}),
    "1 GB that is no UTF-8": (lambda: long_line(unit=b"\xff"), {}),
    "1 GB of a progress bar": (lambda: long_line(unit=b"50% |###\r"), {}),
    "a million graph breaks": (
        lambda: many(graph_break, MILLION),
        {"graph_breaks": MILLION, "found": MILLION},
    ),
    "a million recompiles": (
        lambda: many(recompile, MILLION),
        {"recompiles": MILLION, "found": MILLION},
    ),
    "a million tracebacks": (lambda: many(traceback, MILLION), {"found": MILLION}),
    "a million failed tests": (lambda: many(failed_test, MILLION), {"found": MILLION}),
    "a million compile ids": (
        lambda: many(start, MILLION),
        {"trace_records": MILLION, "malformed": 0},
    ),
    "long names of functions": (
        lambda: many(lambda i: start(i, "f" * 2000), 100_000),
        {"trace_records": 100_000, "malformed": 0},
    ),
    "a million artifact names": (
        lambda: many(artifact, MILLION),
        {"trace_records": MILLION, "malformed": 0},
    ),
    "a million strings": (
        lambda: many(interned, MILLION),
        {"trace_records": MILLION},
    ),
    "100,000 ranks": (
        lambda: many(lambda i: traceback(7, f"[rank{i}]: "), 100_000),
        {"findings": 1, "found": 1, "ranks_found": 100_000},
    ),
    "100,000 ranks that break graphs": (
        lambda: many(lambda i: f"[rank{i}]:{BREAK}\n", 100_000),
        {
            "findings": 1,
            "found": 1,
            "ranks": 100_000,
            "ranks_found": 100_000,
            "count": 100_000,
            "graph_breaks": 100_000,
        },
    ),
    "payloads of 256 ranks": (
        lambda: many(payload_line, 77_000),
        {"trace_records": 256, "malformed": 0},
    ),
    "large records of 256 ranks": (
        lambda: (large_start(i).encode() for i in range(512)),
        {"trace_records": 512, "malformed": 0},
    ),
    "large records of 256 ranks, with payload": (
        lambda: (large_error(i).encode() for i in range(256)),
        {"trace_records": 256},
    ),
    "1 GB of escapes": (lambda: long_line(unit=b"\x1b[1m"), {}),
    "64 writers with long names": (
        lambda: (long_name(i).encode() for i in range(64)),
        {},
    ),
    "100,000 workers": (
        lambda: many(lambda i: traceback(i, f"(Worker{i} pid={i}) "), 100_000),
        {"found": 100_000},
    ),
    "100,000 processes": (
        lambda: many(forked, 100_000),
        {"trace_records": 200_000, "malformed": 0},
    ),
    "long frames of 64 ranks": (
        lambda: many(
            lambda i: (
                f"[rank{i % 64}]: "
                + ("Traceback (most recent call last):" if i < 64 else "")
                + f'  File "/a/{LONG_FRAMES}{i}.py", line 3, in f\n'
            ),
            30_000,
        ),
        {},
    ),
    "2,000 damaged records": (lambda: many(damaged, 2000), {"malformed": 2000}),
}


@pytest.mark.parametrize(("make", "right"), INPUTS.values(), ids=INPUTS.keys())
def test_peak(
    make: Callable[[], Iterator[bytes]],
    right: dict[str, int],
    record_property: Callable[[str, object], None],
) -> None:
    report, peak, size = scan_pipe(make())
    record_property("peak_mib", peak)
    print(f"peak: {peak:.1f} MiB of {size / 1e6:.0f} MB")
    assert_sound(report)
    (source,) = report["sources"]
    assert source["bytes"] == size
    numbers = {
        **report["counts"],
        **{k: v for k, v in source.items() if isinstance(v, int)},
        "ranks": len(source["ranks"]),
        "findings": len(report["findings"]),
        "found": len(report["findings"]) + report["omitted_findings"],
        "ranks_found": sum(len(f["ranks"]) for f in report["findings"]),
        "count": sum(f["count"] for f in report["findings"]),
    }
    assert {name: numbers[name] for name in right} == right
    assert len(report["findings"]) <= 10_000
    assert peak <= LIMIT


def test_long_line_is_matched_at_its_end() -> None:
    """A text line says what it says, however much stands before it."""
    end = " torch._dynamo.exc.Unsupported: Data-dependent branching\n"
    report, _, _ = scan_pipe(
        [
            b"Traceback (most recent call last):\n",
            b'  File "/home/dev/m.py", line 3, in f\n',
            *long_line("RuntimeError: ", 100 * MEBI),
            traceback(1).encode(),
            *long_line("", 20 * MEBI, end),
        ]
    )
    exceptions = {finding["exception"] for finding in report["findings"]}
    assert "torch._dynamo.exc.Unsupported" in exceptions


# Compressed.


def packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """As gzip data."""
    compress = zlib.compressobj(1, wbits=31)
    for piece in pieces:
        yield compress.compress(piece)
    yield compress.flush()


def as_tar(members: Iterable[bytes]) -> Iterator[bytes]:
    for i, data in enumerate(members):
        info = tarfile.TarInfo(f"{i}.log")
        info.size = len(data)
        yield info.tobuf() + data.ljust(-(-len(data) // 512) * 512, b"\0")
    yield bytes(1024)


def test_compressed() -> None:
    lines = many(
        lambda i: f"step {i} of many, and nothing is wrong with it\n", 5 * MILLION
    )
    report, peak, _ = scan_pipe(packed(lines))
    assert peak <= LIMIT
    assert report["sources"][0]["lines"] == 5 * MILLION


def test_archive_of_large_members() -> None:
    members = (b"step of many, and nothing is wrong\n" * 300_000 for _ in range(20))
    report, peak, _ = scan_pipe(packed(as_tar(members)))
    assert peak <= LIMIT
    assert [s["lines"] for s in report["sources"]] == [300_000] * 20
