"""Axes to draw into, and text from logs that is drawn as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.report.layout import crop
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# Inches: a figure's width, what it needs beside rows, and its greatest height.
_WIDTH = 8.5
_AROUND = 1.3
_TALLEST = 100.0


def new_axes(ax: Axes | None, rows: float) -> Axes:
    """`ax`, or the axes of a new figure with room for so many rows of text.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise ModuleNotFoundError(
            "Plots need matplotlib: pip install 'pt2triage[plot]'", name="matplotlib"
        ) from None
    if ax is None:
        from pt2triage.plot._figure import NotebookFigure

        height = min(_AROUND + max(rows, 3) * 0.22, _TALLEST)
        figure = NotebookFigure(figsize=(_WIDTH, height), layout="constrained")
        ax = figure.add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def figure_of(ax: Axes) -> Figure:
    """The whole figure, also of axes in a part of one."""
    return ax.figure.figure


def empty(ax: Axes, words: str) -> Figure:
    """Says that there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, words, ha="center", va="center", transform=ax.transAxes)
    return figure_of(ax)


def title(ax: Axes, words: str, note: str = "") -> None:
    """A heading, and what is not drawn or is to be known, in small letters."""
    ax.set_title(words, loc="left", fontweight="bold")
    if note:
        ax.set_xlabel(f"{ax.get_xlabel()}\n{note}".strip(), fontsize="small")
        as_it_is([ax.xaxis.label])


def y_labels(ax: Axes, labels: Iterable[str]) -> None:
    """A label for each row, the first one on top."""
    shown = list(labels)
    ax.set_yticks(range(len(shown)), labels=shown, fontsize="small")
    as_it_is(ax.get_yticklabels())
    ax.set_ylim(max(len(shown), 2) - 0.4, -0.6)  # one bar alone is no slab
    ax.tick_params(axis="y", length=0)


def legend(ax: Axes, colours: Mapping[str, str]) -> None:
    """What the colours mean, to the right of the axes."""
    from matplotlib.patches import Patch

    made = ax.legend(
        handles=[Patch(color=colour) for colour in colours.values()],
        labels=[clean(name, 40) for name in colours],
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
    )
    as_it_is(made.get_texts())


def as_it_is(texts: Iterable[Text]) -> None:
    """No formulas: a dollar sign is one."""
    for text in texts:
        text.set_parse_math(False)
        text.set_usetex(False)


def clean(text: str, columns: int) -> str:
    r"""`text` on one line, cut, with escapes for what the fonts have not.

    >>> clean("a\x1b[31m\nb", 80)
    'a\\x1b[31m b'
    """
    line = crop(one_line(text[: columns * 8]), columns)
    if line.isascii():
        return line
    return "".join(
        char if char.isascii() or _is_drawable(char) else f"\\u{ord(char):04x}"
        for char in line
    )


def _is_drawable(char: str) -> bool:
    """Whether one of the fonts that are set has a glyph: else a box is drawn."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return any(
        get_font(findfont(FontProperties(family=[family]))).get_char_index(ord(char))
        for family in FontProperties().get_family()
    )
