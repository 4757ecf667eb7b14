"""Tables as Arrow: the values are those of the JSON, whoever reads them."""

import copy
import gc
import json
import pickle
from typing import Any

import pytest

import pt2triage
from cases import Case, all_cases, case
from pt2triage import Table, _core, scan

pa = pytest.importorskip("pyarrow")

LIMIT = case("2.13.0/recompile_limit").log
RAISED = case("2.13.0/fullgraph_unsupported").log
BREAKS = case("2.13.0/breaks").log


class Rows:
    """Any rows of the core, with nothing but the interface."""

    def __init__(self, table: Any, rows: Any) -> None:
        self.table, self.rows = table, rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _core.arrow_stream(self.table, self.rows, requested_schema)


def records(table: object) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = pa.table(table).to_pylist()
    return result


# Values.


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_columns_are_the_json(case: Case) -> None:
    report = scan([case.log, *case.traces])
    document = report.to_dict()
    findings = document["findings"]
    expected = [finding | spread(finding) for finding in findings]
    assert records(report.findings) == expected
    assert records(Rows("sources", report.sources)) == document["sources"]
    guards = [
        guard | of_finding(finding)
        for finding in findings
        for guard in finding["guard_failures"]
    ]
    assert records(report.guard_failures) == guards


def spread(finding: dict[str, Any]) -> dict[str, Any]:
    """The columns of a finding that are part of others."""
    frame = finding["user_frame"] or dict.fromkeys(("file", "line", "function"))
    place = (finding["evidence"] or [dict.fromkeys(("source", "line", "offset"))])[0]
    names = ("file", "line", "function")
    return {f"user_{name}": frame[name] for name in names} | {
        name: place[name] for name in ("source", "line", "offset")
    }


def of_finding(finding: dict[str, Any]) -> dict[str, Any]:
    """The columns of a guard failure that are those of its finding."""
    flat = spread(finding)
    flat["source_name"] = flat.pop("source")
    return flat | {name: finding[name] for name in ("fingerprint", "test_id")}


def test_columns_that_are_never_null_in_json_are_so_here() -> None:
    seen: set[str] = set()
    for one in all_cases():
        for finding in scan(one.log).to_dict()["findings"]:
            seen |= {key for key, value in finding.items() if value is None}
    fields = {field.name: field for field in pa.schema(scan(b"").findings)}
    assert {name for name in seen if not fields[name].nullable} == set()
    sure = ("fingerprint", "category", "cause", "count", "flaky", "evidence", "hints")
    assert not any(fields[name].nullable for name in sure)


def test_tables_of_a_report() -> None:
    report = scan([RAISED, LIMIT, BREAKS])
    for table in (report.graph_breaks, report.recompiles, report.exceptions):
        prints = [row["fingerprint"] for row in records(table)]
        assert prints == [finding.fingerprint for finding in table]
    assert records(report.findings[1:3]) == records(report.findings)[1:3]
    guards = report.guard_failures
    assert records(guards[::-1]) == records(guards)[::-1]
    assert records(report.only("recompilation").findings)


def test_empty_report_has_every_column() -> None:
    empty, full = scan(b""), scan([RAISED, LIMIT])
    for name in ("findings", "guard_failures", "graph_breaks"):
        schema = pa.schema(getattr(full, name))
        table = pa.table(getattr(empty, name))
        assert len(table) == 0
        assert table.schema.equals(schema, check_metadata=True)
        assert table.schema.metadata[b"pt2triage.version"].decode() == (
            pt2triage.__version__
        )


def test_text_that_is_no_utf8() -> None:
    bad = b"\xff\xfe \xed\xa0\x80 \xf0\x9f\x94"  # bytes, a surrogate, half a character
    data = RAISED.read_bytes().replace(b"Unsupported: ", b"Unsupported: " + bad)
    report = scan(data)
    assert records(report.findings)[0]["message"] == report.findings[0].message
    name = b"caf\xe9.log".decode("utf-8", "surrogateescape")
    report = pt2triage.scan_lines(data.splitlines(), name=name)
    assert records(report.findings)[0]["source"] == "caf\ufffd.log"


