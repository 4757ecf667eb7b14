"""The compiles of each process over time."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from pt2triage.plot._axes import (
    as_it_is,
    clean,
    empty,
    figure_of,
    legend,
    new_axes,
    title,
    y_labels,
)
from pt2triage.plot._compiles import OUTCOMES, by_process, outcome_of, process_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage.plot._compiles import Compile

# Rows that are drawn: a process has one, or more where compiles overlap.
_ROWS = 128
_FEW = 16  # rows that can be tall
_SECOND = 1e6
# A bar of so large a part of the axes can bear a text of one character.
_CHARACTER = 0.011
_LABEL = 60


def timeline(compiles: Sequence[Compile], ax: Axes | None) -> Figure:
    """Bars from the start of each compile to its end."""
    timed = [one for one in compiles if one.start_us is not None]
    groups = by_process(timed)
    names = process_names(groups)
    rows: list[tuple[str, list[Compile]]] = []
    for key, group in groups.items():
        for index, lane in enumerate(_lanes(group)):
            rows.append(("" if index else clean(names[key], 28), lane))
    shown = rows[:_ROWS]
    ax = new_axes(ax, len(shown) * (2 if len(shown) <= _FEW else 1))
    if not shown:
        return empty(ax, "No compiles with a known time")
    begin = min(_start(one) for one in timed)
    whole = max(_end(one) for one in timed) - begin
    for row, (_, lane) in enumerate(shown):
        _draw_lane(ax, row, lane, begin, whole)
    y_labels(ax, [name for name, _ in shown])
    ax.set_xlim(0, max(whole, 1) * 1.02 / _SECOND)
    ax.set_xlabel("seconds since the first compile", fontsize="small")
    used = {outcome_of(one) for _, lane in shown for one in lane}
    legend(ax, {name: OUTCOMES[name][0] for name in OUTCOMES if name in used})
    words = f"{len(timed):,} compile{'s' * (len(timed) != 1)} over time"
    title(ax, words, _note(len(compiles) - len(timed), len(rows) - len(shown)))
    return figure_of(ax)


def _lanes(compiles: Sequence[Compile]) -> list[list[Compile]]:
    """The compiles in as few rows as hold them without an overlap."""
    lanes: list[list[Compile]] = []
    ends: list[tuple[int, int]] = []  # a heap: when each lane is free
    for one in sorted(compiles, key=_start):
        if ends and ends[0][0] <= _start(one):
            _, index = heapq.heappop(ends)
        else:
            index = len(lanes)
            lanes.append([])
        lanes[index].append(one)
        heapq.heappush(ends, (_end(one), index))
    return lanes


def _draw_lane(
    ax: Axes, row: int, lane: Sequence[Compile], begin: int, whole: int
) -> None:
    for name, (colour, marker) in OUTCOMES.items():
        group = [one for one in lane if outcome_of(one) == name]
        bars = [
            ((_start(one) - begin) / _SECOND, (one.duration_us or 0) / _SECOND)
            for one in group
        ]
        # The edge keeps short compiles in sight, and long ones apart.
        ax.broken_barh(
            bars, (row - 0.35, 0.7), facecolors=colour, edgecolors=colour, linewidth=0.8
        )
        # The end of these is not known.
        starts = [x for (x, width), one in zip(bars, group, strict=True) if not width]
        ax.plot(starts, [row] * len(starts), marker, color=colour, markersize=6)
    for one in lane:
        _write(ax, row, one, begin, whole)


def _write(ax: Axes, row: int, one: Compile, begin: int, whole: int) -> None:
    """The compile's id and function, as far as its bar has room."""
    room = int((one.duration_us or 0) / max(whole, 1) / _CHARACTER)
    room = min(room, _LABEL)
    words = next(
        (
            words
            for words in (f"{one.compile_id} {one.function}", one.compile_id)
            if len(words) <= room
        ),
        "",
    )
    if words:
        x = (_start(one) - begin + (one.duration_us or 0) / 2) / _SECOND
        text = ax.text(x, row, clean(words, room), ha="center", va="center")
        text.set(color="black", fontsize="x-small")
        as_it_is([text])


def _note(untimed: int, rows: int) -> str:
    notes = []
    if untimed:
        notes.append(f"{untimed:,} without a time are not shown")
    if rows:
        notes.append(f"{rows:,} more rows are not shown")
    return "; ".join(notes)


def _start(one: Compile) -> int:
    return one.start_us or 0


def _end(one: Compile) -> int:
    return _start(one) + (one.duration_us or 0)
