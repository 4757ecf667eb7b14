"""A table of hostile inputs, each with all that is to come of it.

What is found, which places are named (kind, line, offset), how many bytes are
malformed, and the exit status. Each stands between two good records, so that
what it hides would be missed. Its texts are printed in every format: none of
them reaches a terminal or a page as it is.
"""

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import pt2triage
from cases import Json, kinds
from pt2triage.cli import main
from spoiled import FAILURE, GOOD, PREFIX, assert_sound, envelope, scan_sound

# A line of each and where it begins, for rows that put something between.
AFTER_GOOD = len(GOOD)
CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f"
EVIL = "<script>alert(1)</script>\x1b]0;title\x07\x1b[31m\u202e@team"


@dataclass(frozen=True)
class Row:
    """An input, and what is right.

    Attributes:
        data: Makes the input.
        category: Of the report.
        records: Number of trace records.
        places: Kind, line and offset of each diagnostic.
        malformed: Number of malformed bytes.
        findings: Number of findings.
        verify: Scan with ``--verify``.
        status: Exit status.
        says: What stderr says.
    """

    data: Callable[[], bytes]
    records: int
    category: str | None = "graph_break"
    places: list[tuple[str, int, int]] = field(default_factory=list)
    malformed: int = 0
    findings: int = 1
    kind: str = "torch_trace"
    verify: bool = True
    status: int = 0
    says: str = ""


def between(data: bytes) -> Callable[[], bytes]:
    return lambda: GOOD + data + FAILURE


def each_line(prefix: bytes) -> Callable[[], bytes]:
    lines = (GOOD + FAILURE + GOOD).splitlines(keepends=True)
    return lambda: b"".join(prefix + line for line in lines)


def spoiled(old: bytes, new: bytes) -> bytes:
    assert old in FAILURE
    return FAILURE.replace(old, new, 1)


def record(fields: str, payload: str | None = None) -> bytes:
    return envelope(fields, payload)


def with_checksum(checksum: str) -> bytes:
    """The failure with another checksum."""
    right = re.search(rb'"has_payload": "([0-9a-f]{32})"', FAILURE)
    assert right is not None
    return FAILURE.replace(right[1], checksum.encode())


HEAD = PREFIX.format(4487).encode()
HALF = HEAD + b'{"graph_dump": {"name": "g'
RANK_1 = FAILURE.replace(b'"attempt": 0', b'"attempt": 0, "rank": 1')
CHECKSUM = [("checksum-mismatch", 2, AFTER_GOOD)]
PAYLOAD = b'\tTraceback (most recent call last):\n\t  File "/home/dev/model.py"'
METRICS = '"compilation_metrics": {%s}, "frame_id": 0, "frame_compile_id": 0'


def compressed(data: Callable[[], bytes], kind: str, says: str) -> Row:
    """An input that is not read, and why."""
    return Row(
        data,
        0,
        None,
        [(kind, 1, 0)],
        malformed=-1,
        findings=0,
        kind="binary",
        status=2,
        says=says,
    )


