"""Tables of text, as wide as what is in them."""

from __future__ import annotations

from pt2triage.report.layout import Line, cells, crop, crop_start, pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = 2


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    styles: Sequence[str] = (),
    numbers: Sequence[int] = (),
    paths: Sequence[int] = (),
) -> list[Line]:
    """Rows under a head; the widest columns are cut until all fit.

    Args:
        head: Names of the columns.
        rows: Texts that are safe to print, on one line each.
        width: Columns of the terminal.
        styles: A style for each column.
        numbers: Columns that are set to the right.
        paths: Columns that lose their beginning, not their end.
    """
    sizes = [
        max([cells(name), *(cells(row[i]) for row in rows)])
        for i, name in enumerate(head)
    ]
    room = width - _GAP * (len(head) - 1)
    while sum(sizes) > room and max(sizes) > 12:
        widest = sizes.index(max(sizes))
        second = max([12, *(s for i, s in enumerate(sizes) if i != widest)])
        least = max(second - 1, 12)
        sizes[widest] = max(least, sizes[widest] - (sum(sizes) - room))
    lines: list[Line] = [_line(head, sizes, ["dim"] * len(head), numbers, ())]
    style = [*styles, *([""] * (len(head) - len(styles)))]
    lines += [_line(row, sizes, style, numbers, paths) for row in rows]
    return lines


def _line(
    row: Sequence[str],
    sizes: Sequence[int],
    styles: Sequence[str],
    numbers: Sequence[int],
    paths: Sequence[int],
) -> Line:
    line: Line = []
    for i, (text, size) in enumerate(zip(row, sizes, strict=True)):
        cut = crop_start(text, size) if i in paths else crop(text, size)
        set_to = " " * (size - cells(cut)) + cut if i in numbers else pad(cut, size)
        gap = " " * _GAP if i + 1 < len(row) else ""
        line.append((set_to + gap, styles[i]))
    return line
