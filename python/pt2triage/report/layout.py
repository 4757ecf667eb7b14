"""Lines of styled text, wrapped to a width."""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

# Parts of one line: text and the name of its style ("" for none).
Line: TypeAlias = list[tuple[str, str]]


def cells(text: str) -> int:
    """Columns that `text` takes on a terminal.

    >>> cells("abc"), cells("漢字")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_cells_of(char) for char in text)


def wrap(text: str, width: int) -> list[str]:
    """The words of one line in lines of at most `width` columns.

    Words longer than the width are cut. Leading spaces stay.

    >>> wrap("one two three", 8)
    ['one two', 'three']
    """
    width = max(width, 10)
    if cells(text) <= width:
        return [text]
    indent = len(text) - len(text.lstrip(" "))
    current = " " * min(indent, width // 2)
    fresh = True  # nothing but the indent on this line yet
    lines: list[str] = []
    for word in text.split():
        joined = current + word if fresh else f"{current} {word}"
        if cells(joined) <= width:
            current, fresh = joined, False
            continue
        if not fresh:
            lines.append(current)
            current = ""
        rest = current + word
        while cells(rest) > width:
            head = crop(rest, width, mark="")
            lines.append(head)
            rest = rest[len(head) :]
        current, fresh = rest, False
    lines.append(current)
    return lines


def crop(text: str, width: int, mark: str = "...") -> str:
    """`text` cut to `width` columns, with a mark where it was cut."""
    if cells(text) <= width:
        return text
    room = max(width - len(mark), 0)
    kept = 0
    for index, char in enumerate(text):
        kept += _cells_of(char)
        if kept > room:
            return text[: max(index, 0 if mark else 1)] + mark
    return text


def pad(text: str, width: int) -> str:
    """`text` filled with spaces to `width` columns."""
    return text + " " * max(width - cells(text), 0)


def plain(lines: list[Line]) -> str:
    """The lines without their styles."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def _cells_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