ROWS: dict[str, Row] = {
    # Cut.
    "cut in a payload": Row(
        lambda: FAILURE + GOOD + FAILURE[: FAILURE.index(b"item")],
        3,
        places=[("checksum-mismatch", 7, len(FAILURE + GOOD))],
    ),
    "cut in the JSON": Row(
        lambda: GOOD + FAILURE + HALF,
        3,
        places=[("truncated-record", 7, len(GOOD + FAILURE))],
    ),
    "cut in the header": Row(lambda: GOOD + FAILURE + HEAD[:20], 2),
    "cut behind the header": Row(lambda: GOOD + FAILURE + HEAD, 2),
    # Between and inside.
    "a garbage line": Row(between(b"%&/()=?!\n"), 2),
    "NULs inside a payload": Row(
        between(spoiled(b"y = x", b"y =\0\0x")),
        3,
        places=[
            ("nul-bytes", 5, AFTER_GOOD + FAILURE.index(b"\t    y =")),
            *CHECKSUM,
        ],
    ),
    "output between records": Row(between(b"epoch 1\nepoch 2\n"), 2),
    "output inside payloads": Row(
        lambda: GOOD + b"epoch 1\n".join(FAILURE.splitlines(keepends=True)) + GOOD, 3
    ),
    # Bytes.
    "CRLF": Row(lambda: (GOOD + FAILURE).replace(b"\n", b"\r\n"), 2),
    "byte-order mark": Row(lambda: b"\xef\xbb\xbf" + GOOD + FAILURE, 2),
    "byte-order mark on each line": Row(each_line(b"\xef\xbb\xbf"), 3),
    "colour on each line": Row(each_line(b"\x1b[36m\x1b[0m"), 3),
    "GitHub Actions": Row(each_line(b"2025-04-17T06:19:22.0392577Z "), 3),
    "torchrun": Row(each_line(b"[default0]:"), 3),
    "Actions and torchrun": Row(
        each_line(b"2025-04-17T06:19:22.0392577Z [default0]:[rank0]:"), 3
    ),
    "empty": Row(lambda: b"", 0, None, findings=0, kind="empty"),
    "one NUL": Row(
        lambda: b"\0", 0, None, [("nul-bytes", 1, 0)], 1, findings=0, kind="text"
    ),
    "no gzip": compressed(
        lambda: gzip.compress(b"")[:10] + b"\xff" * 99,
        "damaged-archive",
        "gzip data is damaged at byte",
    ),
    "no zstd": compressed(
        lambda: b"\x28\xb5\x2f\xfd" + zlib.compress(FAILURE),
        "damaged-archive",
        "zstd data is damaged at byte",
    ),
    "lz4": compressed(lambda: b"\x04\x22\x4d\x18" + FAILURE, "binary", "lz4 data"),
    "UTF-16": Row(
        lambda: ("\ufeff" + (GOOD + FAILURE).decode()).encode("utf-16-le"),
        2,
        places=[("utf-16", 1, 0)],
    ),
    # Checksums.
    "wrong checksum": Row(
        between(spoiled(b"item", b"list")), 3, places=CHECKSUM, findings=1
    ),
    "wrong checksum, not asked for": Row(
        between(spoiled(b"item", b"list")), 3, verify=False
    ),
    "checksum no hex": Row(between(with_checksum("zz")), 3, places=CHECKSUM),
    "checksum a path": Row(between(with_checksum("../../x")), 3, places=CHECKSUM),
    # Keys and types.
    "unknown key": Row(between(record('"of_the_future": {"x": 1}, "key": 2')), 3),
    "unknown sub-key": Row(
        between(record('"dynamo_start": {"stack": [], "new": {}}, "frame_id": 1')), 3
    ),
    "known key, wrong type": Row(
        between(record('"dynamo_start": 5, "frame_id": 1, "frame_compile_id": 0')), 3
    ),
    "frame id a string": Row(
        between(record('"dynamo_start": {}, "frame_id": "1", "frame_compile_id": 0')), 3
    ),
    "failure without a reason": Row(
        between(record(METRICS % '"fail_type": "KeyError"')),
        3,
        findings=2,
    ),
    "reason without a failure": Row(
        between(record(METRICS % '"fail_type": null, "fail_reason": "x"')), 3
    ),
    "process beyond 64 bits": Row(
        between(envelope('"dynamo_start": {}, "frame_id": 1', process="9" * 25)), 3
    ),
    "huge intern id": Row(between(record('"str": ["x", 4294967295]')), 3),
    "intern id beyond 64 bits": Row(
        between(record('"str": ["x", 99999999999999999999999]')), 3
    ),
    "nested 5,000 deep": Row(
        between(record('"graph_dump": ' + '{"a":' * 5000 + "1" + "}" * 5000)), 3
    ),
    # Sizes.
    "a payload line of 50 MB": Row(
        between(record('"graph_dump": {"name": "x"}', "x" * 50_000_000)), 3
    ),
    "an artifact name of 50 MB": Row(
        between(record('"artifact": {"name": "' + "n" * 50_000_000 + '"}')),
        2,
        places=[("envelope-too-long", 2, AFTER_GOOD)],
        malformed=50_000_000 + len(record('"artifact": {"name": ""}')),
    ),
    "a list of 300,000": Row(
        between(record('"graph_dump": [' + "[]," * 300_000 + "1]")), 3
    ),
    # Several at once.
    "two ranks": Row(lambda: GOOD + FAILURE + RANK_1, 3),
    "one file twice": Row(lambda: (GOOD + FAILURE) * 2, 4),
    # Names that mean something to file systems and browsers.
    "path in an artifact's name": Row(
        between(record('"artifact": {"name": "../../x", "encoding": "string"}', "y")), 3
    ),
    "absolute path in an artifact's name": Row(
        between(record('"artifact": {"name": "/etc/passwd"}', "y")), 3
    ),
    "markup in a restart reason": Row(
        between(
            record(
                METRICS % f'"restart_reasons": [{json.dumps(EVIL)}], "co_name": "f", '
                '"co_filename": "/home/dev/<lambda>.py", "co_firstlineno": 3'
            )
        ),
        3,
        findings=2,
    ),
    "markup in a failure": Row(
        lambda: (
            GOOD
            + envelope(
                '"artifact": {"name": "dynamo_error"}, "frame_id": 0, '
                '"frame_compile_id": 0',
                'Traceback (most recent call last):\n  File "/home/dev/<lambda>.py", '
                f"line 7, in <unknown module>\ntorch._dynamo.exc.Unsupported: {EVIL}",
            )
        ),
        2,
    ),
    "markup in a graph break": Row(
        lambda: (
            GOOD
            + envelope(
                '"artifact": {"name": "dynamo_graph_break_reason"}, "frame_id": 0, '
                '"frame_compile_id": 0',
                "Graph break in user code at /home/dev/m.py:3\n"
                f"Reason: Unsupported: {EVIL}\nUser code traceback:\n"
                f'  File "/home/dev/m.py", line 3, in f\n    {EVIL}',
            )
        ),
        2,
    ),
}

