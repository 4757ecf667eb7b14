"""What a report leaves open, and what another one adds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._clusters import Clusters
from pt2triage._diff import Diff
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage import Finding
    from pt2triage._report import Report

# Causes that say that nobody knows.
_VAGUE = ("other", "unknown-backend")
_WITH_MINIFIER = ("accuracy", "backend_compiler_failed")
_MINIFIED = ("minifier_launcher", "repro")


def open_questions(report: Report) -> list[str]:
    """What is not known of the failure to look at first.

    Nothing where nothing failed that is PT2's: no recipe shows more of that.
    """
    if not report.findings or report.findings[0].category == "other":
        return []
    finding = report.findings[0]
    category = finding.category
    lacks = {
        "its cause": finding.cause in _VAGUE,
        "the line of your code": finding.user_frame is None,
        "the guard that failed": category == "recompilation"
        and not finding.guard_failures,
        "where it was raised": category == "dynamo_internal"
        and finding.raised_at is None,
        "a small program that fails": category
        in ("accuracy", "backend_compiler_failed")
        and not _minified(report),
    }
    return [question for question, lacking in lacks.items() if lacking]


def added_by(before: Report, after: Report) -> list[str]:
    """What is new in the report of a further run, a line for each."""
    if not after.findings:
        return ["nothing failed this time: it may not fail in each run"]
    lines = _answers(before, after)
    old, new = before.findings[0], _same_or_first(before.findings[0], after)
    if old.category != new.category:
        lines.append(f"it is told as {new.category}: {new.cause}")
    for name, one, other in (
        ("hints", len(old.hints), len(new.hints)),
        ("guards that failed", len(old.guard_failures), len(new.guard_failures)),
        ("places in logs and traces", len(old.evidence), len(new.evidence)),
    ):
        if other > one:
            lines.append(f"{name}: {other:,}, not {one:,}")
    diff = Diff(_clusters(before), _clusters(after))
    for change in diff.new[:5]:
        cluster = change.cluster
        lines.append(f"new: {cluster.category}: {one_line(cluster.cause)}")
    records = _records(after) - _records(before)
    if records > 0:
        lines.append(f"{records:,} records more to read")
    return lines


def _answers(before: Report, after: Report) -> list[str]:
    """The questions that were open and are no more."""
    finding = after.findings[0]
    frame, raised = finding.user_frame, finding.raised_at
    values = {
        "its cause": finding.cause,
        "the line of your code": f"{frame.file}:{frame.line}" if frame else "",
        "the guard that failed": "; ".join(g.guard for g in finding.guard_failures[:2]),
        "where it was raised": f"{raised.file}:{raised.line}" if raised else "",
        "a small program that fails": next(iter(_minified(after)), ""),
    }
    still = open_questions(after)
    return [
        f"{question}: {one_line(values[question])}"
        for question in open_questions(before)
        if question not in still and values[question]
    ]


def _same_or_first(finding: Finding, report: Report) -> Finding:
    for other in report.findings:
        if other.fingerprint == finding.fingerprint:
            return other
    return report.findings[0]


def _minified(report: Report) -> list[str]:
    return [
        artifact.path
        for source in report.sources
        for artifact in source.artifacts
        if artifact.kind in _MINIFIED
    ]


def _records(report: Report) -> int:
    return sum(s.log_records + s.trace_records for s in report.sources)


def _clusters(report: Report) -> Clusters:
    clusters = Clusters()
    clusters.add(report)
    return clusters
