"""A comparison as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._notice import NOTICE
from pt2triage.report.layout import Line, cells, crop, crop_start
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import number, what, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters
    from pt2triage._diff import Change, Diff
    from pt2triage._line_changes import LineChange

# Groups with what each means, and the style of its heading.
_GROUPS = (
    ("new", "not there before", "error"),
    ("fixed", "not there any more", "good"),
    ("more", "more often than before", "error"),
    ("fewer", "less often than before", "good"),
)
_KINDS = {"graph_break": "graph breaks by line", "recompilation": "recompiles by line"}
_GUARDS = 3
# Failures of a group, and lines of a kind, that are listed.
_ROWS = 100


def render_diff(diff: Diff, *, width: int = 100) -> list[Line]:
    """The groups, then the lines of code; all of it is safe to print."""
    width = max(width, 60)
    lines: list[Line] = [
        [(f"before  {_side(diff.before)}", "")],
        [(f"after   {_side(diff.after)}", "")],
    ]
    if not diff:
        lines.append([])
        lines.append([(f"No difference: {number(diff.same, 'failure')}.", "good")])
    for group, about, style in _GROUPS:
        changes: Sequence[Change] = getattr(diff, group)
        if changes:
            lines.append([])
            lines.append([(group, style), (f" ({len(changes):,}): {about}", "dim")])
        for change in changes[:_ROWS]:
            lines += _change(change, width)
        lines += _more(len(changes), "failure")
    if diff and diff.same:
        lines += [[], [(f"{number(diff.same, 'failure')} as often as before.", "dim")]]
    for category, title in _KINDS.items():
        lines += _lines(diff, category, title, width)
    lines += _counts(diff)
    if diff.traces is not None:
        from pt2triage.report.trace_diff_text import render_trace_diff

        lines += [[], *render_trace_diff(diff.traces, width=width)]
    if diff.is_confidential:
        lines += [[], [(NOTICE, "dim")]]
    return lines


def _side(clusters: Clusters) -> str:
    text = f"{number(len(clusters), 'failure')} in {number(clusters.sources, 'source')}"
    if clusters.omitted:
        text += f"; {number(clusters.omitted, 'finding')} more are not listed"
    return text


def _change(change: Change, width: int) -> list[Line]:
    one = change.cluster
    style = "error" if one.severity == "error" else "warning"
    first: Line = [
        (f"  {change.before:,} -> {change.after:,}  ", ""),
        (one.severity.upper(), style),
        (f" {one.category}: {one_line(one.cause)}", "title"),
        (f"  {one_line(one.fingerprint)}", "code"),
    ]
    room = width - 6
    texts = [crop(what(one), room), *_places(one, room)]
    return [first, *([("      " + text, "")] for text in texts if text)]


def _places(one: Cluster, room: int) -> list[str]:
    """In the code and in the log, in one line if both fit; the log can be opened."""
    code = where(one)
    log = f"{one_line(one.place.source)}:{one.place.line}" if one.place else ""
    text = ", ".join(part for part in (code, log) if part)
    return [text] if cells(text) <= room else [crop_start(code, room), log]


def _lines(diff: Diff, category: str, title: str, width: int) -> list[Line]:
    rows = [row for row in diff.lines if row.category == category]
    changed = [row for row in rows if row.before != row.after]
    if not changed:
        return []
    lines: list[Line] = [[], [(title, "title")]]
    for row in changed[:_ROWS]:
        lines.append([(f"  {_code(row)}: {row.before:,} -> {row.after:,}", "")])
        lines += _guards(row, width)
    lines += _more(len(changed), "line")
    left = len(rows) - len(changed)
    if left:
        lines.append([(f"  {number(left, 'line')} as before", "dim")])
    return lines


def _more(count: int, noun: str) -> list[Line]:
    """How many there are besides those listed."""
    left = count - _ROWS
    if left <= 0:
        return []
    return [[(f"  ... and {number(left, noun)} more: --format json", "dim")]]


def _code(row: LineChange) -> str:
    if row.file is None:
        return "(no frame of yours)"
    text = one_line(row.file)
    if row.line is not None:
        text += f":{row.line}"
    if row.function:
        text += f" in {one_line(row.function)}"
    if row.line_before not in (None, row.line):
        text += f" (was line {row.line_before})"
    return text


def _guards(row: LineChange, width: int) -> list[Line]:
    """Guards that fail and did not before; if there are none, those that did."""
    known = set(row.guards_before)
    guards = [guard for guard in row.guards_after if guard not in known]
    if not row.after:
        guards = list(row.guards_before)
    lines: list[Line] = [
        [("      guard: " + crop(one_line(guard), width - 13), "dim")]
        for guard in guards[:_GUARDS]
    ]
    left = len(guards) - _GUARDS
    if left > 0:
        lines.append([(f"      ... and {number(left, 'guard')} more", "dim")])
    return lines


def _counts(diff: Diff) -> list[Line]:
    changed = [
        f"{name.replace('_', ' ')} {before:,} -> {after:,}"
        for name, (before, after) in diff.counts.items()
        if before != after
    ]
    return [[], [("Counts: " + ", ".join(changed), "")]] if changed else []
