"""Types as a user sees them; mypy checks this file, pytest runs it."""

import io
from pathlib import Path
from typing import Literal, assert_type

import pt2triage
from cases import case
from pt2triage import Finding, GuardFailure, Report, Table, scan, scan_lines

LOG = case("2.13.0/recompile_limit").log

Category = Literal[
    "graph_break",
    "backend_compiler_failed",
    "recompilation",
    "accuracy",
    "dynamo_internal",
    "runtime_crash",
    "triton_kernel",
    "other",
]


def test_ways_in() -> None:
    assert_type(scan(LOG), Report)
    assert_type(scan(str(LOG)), Report)
    paths: list[Path] = [LOG]
    assert_type(scan(paths), Report)
    names: list[str] = [str(LOG)]
    assert_type(scan(names), Report)
    assert_type(scan((str(LOG), LOG)), Report)
    assert_type(scan(b""), Report)
    assert_type(scan(bytearray()), Report)
    assert_type(scan(memoryview(b"")), Report)
    assert_type(scan(io.BytesIO()), Report)
    assert_type(scan(io.StringIO()), Report)
    with LOG.open("rb") as file:
        assert_type(scan(file, verify=True, jobs=2, progress=None), Report)
    assert_type(scan_lines(["a", b"b"]), Report)


def test_report() -> None:
    report = scan(LOG, progress=lambda done, total: None)
    assert_type(report.category, Category | None)
    assert_type(report.finding, str | None)
    assert_type(report.findings, Table[Finding])
    assert_type(report.graph_breaks, Table[Finding])
    assert_type(report.guard_failures, Table[GuardFailure])
    assert_type(report.counts.recompiles, int)
    assert_type(report.sources, tuple[pt2triage.Source, ...])
    assert_type(report.to_json(), str)
    assert_type(report.only("graph_break", "accuracy"), Report)


def test_finding() -> None:
    finding = scan(LOG).findings[0]
    assert_type(finding, Finding)
    assert_type(finding.category, Category)
    assert_type(finding.severity, Literal["warning", "error"])
    assert_type(finding.phase, Literal["trace", "run"] | None)
    assert_type(finding.user_frame, pt2triage.StackFrame | None)
    assert_type(finding.evidence[0], pt2triage.Evidence)
    assert_type(finding.evidence[0].line, int)
    assert_type(scan(LOG).findings[:3], Table[Finding])
