"""The page's tables over all findings: breaks by line, recompiles by function."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report import text
from pt2triage.report.layout import crop
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters
    from pt2triage._core import Finding, GuardFailure

# Groups that are shown, and lines in each.
GROUPS = 200
_LINES = 50
_COLUMNS = 200
_NUMBER = re.compile(r"\d{1,9}")
_NOWHERE = "(no frame of yours)"


class Link(NamedTuple):
    """Text that leads to a finding."""

    anchor: str
    text: str


class Break(NamedTuple):
    """A line of the user's code at which graphs break."""

    place: str
    code: str
    events: int
    reasons: Sequence[Link]
    more: int


class History(NamedTuple):
    """A function that was compiled again.

    Attributes:
        place: The function.
        events: How often.
        guards: For each guard that failed a finding's id, the guard, and how often
            it failed for the same cache entry; in the order of the entries.
        more: Guards that are not listed.
        links: The findings.
    """

    place: str
    events: int
    guards: Sequence[tuple[str, GuardFailure, int]]
    more: int
    links: Sequence[Link]


def breaks_by_line(findings: Iterable[Finding], anchors: Sequence[str]) -> list[Break]:
    """Graph breaks by the line at which they happen, the most frequent first."""
    rows: list[Break] = []
    for place, group in _by_place(findings, anchors, "graph_break").items():
        frame = group[0][1].user_frame
        reasons = [
            Link(anchor, crop(f"{f.cause}: {text.summary_line(f)}", _COLUMNS))
            for anchor, f in group[:_LINES]
        ]
        code = (frame.code if frame is not None else None) or ""
        events = sum(finding.count for _, finding in group)
        more = len(group) - len(reasons)
        rows.append(Break(place, one_line(code), events, reasons, more))
    return sorted(rows, key=lambda row: -row.events)


def recompiles_by_function(
    findings: Iterable[Finding], anchors: Sequence[str]
) -> list[History]:
    """Guards that failed by the function that was compiled again for them."""
    rows: list[History] = []
    for place, group in _by_place(findings, anchors, "recompilation").items():
        guards = _guards(group)
        links = [Link(a, crop(f"{f.severity}: {f.cause}", _COLUMNS)) for a, f in group]
        events = sum(finding.count for _, finding in group)
        more = len(guards) - len(guards[:_LINES])
        rows.append(History(place, events, guards[:_LINES], more, links[:_LINES]))
    return sorted(rows, key=lambda row: -row.events)


def _guards(group: list[tuple[str, Finding]]) -> list[tuple[str, GuardFailure, int]]:
    """The guards of `group`, equal ones counted, by the numbers of their entries."""
    found: dict[tuple[object, ...], tuple[str, GuardFailure, int]] = {}
    for anchor, finding in group:
        for guard in finding.guard_failures:
            key = (guard.compile_id, guard.guard, guard.expected, guard.actual)
            first, _, times = found.get(key, (anchor, guard, 0))
            found[key] = (first, guard, times + 1)
    return sorted(found.values(), key=lambda one: _numbers(one[1].compile_id))


def shared_clusters(clusters: Clusters) -> list[Cluster]:
    """Failures that several sources or tests have."""
    return [one for one in clusters if one.sources > 1 or one.findings > 1]


def first_anchors(
    findings: Iterable[Finding], anchors: Sequence[str]
) -> Mapping[str, str]:
    """The id of the first finding with each fingerprint."""
    first: dict[str, str] = {}
    for finding, anchor in zip(findings, anchors, strict=True):
        first.setdefault(finding.fingerprint, anchor)
    return first


def _by_place(
    findings: Iterable[Finding], anchors: Sequence[str], category: str
) -> dict[str, list[tuple[str, Finding]]]:
    groups: dict[str, list[tuple[str, Finding]]] = {}
    for finding, anchor in zip(findings, anchors, strict=True):
        if finding.category == category:
            place = text.frame_place(finding) or _NOWHERE
            groups.setdefault(place, []).append((anchor, finding))
    return groups


def _numbers(compile_id: str | None) -> list[int]:
    return [int(part) for part in _NUMBER.findall(compile_id or "")]
