"""Short answers: what a finding is, with all text of logs apart and cut."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from pt2triage._clusters import COUNTS
from pt2triage.report.layout import crop
from pt2triage.report.safe import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage._cluster import Cluster
    from pt2triage._core import Finding, StackFrame
    from pt2triage._diff import Diff
    from pt2triage._report import Report

    Row: TypeAlias = dict[str, Any]

# What an answer has at most: characters in all, of a text, and entries of lists.
ANSWER = 32_000
TEXT = 600
_LINE = 240
_GUARDS = 5
_STEPS = 3
_PLACES = 3
_SOURCES = 20
_CHANGES = 10


def report_row(report: Report, limit: int) -> Row:
    """What failed, the most important first."""
    rows = [finding_row(finding) for finding in report.findings[:limit]]
    sources = [
        {"name": _line(one.name), "kind": one.kind, "lines": one.lines}
        for one in report.sources[:_SOURCES]
    ]
    counts = {name: getattr(report.counts, name) for name in COUNTS}
    head: Row = {
        **({"confidential": True} if report.is_confidential else {}),
        "category": report.category,
        "finding": report.finding,
        "counts": {name: number for name, number in counts.items() if number},
        "sources": sources,
        "more_sources": len(report.sources) - len(sources),
        "unread_places": sum(one.malformed for one in report.sources),
    }
    kept = _fitting(rows, head)
    left = len(report.findings) - len(kept) + report.omitted_findings
    return head | {"findings": kept, "more_findings": left}


def finding_row(finding: Finding) -> Row:
    """One finding; `quoted` has all that is text of a log."""
    return {
        "fingerprint": finding.fingerprint,
        "category": finding.category,
        "cause": finding.cause,
        "severity": finding.severity,
        "phase": finding.phase,
        "compile_mode": finding.compile_mode,
        "count": finding.count,
        "compile_id": finding.compile_id,
        "ranks": list(finding.ranks[:16]),
        "flaky": finding.flaky,
        "remedy": [_line(step.action, TEXT) for step in finding.remedy[:_STEPS]],
        "next_command": _optional(finding.next_command),
        "evidence": [
            {"source": _line(one.source), "line": one.line, "offset": one.offset}
            for one in finding.evidence[:_PLACES]
        ],
        "quoted": {
            "exception": _optional(finding.exception),
            "message": _block(finding.message),
            "reason": _block(finding.reason),
            "frame": frame_row(finding.user_frame),
            "guards": [_line(one.guard) for one in finding.guard_failures[:_GUARDS]],
            "test": _optional(finding.test_id),
        },
    }


def frame_row(frame: StackFrame | None) -> Row | None:
    if frame is None:
        return None
    return {
        "file": _line(frame.file),
        "line": frame.line,
        "function": _optional(frame.function),
        "code": _optional(frame.code),
    }


def diff_row(diff: Diff) -> Row:
    """The groups of a comparison, the first of each."""
    groups: Row = {}
    for group in ("new", "fixed", "more", "fewer"):
        changes = getattr(diff, group)
        groups[group] = [
            {**_cluster(one.cluster), "before": one.before, "after": one.after}
            for one in changes[:_CHANGES]
        ]
        groups[f"more_{group}"] = len(changes) - len(groups[group])
    return {
        **({"confidential": True} if diff.is_confidential else {}),
        "sources": {"before": diff.before.sources, "after": diff.after.sources},
        "unreadable": len(diff.before.unreadable) + len(diff.after.unreadable),
        "counts": {
            name: {"before": before, "after": after}
            for name, (before, after) in diff.counts.items()
            if before or after
        },
        "same": diff.same,
        **groups,
    }


def _cluster(one: Cluster) -> Row:
    return {
        "fingerprint": one.fingerprint,
        "category": one.category,
        "cause": one.cause,
        "severity": one.severity,
        "quoted": {
            "exception": _optional(one.exception),
            "message": _optional(one.message or one.reason),
            "file": _optional(one.user_file),
            "line": one.user_line,
            "guards": [_line(guard) for guard in one.guards[:_GUARDS]],
        },
    }


def _fitting(rows: Sequence[Row], head: Row) -> list[Row]:
    """As many rows as an answer has room for; the first in any case."""
    left = ANSWER - len(json.dumps(head))
    kept: list[Row] = []
    for row in rows:
        left -= len(json.dumps(row))
        if left < 0 and kept:
            break
        kept.append(row)
    return kept


def cut_lines(lines: Iterable[str], most: int) -> list[str]:
    """The first lines, each safe to print and not too long."""
    return [crop(printable(line), _LINE) for line in islice(lines, most)]


def _line(text: str, size: int = _LINE) -> str:
    return crop(one_line(text), size)


def _optional(text: str | None) -> str | None:
    return None if text is None else _line(text)


def _block(text: str | None) -> str | None:
    return None if text is None else crop(printable(text), TEXT)
