"""The tables of traces, against a plain reader and against what a scan says."""

import hashlib
import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import Case, all_cases, case, scan, spread
from oracle import read_records
from spoiled import envelope

CASES = [one for one in all_cases() if one.traces]
BREAKS = case("2.13.0/breaks")
TWO_RANKS = case("2.13.0/two_ranks")


def read(one: Case) -> pt2triage.Trace:
    return pt2triage.read_trace([str(path) for path in one.traces])


@pytest.mark.parametrize("one", spread(CASES))
def test_every_record_is_counted_and_every_compile_has_a_row(one: Case) -> None:
    records = [
        record for path in one.traces for record in read_records(path.read_bytes())
    ]
    expected = Counter(record.text for record in records)
    counted: Counter[str] = Counter()
    trace = read(one)
    for kind in trace.kinds:
        counted[kind.record] += kind.records
    assert counted == expected
    assert sum(process.records for process in trace.processes) == expected.total()
    assert trace.omitted == 0
    ids = {
        record.compile_id.partition("_")[0]
        for record in records
        # Records that are only counted begin no row.
        if record.compile_id and not record.text.startswith(("chromium", "describe_"))
    }
    assert {row.compile_id for row in trace.compiles} == ids


@pytest.mark.parametrize("one", spread(CASES))
def test_tables_agree_with_the_scan(one: Case) -> None:
    trace = read(one)
    counts = scan([str(path) for path in one.traces])["counts"]
    breaks = [row for row in trace.graph_breaks if not row.skipped_frame]
    assert sum(row.count for row in breaks) == counts["graph_breaks"]
    assert sum(p.recompiles for p in trace.processes) == counts["recompiles"]
    assert trace.report == pt2triage.scan([str(path) for path in one.traces])


@pytest.mark.parametrize("one", spread(CASES))
def test_every_payload_is_what_torch_gave(one: Case) -> None:
    trace = read(one)
    payloads = 0
    for record in trace.records():
        if record.payload is None:
            continue
        payloads += 1
        assert hashlib.md5(record.payload).hexdigest() == record.checksum
        assert record.is_intact
    named = sum(kind.records for kind in trace.kinds if kind.payload_bytes)
    assert payloads <= named


def test_a_compile_says_what_torch_measured() -> None:
    # The record of compile 0/0 in the trace: two attempts, 9 guards, 84,992 us.
    row = read(BREAKS).compiles[0]
    assert (row.compile_id, row.function, row.line) == ("0/0", "print_break", 2)
    assert row.file == "/home/dev/model/breaks.py"
    assert (row.outcome, row.attempts, row.guards) == ("ok", 2, 9)
    assert (row.graph_ops, row.graph_nodes, row.graph_inputs) == (1, 3, 1)
    assert row.duration_us == 84_992
    assert row.restart_reasons[0].startswith("Failed to trace builtin operator")
    assert row.stack[-1].function == "print_break"


def test_seconds_of_older_versions_are_microseconds() -> None:
    # 2.4.1 writes "entire_frame_compile_time_s": 0.08998799324035645.
    row = read(case("2.4.1/breaks")).compiles[0]
    assert row.duration_us == 89_988
    assert row.start_us == 1_795_968_147_768_271


def test_a_limit_is_a_failed_compile_of_the_same_function() -> None:
    trace = read(BREAKS)
    row = next(row for row in trace.compiles if row.compile_id == "12/8")
    assert (row.function, row.outcome, row.fail_type) == ("g", "failed", "Unsupported")
    assert len(row.recompile_reasons) == 8


def test_ranks_are_processes() -> None:
    trace = read(TWO_RANKS)
    assert [process.rank for process in trace.processes] == [0, 1]
    assert {row.rank for row in trace.compiles if row.process == 1} == {1}
    # Rank 1 prints in f, which rank 0 does not: two compiles more.
    assert [process.compiles for process in trace.processes] == [7, 9]


def test_metrics_hold_every_field() -> None:
    trace = read(BREAKS)
    line = next(
        text
        for text in BREAKS.traces[0].read_text().splitlines()
        if '{"compilation_metrics"' in text
    )
    written = json.loads(line[line.index("{") :])["compilation_metrics"]
    expected = {key: value for key, value in written.items() if value is not None}
    rows = [row for row in trace.metrics if row.compile_id == "0/0"]
    assert {row.field: json.loads(row.value) for row in rows} == expected


