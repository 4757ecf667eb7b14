"""Traces as they come: under prefixes, with other text in them, cut, spoiled.

The rows are what the field's trace viewer was seen to do badly: for each, what is
there must be found, and what is lost must be told.
"""

import codecs
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pt2triage
from cases import case
from spoiled import PREFIX, envelope

TRACE = case("2.13.0/breaks").traces[0]
CLEAN = TRACE.read_bytes()
LINES = CLEAN.splitlines(keepends=True)


def payloads(content: bytes) -> list[bytes | None]:
    return [record.payload for record in pt2triage.read_trace(content).records()]


CLEAN_PAYLOADS = payloads(CLEAN)
CLEAN_COUNTS = pt2triage.read_trace(CLEAN).counts()


def each_line(change: Callable[[bytes], bytes]) -> bytes:
    return b"".join(change(line) for line in LINES)


def with_stdout(every: int) -> bytes:
    out = bytearray()
    for number, line in enumerate(LINES):
        if number % every == 0:
            out += b"step 7: loss 0.25\n"
        out += line
    return bytes(out)


# Nothing of the trace may be lost in these.
WRAPPED = {
    "crlf": CLEAN.replace(b"\n", b"\r\n"),
    "bom": codecs.BOM_UTF8 + CLEAN,
    "ansi": each_line(lambda line: b"\x1b[33m" + line[:-1] + b"\x1b[0m\n"),
    "github": each_line(lambda line: b"2026-11-29T15:16:46.0990000Z " + line),
    "torchrun": each_line(lambda line: b"[default0]:" + line),
    "rank": each_line(lambda line: b"[rank0]:" + line),
    "stdout between and inside": with_stdout(7),
    "no newline at the end": CLEAN[:-1],
}


@pytest.mark.parametrize("name", WRAPPED)
def test_nothing_is_lost(name: str) -> None:
    assert payloads(WRAPPED[name]) == CLEAN_PAYLOADS
    counts = pt2triage.read_trace(WRAPPED[name]).counts()
    assert counts == CLEAN_COUNTS


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read(encoding: str) -> None:
    bom = codecs.BOM_UTF16_LE if encoding.endswith("le") else codecs.BOM_UTF16_BE
    content = bom + CLEAN.decode().encode(encoding)
    assert payloads(content) == CLEAN_PAYLOADS


def test_gzip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.log.gz"
    path.write_bytes(gzip.compress(CLEAN))
    assert pt2triage.read_trace(path).counts() == CLEAN_COUNTS


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_one_bad_byte_spoils_one_record(where: float) -> None:
    at = CLEAN.index(b"\n\t", int(len(CLEAN) * where)) + 2
    content = CLEAN[:at] + b"\xff" + CLEAN[at:]
    changed = [
        (ours, theirs)
        for ours, theirs in zip(payloads(content), CLEAN_PAYLOADS, strict=True)
        if ours != theirs
    ]
    assert len(changed) == 1
    assert changed[0][0] is not None
    assert b"\xff" in changed[0][0]