def test_many_findings() -> None:
    report = scan([RAISED, LIMIT, BREAKS])
    once = report._core.findings
    times = 100_000 // len(once) + 1
    table = pa.table(Rows("findings", once * times))
    assert len(table) == len(once) * times
    assert len(table.to_batches()) > 1
    assert table["cause"].value_counts()  # one dictionary for all batches
    assert table.slice(len(table) - len(once)).to_pylist() == records(report.findings)
    table.validate(full=True)


def test_a_table_that_was_pickled() -> None:
    report = scan([RAISED, LIMIT])
    for table in (report.findings, report.guard_failures):
        for again in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
            assert again == table
            assert records(again) == records(table)


# The interface.


def test_schema() -> None:
    table = scan(LIMIT).findings
    assert pa.schema(table).equals(pa.table(table).schema, check_metadata=True)


def test_words_as_plain_text_on_request() -> None:
    report = scan([RAISED, LIMIT])
    schema = pa.schema(report.findings)
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    plain = pa.RecordBatchReader.from_stream(report.findings, pa.schema(fields))
    assert plain.schema.field("category").type == pa.string()
    assert plain.read_all().to_pylist() == records(report.findings)


def test_requests_that_are_not_followed() -> None:
    table = scan(LIMIT).findings
    fields = list(pa.schema(table))
    large = pa.schema([fields[0].with_type(pa.large_string()), *fields[1:]])
    capsule = table.__arrow_c_stream__(large.__arrow_c_schema__())
    reader = pa.RecordBatchReader._import_from_c_capsule(capsule)
    assert reader.schema.equals(pa.schema(fields))
    for other in (fields[1:], [*fields[::-1]], [*fields, pa.field("x", pa.int8())]):
        with pytest.raises(ValueError, match="other columns"):
            table.__arrow_c_stream__(pa.schema(other).__arrow_c_schema__())
    with pytest.raises(TypeError, match="arrow_schema capsule"):
        table.__arrow_c_stream__(3)
    with pytest.raises(ValueError, match="no such table"):
        _core.arrow_schema("nonsense")  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        _core.arrow_stream("guard_failures", [(table[0], 1_000)])


def test_memory_is_held_and_let_go() -> None:
    before = pa.total_allocated_bytes()
    table = pa.table(scan([RAISED, LIMIT]).findings)  # the report is gone
    column = table["message"]
    del table
    gc.collect()
    assert column.to_pylist()
    assert pa.total_allocated_bytes() - before < 10_000  # nothing was copied
    for _ in range(3):
        scan(LIMIT).findings.__arrow_c_stream__()  # never read
        scan(LIMIT).findings.__arrow_c_schema__()
    reader = pa.RecordBatchReader.from_stream(scan(LIMIT).findings)
    del reader


# Readers.


def test_pyarrow_and_ipc() -> None:
    table = pa.table(scan([RAISED, LIMIT]).findings)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert pa.ipc.open_stream(sink.getvalue()).read_all().equals(table)


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    report = scan([RAISED, LIMIT])
    for table in (report.findings, report.guard_failures):
        frame = polars.DataFrame(table)
        assert json.loads(json.dumps(frame.to_dicts())) == records(table)
    found = polars.DataFrame(report.findings).filter(category="recompilation")
    assert len(found) == len(report.recompiles)


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas", minversion="3")
    report = scan([RAISED, LIMIT])
    frame = pandas.DataFrame.from_arrow(report.findings)
    assert list(frame["fingerprint"]) == [f.fingerprint for f in report.findings]
    assert sum(frame["category"] == "recompilation") == len(report.recompiles)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    report = scan([RAISED, LIMIT])
    findings, guards = report.findings, report.guard_failures
    query = "select f.category, count(*) from guards g join findings f"
    rows = duckdb.sql(f"{query} using (fingerprint) group by all").fetchall()
    assert rows == [("recompilation", len(guards))]
    assert len(duckdb.sql("from findings").fetchall()) == len(findings)


def test_a_table_is_like_a_sequence() -> None:
    table: Table[pt2triage.Finding] = scan([RAISED, LIMIT]).findings
    rows = list(table)
    assert list(reversed(table)) == rows[::-1]
    assert table.index(rows[1]) == 1
    assert table.count(rows[0]) == 1
    assert rows[-1] in table
    assert 3 not in table
