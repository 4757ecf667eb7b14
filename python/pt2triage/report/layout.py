"""Lines of styled text, wrapped to a width."""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

# Parts of one line: text and the name of its style ("" for none).
Line: TypeAlias = list[tuple[str, str]]

_LONGEST_WORD = 300


def cells(text: str) -> int:
    """Columns that `text` takes on a terminal.

    >>> cells("abc"), cells("漢字")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_cells_of(char) for char in text)


def wrap(text: str, width: int, hang: int = 0) -> list[str]:
    """The words of one line in lines of at most `width` columns.

    Leading spaces stay, and stand before each line with `hang` more. A word
    that is too long, such as a path, has a line of its own and is not cut, so
    that it can be copied; only an endless one is.

    >>> wrap("one two three", 8)
    ['one two', 'three']
    >>> wrap("  one two three", 10, hang=2)
    ['  one two', '    three']
    """
    width = max(width, 10)
    if cells(text) <= width:
        return [text]
    indent = " " * min(len(text) - len(text.lstrip(" ")), width // 2)
    lines: list[str] = []
    current = indent
    for word in text.split():
        joined = f"{current} {word}" if current.strip() else current + word
        if cells(joined) <= width:
            current = joined
            continue
        if current.strip():
            lines.append(current)
            current = indent + " " * hang
        current += word
        while cells(current) > max(width, _LONGEST_WORD):
            head = crop(current, width, mark="")
            lines.append(head)
            current = current[len(head) :]
    return [*lines, current]


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


def crop_start(text: str, width: int, mark: str = "...") -> str:
    """The end of `text`, with a mark where the rest was.

    >>> crop_start("/home/dev/model.py:7", 14)
    '.../model.py:7'
    """
    if cells(text) <= width:
        return text
    return mark + crop(text[::-1], width - len(mark), mark="")[::-1]


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
