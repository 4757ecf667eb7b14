"""Horizontal bars of parts, the longest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.plot._axes import as_it_is, clean, legend, y_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

# Told apart by colour-blind eyes, seen on white and on black.
_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#B8A832",
)
_REST = "#999999"
_NOTE = 44


class Bar(NamedTuple):
    """One bar.

    Attributes:
        label: Its name; it may have several lines, each of which is clean.
        parts: The length of each kind in it.
        note: Text from a log to show behind it.
    """

    label: str
    parts: Mapping[str, int]
    note: str = ""

    @property
    def total(self) -> int:
        return sum(self.parts.values())


def colours_of(bars: Sequence[Bar]) -> dict[str, str]:
    """A colour for each kind, the most frequent first; the rarest share one."""
    totals: dict[str, int] = {}
    for bar in bars:
        for kind, length in bar.parts.items():
            totals[kind] = totals.get(kind, 0) + length
    ranked = sorted(totals, key=lambda kind: (-totals[kind], kind))
    return {
        kind: _COLOURS[index] if index < len(_COLOURS) else _REST
        for index, kind in enumerate(ranked)
    }


def draw_bars(ax: Axes, bars: Sequence[Bar]) -> None:
    """The bars from top to bottom, with how long they are and their notes."""
    colours = colours_of(bars)
    for row, bar in enumerate(bars):
        left = 0
        for kind in colours:
            if length := bar.parts.get(kind, 0):
                ax.barh(row, length, left=left, height=0.7, color=colours[kind])
                left += length
        words = f" {bar.total:,}  {clean(bar.note, _NOTE)}".rstrip()
        text = ax.text(bar.total, row, words, va="center", fontsize="small")
        as_it_is([text])
    y_labels(ax, [bar.label for bar in bars])
    # Room for the notes, which stand behind the bars.
    longest = max(bar.total for bar in bars)
    ax.set_xlim(0, longest * (2.4 if any(bar.note for bar in bars) else 1.1))
    whole = [tick for tick in ax.get_xticks() if tick == int(tick) and tick <= longest]
    ax.set_xticks(whole)
    legend(ax, colours)


def omitted(bars: Sequence[Bar], shown: Sequence[Bar], noun: str) -> str:
    """How much is not drawn."""
    left = len(bars) - len(shown)
    if not left:
        return ""
    events = sum(bar.total for bar in bars) - sum(bar.total for bar in shown)
    return f"{left:,} more {noun}{'s' * (left != 1)} with {events:,} are not shown"
