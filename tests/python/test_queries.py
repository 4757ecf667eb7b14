"""The queries of docs/queries.md, on a history made of the test data."""

import datetime
import re
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import ROOT, case
from pt2triage._batch import scan_each

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from pt2triage._history import HistoryWriter  # noqa: E402
from pt2triage._tables import Stamp  # noqa: E402

PAGE = (ROOT / "docs" / "queries.md").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"```sql\n-- (\w+)\n(.*?)```", PAGE, re.DOTALL))

LIMIT = case("2.13.0/recompile_limit").log.read_bytes()
BREAKS = case("2.13.0/breaks").log.read_bytes()
FAILED = case("2.13.0/fail_on_recompile").log.read_bytes()
RAISED = case("2.13.0/fullgraph_unsupported").log.read_bytes()
CI = (
    ROOT / "tests" / "synthetic" / "ci_pytorch_consistent_and_flaky" / "log.txt"
).read_bytes()
# The same with the two tests in each other's place.
SWAPPED = (
    CI.replace(b"test_fold_bf16_cpu", b"@")
    .replace(b"test_pad_sum_cpu", b"test_fold_bf16_cpu")
    .replace(b"@", b"test_pad_sum_cpu")
)

# What each job of each day left.
DAYS: dict[int, dict[str, bytes]] = {
    27: {
        "27000000": FAILED,
        "27000001": LIMIT,
        "27000002": BREAKS,
        "27000003": b"all is well\n",
    },
    28: {"28000000": FAILED, "28000001": LIMIT, "28000002": BREAKS, "28000003": CI},
    29: {
        "29000000": FAILED,
        "29000001": LIMIT,
        "29000002": RAISED,
        "29000003": SWAPPED,
    },
}


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queries")
    for day, jobs in DAYS.items():
        logs = folder / "logs" / str(day)
        logs.mkdir(parents=True)
        for job, log in jobs.items():
            (logs / f"{job}.log").write_bytes(log)
        stamp = Stamp.now(datetime.date(2026, 11, day))
        with HistoryWriter(
            str(folder / "history"), stamp=stamp, by_date=True
        ) as writer:
            for scanned in scan_each([logs]):
                writer.add(scanned)
    return folder


@pytest.fixture
def ask(history: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a query of the page; the rows as dicts."""
    monkeypatch.chdir(history)
    with duckdb.connect() as connection:
        connection.execute(QUERIES["setup"])

        def run(name: str, **tables: object) -> list[dict[str, Any]]:
            for table, rows in tables.items():
                connection.register(table, rows)
            rows = connection.sql(QUERIES[name])
            return [
                dict(zip(rows.columns, row, strict=True)) for row in rows.fetchall()
            ]

        yield run


def test_the_page_has_the_queries() -> None:
    assert list(QUERIES) == ["setup", "new", "most", "guards", "breaks", "flaky", "hud"]
    assert PAGE.count("```sql") == len(QUERIES)


def test_new_failures(ask: Any) -> None:
    rows = ask("new")
    before = {
        finding.fingerprint
        for day in (27, 28)
        for log in DAYS[day].values()
        for finding in pt2triage.scan(log).findings
    }
    today = [f for log in DAYS[29].values() for f in pt2triage.scan(log).findings]
    new = {f.fingerprint for f in today if f.severity == "error"} - before
    assert {row["fingerprint"] for row in rows} == new
    raised = next(row for row in rows if row["category"] == "graph_break")
    assert raised["fingerprint"] == pt2triage.scan(RAISED).finding
    assert raised["jobs"] == 1
    assert raised["example"].endswith("logs/29/29000002.log")


def test_failure_of_most_jobs(ask: Any) -> None:
    rows = ask("most")
    top = rows[0]
    assert top["fingerprint"] == pt2triage.scan(FAILED).finding
    assert (top["category"], top["jobs"], top["percent"]) == ("recompilation", 3, 25.0)
    assert (top["first_day"].day, top["last_day"].day) == (27, 29)
    assert [row["jobs"] for row in rows] == sorted(
        (row["jobs"] for row in rows), reverse=True
    )


def test_guards(ask: Any) -> None:
    rows = ask("guards")
    logs = [log for jobs in DAYS.values() for log in jobs.values()]
    guards = [g for log in logs for g in pt2triage.scan(log).guard_failures]
    assert sum(row["failures"] for row in rows) == len(guards)
    assert rows[0]["guarded"] == "n"
    assert rows[0]["cause"] == "scalar-value"
    assert rows[0]["jobs"] == 3
    assert rows[0]["user_line"] is not None
    assert len(rows[0]["examples"]) == 3


def test_breaks_of_each_line(ask: Any) -> None:
    rows = ask("breaks")
    assert list(rows[0])[2:] == ["11-27", "11-28", "11-29"]
    breaks = pt2triage.scan(BREAKS).graph_breaks
    lines = {f.user_frame.line for f in breaks if f.user_frame}
    for row in rows:
        if row["user_line"] in lines and row["11-27"] is not None:
            there = [f for f in breaks if f.user_frame]
            number = sum(
                f.count
                for f in there
                if f.user_frame and f.user_frame.line == row["user_line"]
            )
            assert row["11-27"] == row["11-28"] == round(number / 4, 4)
    assert {row["user_line"] for row in rows if row["11-27"]} == lines
    assert any(row["11-29"] and not row["11-28"] for row in rows)  # RAISED is new


def test_flaky_tests(ask: Any) -> None:
    rows = ask("flaky")
    by_name = {row["test_id"].rsplit("::", 1)[1]: row for row in rows}
    assert set(by_name) == {"test_fold_bf16_cpu", "test_pad_sum_cpu"}
    for row in rows:
        assert (row["passed_when_run_again"], row["failed_for_good"]) == (1, 1)


def test_verdicts_of_hud(ask: Any) -> None:
    verdict = {"captures": [], "context": [], "line_num": 3, "rule": "GHA error"}
    hud = pt2triage.load_hud(
        [
            verdict | {"job_id": 29000002, "line": "##[error]Process completed"},
            verdict | {"job_id": 27000003, "line": ""},
            verdict | {"job_id": 5, "line": "of a job that was not scanned"},
        ]
    )
    rows = ask("hud", hud=hud)
    assert [row["job_id"] for row in rows] == [27000003, 29000002]
    assert rows[0]["by_its_log"] is None
    assert rows[1]["by_its_line"] is None
    assert rows[1]["by_its_log"] == "graph_break"
    assert rows[1]["line"] == pt2triage.scan(RAISED).findings[0].evidence[0].line
