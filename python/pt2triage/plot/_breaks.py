"""Graph breaks by the line at which they happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.plot._axes import clean, empty, figure_of, new_axes, title
from pt2triage.plot._bars import Bar, draw_bars, omitted
from pt2triage.plot._places import Shortener

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage._core import StackFrame
    from pt2triage._report import Report

_COLUMNS = 44


def breaks_by_line(report: Report, top: int, ax: Axes | None) -> Figure:
    """Bars of the `top` lines with the most graph breaks."""
    bars, folder = _bars(report, top)
    shown = bars[:top]
    ax = new_axes(ax, 1.5 * len(shown))
    if not shown:
        return empty(ax, "No graph breaks")
    draw_bars(ax, shown)
    ax.set_xlabel("graph breaks", fontsize="small")
    total = sum(bar.total for bar in bars)
    words = f"{total:,} graph break{'s' * (total != 1)} by line"
    notes = [omitted(bars, shown, "line"), f"files below {folder}" if folder else ""]
    title(ax, words, "; ".join(filter(None, notes)))
    return figure_of(ax)


def _bars(report: Report, top: int) -> tuple[list[Bar], str]:
    parts: dict[tuple[object, ...], dict[str, int]] = {}
    frames: dict[tuple[object, ...], StackFrame | None] = {}
    for finding in report.findings:
        if finding.category == "graph_break":
            frame = finding.user_frame
            key = (frame.file, frame.line, frame.function) if frame else ()
            frames.setdefault(key, frame)
            causes = parts.setdefault(key, {})
            causes[finding.cause] = causes.get(finding.cause, 0) + finding.count
    ranked = sorted(parts, key=lambda key: -sum(parts[key].values()))
    drawn = [frame.file for key in ranked[:top] if (frame := frames[key])]
    shorten = Shortener(drawn)
    bars = [
        Bar(
            clean(shorten.place(frames[key]), _COLUMNS),
            parts[key],
            (frame.code or "") if (frame := frames[key]) else "",
        )
        for key in ranked
    ]
    return bars, clean(shorten.folder, 60)