rows = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())


def check(row: Row, data: bytes, report: Json) -> None:
    assert_sound(report)
    places = [(d["kind"], d["line"], d["offset"]) for d in report["diagnostics"]]
    assert places == row.places
    assert report["category"] == row.category
    assert len(report["findings"]) == row.findings
    (source,) = report["sources"]
    assert source["kind"] == row.kind
    assert source["trace_records"] == row.records
    if row.kind != "binary" and "utf-16" not in kinds(report):
        assert source["bytes"] == len(data)
    malformed = source["bytes"] if row.malformed < 0 else row.malformed
    assert source["bytes_malformed"] == malformed


@rows
def test_what_comes_of_it(row: Row) -> None:
    data = row.data()
    check(row, data, scan_sound(data, verify=row.verify))


@rows
def test_command(
    row: Row, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The same by the command; and what people look at is harmless text."""
    path = tmp_path / "run.log"
    path.write_bytes(row.data())
    options = ["--verify"] if row.verify else []
    status = main(["scan", *options, "--format", "json", str(path)])
    out, err = capfdbinary.readouterr()
    assert status == row.status
    assert row.says in err.decode()
    check(row, path.read_bytes(), json.loads(out))
    for format in ("text", "markdown", "html"):
        assert main(["scan", "--format", format, str(path)]) == row.status
        page = capfdbinary.readouterr().out.decode()
        assert not re.search(f"[{CONTROLS}\u202e]", page)
        if format == "markdown":
            outside = re.sub(r"(?s)(`+).*?\1", "", page)
            assert "<script" not in outside
            assert "@team" not in outside
        elif format == "html":
            assert page.count("<script") <= 1
    assert [p.name for p in tmp_path.iterdir()] == ["run.log"], "nothing is written"
    assert not list(tmp_path.parent.glob("x"))


@pytest.mark.parametrize("kind", ["markup in a failure", "markup in a graph break"])
def test_nothing_of_odd_names_is_lost(kind: str) -> None:
    """tlparse drops `<lambda>` and its like from its pages."""
    report = pt2triage.scan(ROWS[kind].data())
    text = " ".join(report.to_text().split())
    assert "<script>alert(1)</script>" in text
    if kind == "markup in a failure":
        assert "/home/dev/<lambda>.py:7" in text
        assert "<unknown module>" in text


@pytest.mark.parametrize("at", range(0, len(GOOD + FAILURE), 13))
def test_one_bad_byte_anywhere(at: int) -> None:
    """It spoils its own record at most, and is named."""
    data = GOOD + FAILURE + GOOD + FAILURE
    spoiled = data[:at] + b"\xff" + data[at:]
    report = scan_sound(spoiled)
    assert report["category"] == "graph_break"
    assert report["sources"][0]["trace_records"] >= 3
    line = spoiled.rfind(b"\n", 0, at) + 1
    assert ("invalid-utf8", line) in [
        (d["kind"], d["offset"]) for d in report["diagnostics"]
    ]


def test_a_checksum_is_that_of_the_text() -> None:
    """The rows above are judged by checksums that are right where they are."""
    payload = b"\n".join(line[1:] for line in FAILURE.splitlines()[1:])
    assert hashlib.md5(payload).hexdigest().encode() in FAILURE


ODD_NAMES = {
    "controls": b"a\x1b[31m\n\r\x07b.log",
    "markup": b"<script>alert(1)<|script>`**@team.log",
    "no UTF-8": b"caf\xe9\xff.log",
    "marks that turn text": "\u202egol.\u200b".encode(),
    "an option": b"--help",
    "blanks": b"  ",
}


@pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_odd_names_of_files(
    name: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    missing = os.fsdecode(path + b"-not")
    with open(path, "wb") as file:
        file.write(GOOD + FAILURE)
    for format in ("json", "jsonl", "text", "markdown", "html"):
        status = main(["scan", "--format", format, os.fsdecode(path), missing])
        out, err = capfdbinary.readouterr()
        assert status == 2
        why = (b": No such file or directory\n", b": No file matches the pattern\n")
        assert err.endswith(why)
        turns = "" if format.startswith("json") else "\u202e"  # JSON is data
        for text in (out.decode("utf-8"), err.decode("utf-8")):
            assert not re.search(f"[{CONTROLS}{turns}]", text), format
        assert err.count(b"\n") == 1
        if format == "markdown":
            assert "<script" not in re.sub(r"(?s)(`+).*?\1", "", out.decode())
        if format == "html":
            assert out.count(b"<script") == 1


def test_names_that_lead_nowhere(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    loop = tmp_path / "loop.log"
    loop.symlink_to("loop.log")
    for path in ("", str(loop), str(loop / "x"), "/dev/null/x", "x" * 300):
        assert main(["scan", path]) == 2
        out, err = capfdbinary.readouterr()
        assert out == b""
        assert err.count(b"\n") == 1