def test_a_cut_file_keeps_what_came_before() -> None:
    content = CLEAN[: len(CLEAN) // 2]
    found = payloads(content)
    assert found[:-1] == CLEAN_PAYLOADS[: len(found) - 1]
    trace = pt2triage.read_trace(content)
    assert 0 < len(trace.compiles) < CLEAN_COUNTS["compiles"]


def test_garbage_lines_inside_a_payload_are_passed_over() -> None:
    at = next(
        number
        for number, line in enumerate(LINES)
        if b"dynamo_output_graph" in line and LINES[number + 2].startswith(b"\t")
    )
    garbage = [b"\x00\x00\x00\n", b"!!! not mine\n"]
    content = b"".join([*LINES[: at + 2], *garbage, *LINES[at + 2 :]])
    assert payloads(content) == CLEAN_PAYLOADS


def test_two_runs_in_one_file_have_their_own_names() -> None:
    start = '"dynamo_start": {"stack": [{"line": 1, "name": "f", "filename": 0}]}, '
    start += '"frame_id": 0, "frame_compile_id": 0, "attempt": 0'
    content = b"".join(
        envelope(f'"str": ["{name}", 0]', process=process)
        + envelope(start, process=process)
        for name, process in (("a.py", "1"), ("b.py", "2"))
    )
    assert [row.file for row in pt2triage.read_trace(content).compiles] == [
        "a.py",
        "b.py",
    ]


def test_two_ranks_in_one_file_are_both_there() -> None:
    content = b"".join(
        envelope(f'"link": {{}}, "rank": {rank}', process=str(rank + 10))
        for rank in (0, 1)
    )
    assert [p.rank for p in pt2triage.read_trace(content).processes] == [0, 1]


def test_two_files_of_one_rank_are_two_processes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        path = tmp_path / f"dedicated_log_torch_trace_rank_0_{name}.log"
        path.write_bytes(envelope('"link": {}, "rank": 0'))
    trace = pt2triage.read_trace(tmp_path)
    assert [process.rank for process in trace.processes] == [0, 0]


def test_a_forked_child_has_its_parents_names() -> None:
    frame = '"stack": [{"line": 1, "name": "f", "filename": 0}]'
    start = f'"dynamo_start": {{{frame}}}, "frame_id": 0, "frame_compile_id": 0'
    content = envelope('"str": ["a.py", 0]', process="1")
    content += envelope('"str": ["b.py", 1]', process="2") + envelope(
        start, process="2"
    )
    assert pt2triage.read_trace(content).compiles[0].file == "a.py"


@pytest.mark.parametrize(
    "fields",
    [
        '"str": ["x", 4294967295]',
        '"str": ["x", -1]',
        '"str": "x"',
        '"artifact": {"name": null}',
        '"artifact": []',
        '"compilation_metrics": []',
        '"compilation_metrics": {"fail_type": "X"}, "frame_id": 0',
        '"compilation_metrics": {"duration_us": "soon", "restart_reasons": 7}',
        '"compilation_metrics": {"duration_us": 1e400, "start_time": NaN}',
        '"dynamo_start": {"stack": {"line": []}}, "frame_id": "0"',
        '"missing_fake_kernel": {}',
        '"guard_added": {"expr": "x", "user_stack": 3}',
        '"expression_created": {}',
        '"symbolic_shape_specialization": {"sources": {}}',
        '"describe_tensor": {"id": ' + "[" * 5000 + "]" * 5000 + "}",
        '"chromium_event": {}, "rank": -4',
        '"dynamo_start": {}, "frame_id": 99999999999999999999',
    ],
)
def test_odd_records_do_not_stop_the_reading(fields: str) -> None:
    good = envelope('"aot_joint_graph": {}', "after")
    trace = pt2triage.read_trace(envelope(fields) + good)
    assert b"after" in [record.payload for record in trace.records()]
    trace.report.to_json()
    for name in trace.counts():
        getattr(trace, name).to_dicts()


def test_a_huge_process_number_is_a_text() -> None:
    content = envelope('"link": {}', process="9" * 40)
    assert pt2triage.read_trace(content).processes[0].pid == "9" * 40


def test_wrong_checksums_are_told_by_record() -> None:
    content = CLEAN.replace(b'"has_payload": "', b'"has_payload": "0', 3)
    trace = pt2triage.read_trace(content, verify=True)
    damaged = [record for record in trace.records() if record.is_intact is False]
    assert len(damaged) == 3
    told = [d.line for d in trace.report.diagnostics if d.kind == "checksum-mismatch"]
    assert told == [record.line for record in damaged]
    assert [record.payload for record in trace.records()] == CLEAN_PAYLOADS


@pytest.mark.slow
def test_endless_lines() -> None:
    payload = "x" * 50_000_000
    content = envelope('"aot_joint_graph": {}', payload)
    (record,) = pt2triage.read_trace(content).records()
    assert record.md5 == hashlib.md5(payload.encode()).hexdigest()
    name = json.dumps({"artifact": {"name": payload}})
    line = PREFIX.format("1").encode() + name.encode() + b"\n"
    trace = pt2triage.read_trace(line + envelope('"link": {}'))
    assert sum(kind.records for kind in trace.kinds) == 1
    assert trace.report.diagnostics


def test_many_processes_do_not_take_all_memory() -> None:
    content = b"".join(
        envelope(f'"r{number}": {{}}', process=str(number)) for number in range(3000)
    )
    trace = pt2triage.read_trace(content)
    assert len(trace.processes) == 3000
    assert len(trace.kinds) + trace.omitted == 3000
