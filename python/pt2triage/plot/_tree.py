"""Compile ids as a tree: compiled autograd, frames, recompiles, attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.plot._axes import (
    as_it_is,
    clean,
    empty,
    figure_of,
    new_axes,
    title,
    y_labels,
)
from pt2triage.plot._compiles import OUTCOMES, by_process, outcome_of, process_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage.plot._compiles import Compile

# Rows and recompiles of a frame that are drawn; dots for the attempts of a compile.
_ROWS = 80
_COLUMNS = 16
_ATTEMPTS = 4
_STEP = 0.14
# Where the axes begin, and how far apart the trunks of the tree are.
_LEFT = -1.0
_TRUNKS = 0.14
_LINE = "#999999"


class _Row(NamedTuple):
    """A frame with its compiles, or the heading of the rows below it.

    Attributes:
        label: The frame, or the heading.
        depth: How many headings it is below.
        compiles: The compiles of the frame; empty for a heading.
    """

    label: str
    depth: int
    compiles: Sequence[Compile] = ()


def compile_ids(compiles: Sequence[Compile], ax: Axes | None) -> Figure:
    """A row for each frame, with its compiles from left to right."""
    rows = list(_rows(compiles))
    shown = rows[:_ROWS]
    ax = new_axes(ax, 1.7 * len(shown))
    if not shown:
        return empty(ax, "No compiles")
    for number, row in enumerate(shown):
        if row.compiles:
            _draw_frame(ax, number, row)
        else:
            _draw_heading(ax, number, shown)
    y_labels(ax, [clean(row.label, 52) if row.compiles else "" for row in shown])
    width = max((len(row.compiles[:_COLUMNS]) for row in shown), default=1)
    ax.set_xlim(_LEFT, max(width, 3) - 0.3)
    ax.set_xticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    _legend(ax, {outcome_of(one) for row in shown for one in row.compiles})
    note = "small dots: attempts before; to the right: recompiles of the frame"
    if len(rows) > len(shown):
        note += f"; {len(rows) - len(shown):,} more rows are not shown"
    words = f"{len(compiles):,} compile{'s' * (len(compiles) != 1)} by frame"
    title(ax, words, note)
    return figure_of(ax)


def _rows(compiles: Sequence[Compile]) -> Iterator[_Row]:
    """The tree from top to bottom; a level that has one branch is left out."""
    groups = by_process(compiles)
    names = process_names(groups)
    for key, group in groups.items():
        depth = 0
        if len(groups) > 1:
            yield _Row(names[key], depth)
            depth = 1
        autograd: dict[int | None, list[Compile]] = {}
        for one in group:
            autograd.setdefault(one.compiled_autograd_id, []).append(one)
        for number, part in autograd.items():
            if number is None:
                yield from _frames(part, depth)
            else:
                yield _Row(f"compiled autograd !{number}", depth)
                yield from _frames(part, depth + 1)


def _frames(compiles: Sequence[Compile], depth: int) -> Iterator[_Row]:
    frames: dict[int | None, list[Compile]] = {}
    for one in compiles:
        frames.setdefault(one.frame_id, []).append(one)
    for number, group in frames.items():
        name = f"frame {number}" if number is not None else "(no frame)"
        group.sort(key=lambda one: one.frame_compile_id or 0)
        place = _place(group[0])
        yield _Row(f"{name}: {place}" if place else name, depth, group)


def _place(one: Compile) -> str:
    """`function (file.py:12)`, as far as it is known."""
    file = one.file.replace("\\", "/").rpartition("/")[2]
    where = f"{file}:{one.line}" if file and one.line is not None else file
    function = clean(one.function, 24)
    return f"{function} ({clean(where, 24)})" if where else function


def _draw_heading(ax: Axes, y: int, rows: Sequence[_Row]) -> None:
    """The heading, and a trunk with a branch to each row that is right below it."""
    depth = rows[y].depth
    x = _LEFT + 0.06 + _TRUNKS * depth
    text = ax.text(x - 0.04, y, clean(rows[y].label, 60), va="center")
    text.set(fontsize="small", fontweight="bold")
    as_it_is([text])
    last = y
    for below in range(y + 1, len(rows)):
        if rows[below].depth <= depth:
            break
        if rows[below].depth == depth + 1:
            last = below
            end = 0.0 if rows[below].compiles else x + _TRUNKS * 0.6
            ax.plot([x, end], [below, below], color=_LINE, linewidth=1.0, zorder=1)
    if last > y:
        ax.plot([x, x], [y + 0.4, last], color=_LINE, linewidth=1.0, zorder=1)


def _draw_frame(ax: Axes, y: int, row: _Row) -> None:
    drawn = row.compiles[:_COLUMNS]
    first = -_STEP * _dots(drawn[0])
    ax.plot([first, len(drawn) - 1], [y, y], color=_LINE, linewidth=1.2, zorder=1)
    for x, one in enumerate(drawn):
        colour, marker = OUTCOMES[outcome_of(one)]
        before = [x - _STEP * (1 + number) for number in range(_dots(one))]
        ax.scatter(before, [y] * len(before), s=14, color=OUTCOMES["restarted"][0])
        ax.scatter([x], [y], s=80, color=colour, marker=marker, zorder=2)
        text = ax.text(x, y + 0.42, clean(_label(one), 18), ha="center", va="center")
        text.set_fontsize("x-small")
        as_it_is([text])
    if len(row.compiles) > len(drawn):
        more = f"+{len(row.compiles) - len(drawn):,}"
        ax.text(len(drawn) - 0.7, y, more, va="center", fontsize="small")


def _label(one: Compile) -> str:
    """The id; the number of attempts too, where the dots do not say it."""
    more = one.attempts - 1 > _ATTEMPTS
    return f"{one.compile_id} x{one.attempts}" if more else one.compile_id


def _dots(one: Compile) -> int:
    return min(max(one.attempts - 1, 0), _ATTEMPTS)


def _legend(ax: Axes, used: set[str]) -> None:
    from matplotlib.lines import Line2D

    names = [name for name in OUTCOMES if name in used]
    ax.legend(
        handles=[
            Line2D([], [], color=colour, marker=marker, linestyle="", markersize=8)
            for colour, marker in map(OUTCOMES.__getitem__, names)
        ],
        labels=names,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
    )
