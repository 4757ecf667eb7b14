"""Verdicts of PyTorch's log classifier, beside ours."""

import csv
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cases import case
from pt2triage import load_hud, scan, to_hud
from pt2triage.hud import COLUMNS

ROW: dict[str, Any] = {
    "captures": ["RuntimeError", 'it\'s "so"'],
    "context": ["+ python test/run_test.py"],
    "job_id": 67890123456,
    "line": "torch._dynamo.exc.RecompileError: Recompiling function f in a.py:3",
    "line_num": 1234,
    "rule": "Python RuntimeError",
}
OTHER = ROW | {"line": "lintrunner: all is well", "job_id": 2, "captures": []}
EMPTY = ROW | {"line": "", "rule": "", "line_num": 0, "captures": [], "context": []}


def test_rows_keep_their_columns_and_get_ours() -> None:
    table = load_hud([ROW, OTHER, EMPTY])
    for row, verdict in zip((ROW, OTHER, EMPTY), table, strict=True):
        values = {name: getattr(verdict, name) for name in COLUMNS}
        assert json.loads(json.dumps(values)) == row
    assert [verdict.category for verdict in table] == ["recompilation", None, None]
    assert table[1].fingerprint is None
    assert pickle.loads(pickle.dumps(table)) == table


def as_json(path: Path) -> None:
    path.write_text(json.dumps([ROW, OTHER]))


def as_json_of_clickhouse(path: Path) -> None:
    quoted = [{**row, "job_id": str(row["job_id"])} for row in (ROW, OTHER)]
    path.write_text(json.dumps({"meta": [], "data": quoted, "rows": 2}))


def as_json_lines(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in (ROW, OTHER)))


def as_json_of_jobs(path: Path) -> None:
    jobs = [{"id": 1, "torchci_classification": row} for row in (ROW, OTHER)]
    path.write_text(json.dumps(jobs))


def as_json_of_tuples(path: Path) -> None:
    tuples = [[row[name] for name in COLUMNS] for row in (ROW, OTHER)]
    path.write_text(json.dumps([{"torchci_classification": row} for row in tuples]))


def array(values: list[str]) -> str:
    """As ClickHouse writes it into CSV."""
    quoted = (v.replace("\\", "\\\\").replace("'", "\\'") for v in values)
    return "[" + ",".join(f"'{value}'" for value in quoted) + "]"


def as_csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in (ROW, OTHER):
            arrays = {name: array(row[name]) for name in ("captures", "context")}
            writer.writerow(row | arrays)


def as_parquet(path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist([ROW, OTHER]), path)


@pytest.mark.parametrize(
    "write",
    [
        *(as_json, as_json_of_clickhouse, as_json_lines, as_json_of_jobs),
        *(as_json_of_tuples, as_csv, as_parquet),
    ],
)
def test_files(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "verdicts"  # its name says nothing
    write(path)
    assert load_hud(path) == load_hud([ROW, OTHER])
    assert load_hud(str(path)) == load_hud([ROW, OTHER])


def test_empty_files(tmp_path: Path) -> None:
    for text in ("", "[]", '{"data": []}', ",".join(COLUMNS) + "\n"):
        (tmp_path / "rows").write_text(text)
        assert list(load_hud(tmp_path / "rows")) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {**ROW, "job_id": "x"},
        {**ROW, "captures": 3},
        {**ROW, "captures": "[1,"},
        {**ROW, "captures": "[" * 100_000},
        {"torchci_classification": [1, 2]},
        {"torchci_classification": None},
        "text",
    ],
)
def test_rows_of_another_shape(wrong: Any) -> None:
    with pytest.raises(ValueError, match="row 2 is no verdict of HUD"):
        load_hud([ROW, wrong])


def test_as_arrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = load_hud([ROW, OTHER])
    rows = pa.table(table).to_pylist()
    assert [{name: row[name] for name in COLUMNS} for row in rows] == [ROW, OTHER]
    assert [row["category"] for row in rows] == ["recompilation", None]
    assert pa.schema(load_hud([])).equals(pa.table(table).schema)


def test_findings_in_that_shape() -> None:
    report = scan(case("2.13.0/recompile_limit").log)
    rows = to_hud(report.findings, job_id=7)
    assert [tuple(row) for row in rows] == [COLUMNS] * len(report.findings)
    again = load_hud(rows)
    for finding, verdict in zip(report.findings, again, strict=True):
        assert verdict.captures == (finding.fingerprint,)
        assert verdict.rule == f"{finding.category}/{finding.cause}"
        assert verdict.line_num == finding.evidence[0].line
        assert verdict.job_id == 7
        assert "\n" not in verdict.line


def test_job_of_a_source(tmp_path: Path) -> None:
    text = case("2.13.0/recompile_limit").log.read_bytes()
    for name, job in {
        "67890123456": 67890123456,
        "job_67890123.txt.log": 67890123,
        "run.log": 0,
        "test_12.log": 0,
    }.items():
        path = tmp_path / name
        path.write_bytes(text)
        assert {row["job_id"] for row in to_hud(scan(path).findings)} == {job}
