"""A comparison of two runs' traces as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.report.layout import Line, crop, crop_start, pad
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import number
from pt2triage.report.trace_artifacts_text import ROWS, artifact_lines, group, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage._traces.diff import TraceDiff
    from pt2triage._traces.events import CacheChange, EventChange
    from pt2triage._traces.line_up import CompilePair

_PHASES = {
    "duration": "all compiles",
    "dynamo": "Dynamo and within",
    "aot": "backend and within",
    "inductor": "Inductor and within",
    "codegen": "code generation",
    "triton": "Triton",
    "backward": "backward",
    "restart": "lost to restarts",
}


def render_trace_diff(diff: TraceDiff, *, width: int = 100) -> list[Line]:
    """What changed, the compiles first; all of it is safe to print."""
    width = max(width, 60)
    lines: list[Line] = [[("traces", "title"), (f": {_heading(diff)}", "")]]
    before, after = diff.torch
    if before != after:
        told = f"  PyTorch {before or 'unknown'} -> {after or 'unknown'}"
        lines.append([(one_line(told), "")])
    for name, why in diff.unread[:ROWS]:
        text = f"  could not be read: {one_line(name)}: {one_line(why)}"
        lines.append([(crop(text, width), "warning")])
    lines += _pairs("new compiles", diff.new, width)
    lines += _pairs("compiles that are gone", diff.gone, width)
    lines += _outcomes(diff.outcomes)
    lines += _events("graph breaks", diff.graph_breaks, width)
    lines += _events("recompiles", diff.recompiles, width)
    lines += _cache(diff)
    lines += artifact_lines(diff, width)
    return lines + _times(diff)


def _heading(diff: TraceDiff) -> str:
    both = len(diff.pairs) - len(diff.new) - len(diff.gone)
    text = f"{number(both, 'compile')} in both runs"
    if not diff:
        text += ", nothing changed"
    return text


def _pairs(title: str, pairs: Sequence[CompilePair], width: int) -> list[Line]:
    def row(pair: CompilePair) -> list[Line]:
        one = pair.after or pair.before
        text = f"  {named(pair.name)}"
        if one is not None:
            place = one_line(one.file or "")
            text += f"  {one_line(one.compile_id or '')}"
            if place:
                room = max(width - len(text) - 12, 20)
                text += f"  {crop_start(place, room)}:{one.line}"
        return [[(text, "")]]

    return group(title, [row(pair) for pair in pairs])


def _outcomes(pairs: Iterable[CompilePair]) -> list[Line]:
    rows: list[list[Line]] = []
    for pair in pairs:
        if pair.before and pair.after:
            style = "error" if pair.after.outcome == "failed" else ""
            text = (
                f"  {named(pair.name)}: {pair.before.outcome} -> {pair.after.outcome}"
            )
            rows.append([[(text, style)]])
    return group("compiles that end otherwise", rows)


def _events(title: str, changes: Sequence[EventChange], width: int) -> list[Line]:
    def row(one: EventChange) -> list[Line]:
        style = "error" if one.after > one.before else "good"
        word = "new" if not one.before else "gone" if not one.after else ""
        head: Line = [(f"  {one.before:,} -> {one.after:,} ", "")]
        if word:
            head.append((f"{word} ", style))
        head.append((f"in {named(one.name)}", ""))
        if one.file is not None:
            place = f"{crop_start(one_line(one.file), width // 2)}:{one.line}"
            head.append((f" ({place})", ""))
        return [head, [("      " + crop(one_line(one.text), width - 6), "")]]

    return group(title, [row(one) for one in changes])


def _cache(diff: TraceDiff) -> list[Line]:
    counts = [
        f"{outcome} {before:,} -> {after:,}"
        for outcome, (before, after) in diff.cache_counts.items()
        if before != after
    ]

    def row(one: CacheChange) -> list[Line]:
        told = f"{one.before or 'no lookup'} -> {one.after or 'no lookup'}"
        return [[(f"  {named(one.name)}: {one.cache} {told}", "")]]

    lines = group("caches", [row(one) for one in diff.cache])
    if counts:
        lines += [[], [("cache lookups: " + ", ".join(counts), "")]]
    return lines


def _times(diff: TraceDiff) -> list[Line]:
    rows = [
        (_PHASES[phase], before, after)
        for phase, (before, after) in diff.times.items()
        if before is not None or after is not None
    ]
    if not rows:
        return []
    lines: list[Line] = [[], [("compile time", "title")]]
    for title, before, after in rows:
        text = f"  {pad(title, 22)}{_seconds(before):>12} -> {_seconds(after):>12}"
        if before and after:
            text += f"  {(after - before) / before:+.0%}"
        lines.append([(text, "")])
    return lines


def _seconds(us: int | None) -> str:
    return "-" if us is None else f"{us / 1e6:,.3f} s"