def test_records_can_be_chosen() -> None:
    trace = read(BREAKS)
    records = list(trace.records("dynamo_output_graph", compile_id="10/1"))
    assert [record.title for record in records] == ["dynamo_output_graph"]
    assert records[0].text.startswith("class GraphModule")
    assert isinstance(records[0].metadata, dict)
    assert "sizes" in records[0].metadata


def test_reading_records_can_stop_early() -> None:
    records = read(BREAKS).records()
    next(records)
    records.close()  # joins the thread that reads


def test_records_of_bytes_can_be_read_again() -> None:
    content = BREAKS.traces[0].read_bytes()
    trace = pt2triage.read_trace(content)
    assert sum(1 for _ in trace.records("dynamo_start")) == 23


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    path.write_bytes(BREAKS.traces[0].read_bytes())
    trace = pt2triage.read_trace(path)
    path.unlink()
    with pytest.raises(pt2triage.OpenError, match=r"trace\.log"):
        list(trace.records())
    with pytest.raises(pt2triage.OpenError, match="missing"):
        pt2triage.read_trace(tmp_path / "missing")


@pytest.mark.parametrize(
    "name",
    [
        *("processes", "compiles", "graph_breaks", "recompiles", "cache_events"),
        *("metrics", "symbols", "collectives", "artifacts", "kinds"),
    ],
)
def test_tables_are_arrow_and_pandas(name: str) -> None:
    import pyarrow

    table: Any = getattr(read(BREAKS), name)
    arrow = pyarrow.table(table)
    assert arrow.num_rows == len(table)
    frame = table.to_pandas()
    assert list(frame.columns) == arrow.column_names
    assert len(frame) == len(table)
    for row, told in zip(table[:3], arrow.to_pylist(), strict=False):
        for column in arrow.column_names:
            value = getattr(row, column)
            if isinstance(value, (str, int, float, type(None))):
                assert told[column] == value, column
        assert pickle.loads(pickle.dumps(row)) == row
    assert name in table._repr_html_()
    empty: Any = getattr(pt2triage.read_trace(b""), name)
    assert list(empty.to_pandas().columns) == arrow.column_names


def test_compressed_and_packed_traces_are_read(tmp_path: Path) -> None:
    import gzip
    import tarfile
    import zipfile

    plain = pt2triage.read_trace(BREAKS.traces[0])
    content = BREAKS.traces[0].read_bytes()
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("t.log", content)
    with tarfile.open(tmp_path / "c.tar.xz", "w:xz") as packed:
        packed.add(BREAKS.traces[0], "t.log")
    for path in sorted(tmp_path.iterdir()):
        trace = pt2triage.read_trace(path)
        assert trace.counts() == plain.counts(), path
        first = [record.payload for record in trace.records()]
        assert first == [record.payload for record in plain.records()], path


def test_process_numbers_of_records_are_those_of_the_tables(tmp_path: Path) -> None:
    for name, process in (("a.log", "1"), ("b.log", "2"), ("c.log", "3")):
        text = envelope('"aot_joint_graph": {}', name, process)
        (tmp_path / name).write_bytes(text * 2)
    trace = pt2triage.read_trace(tmp_path)
    for record in trace.records():
        process_row = trace.processes[record.process]
        assert process_row.pid == record.pid
        assert process_row.source == record.source


def test_unknown_records_are_kept() -> None:
    content = envelope('"born_in_2031": {"x": [1]}, "frame_id": 0', "payload")
    trace = pt2triage.read_trace(content)
    (kind,) = trace.kinds
    assert (kind.record, kind.known, kind.records) == ("born_in_2031", False, 1)
    (record,) = trace.records("born_in_2031")
    assert record.metadata == {"x": [1]}
    assert record.payload == b"payload"


def test_a_confidential_trace_has_no_code_and_no_folders() -> None:
    trace = read(TWO_RANKS).confidential()
    for name in trace.counts():
        text = json.dumps(getattr(trace, name).to_dicts(), default=repr)
        assert "/home/dev" not in text, name
        assert "/opt/venv" not in text, name
        # A line of the traced program.
        assert "loss.backward()" not in text, name
    assert trace.compiles[0].function == "f"
    with pytest.raises(ValueError, match="confidential"):
        next(trace.records())
    assert trace.confidential() is trace
