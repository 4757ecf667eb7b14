"""Recompiles by the guard that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.plot._axes import clean, empty, figure_of, new_axes, title
from pt2triage.plot._bars import Bar, draw_bars, omitted
from pt2triage.plot._places import Shortener

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage._core import Finding, GuardFailure, StackFrame
    from pt2triage._report import Report

_COLUMNS = 44
_LIMIT = "limit-reached"


class _Guard(NamedTuple):
    """What is guarded, in which function."""

    source: str
    file: str
    function: str


def recompiles_by_guard(report: Report, top: int, ax: Axes | None) -> Figure:
    """Bars of the `top` guards that failed in the most recompiles."""
    bars = _bars(report, top)
    shown = bars[:top]
    ax = new_axes(ax, 2.2 * len(shown))
    if not shown:
        return empty(ax, "No recompiles")
    draw_bars(ax, shown)
    ax.set_xlabel("recompiles in which the guard failed", fontsize="small")
    total = report.counts.recompiles
    words = f"{total:,} recompile{'s' * (total != 1)} by guard"
    title(ax, words, omitted(bars, shown, "guard"))
    return figure_of(ax)


def _bars(report: Report, top: int) -> list[Bar]:
    parts: dict[_Guard, dict[str, int]] = {}
    frames: dict[_Guard, StackFrame | None] = {}
    limits: set[_Guard] = set()
    for finding in report.findings:
        if finding.category != "recompilation":
            continue
        for key, cause, times in _guards(finding):
            frames.setdefault(key, finding.user_frame)
            if finding.cause == _LIMIT:  # it did not compile again: it gave up
                limits.add(key)
                continue
            causes = parts.setdefault(key, {})
            causes[cause] = causes.get(cause, 0) + times
    ranked = sorted(parts, key=lambda key: -sum(parts[key].values()))
    shorten = Shortener(frame.file for key in ranked[:top] if (frame := frames[key]))
    return [
        Bar(
            f"{clean(key.source, _COLUMNS)}\n"
            f"{clean(shorten.place(frames[key]), _COLUMNS)}",
            parts[key],
            "recompile limit reached" if key in limits else "",
        )
        for key in ranked
    ]


def _guards(finding: Finding) -> list[tuple[_Guard, str, int]]:
    """Each guard of a finding, its cause, and in how many recompiles it failed.

    One recompile names the guards of every entry of the cache, so that the same guard
    may fail in it several times.
    """
    frame = finding.user_frame
    home = (frame.file, frame.function or "") if frame else ("", "")
    found: dict[tuple[_Guard, str], int] = {}
    for guard in finding.guard_failures:
        key = (_Guard(_name(guard), *home), guard.cause)
        found[key] = found.get(key, 0) + 1
    if not found:
        found[_Guard("(guard not known)", *home), finding.cause] = finding.count
    return [(*key, min(times, finding.count)) for key, times in found.items()]


def _name(guard: GuardFailure) -> str:
    return guard.source or guard.guard
