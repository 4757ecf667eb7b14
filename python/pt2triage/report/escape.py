"""Text from logs as Markdown, and as comments of Python, that does nothing.

Rendered on a code host, text of a log must not become markup, a link, a mention
of somebody or a reference to an issue. Code hosts leave code alone, so most of it
is shown as code; sentences have their marks escaped and their links broken by a
zero-width space.
"""

from __future__ import annotations

import re

from pt2triage.report.layout import crop
from pt2triage.report.safe import one_line, printable

_BREAK = "&#8203;"
# Columns of a value in a comment.
_COMMENT = 200

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"([\\`*\[\]|~$])"), r"\\\1"),
    # Within a word an underscore is only an underscore.
    (re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"), r"\\_"),
    (re.compile(r"&(?=[#\w])"), "&amp;"),
    (re.compile(r"<"), "&lt;"),
    (re.compile(r">"), "&gt;"),
    (re.compile(r"#(?=\d)"), f"#{_BREAK}"),  # before more breaks hold a # of theirs
    (re.compile(r"@"), f"@{_BREAK}"),
    (re.compile(r"\b(GH)-(?=\d)", re.IGNORECASE), rf"\1-{_BREAK}"),
    (re.compile(r"://"), f":{_BREAK}//"),
    (re.compile(r"\b(www)\.", re.IGNORECASE), rf"\1{_BREAK}."),
    # What would begin a heading or a list.
    (re.compile(r"^([#+\-=])"), r"\\\1"),
    (re.compile(r"^(\d+)([.)])(?=\s|$)"), r"\1\\\2"),
)

_RUN = re.compile(r"`+")
_ENTITIES = re.compile(r"[^A-Za-z0-9 ./:]")


def text(value: object) -> str:
    r"""`value` as a sentence of Markdown, on one line.

    >>> text("see @bob, *#12* at https://x.y")
    'see @&#8203;bob, \\*#&#8203;12\\* at https:&#8203;//x.y'
    """
    line = one_line(str(value))
    for pattern, replacement in _RULES:
        line = pattern.sub(replacement, line)
    return line


def code(value: object) -> str:
    """`value` as code of Markdown, on one line.

    >>> code("a `b` c")
    '``a `b` c``'
    """
    line = one_line(str(value))
    if not line:
        return "(empty)"
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(value: object) -> str:
    """`value` as code in a table, where a bar would end the cell.

    >>> cell("a|b")
    '<code>a&#124;b</code>'
    """
    line = one_line(str(value))
    if "|" not in line:
        return code(line)
    escaped = _ENTITIES.sub(lambda match: f"&#{ord(match[0])};", line)
    return f"<code>{escaped}</code>"


def fence(value: object, language: str = "text") -> str:
    """`value` as a block of code, within a fence that is in none of its lines."""
    block = printable(str(value)).strip("\n")
    ticks = "`" * max(_longest_run(block) + 1, 3)
    return f"{ticks}{language}\n{block}\n{ticks}"


def comment(value: object) -> str:
    r"""`value` for a comment of Python: a literal of ASCII on one line.

    >>> comment("a\nb")
    "'a\\nb'"
    """
    return ascii(crop(str(value), _COMMENT))


def ascii_line(value: object) -> str:
    """`value` as it is, or as a literal where it is not ASCII on one line."""
    line = str(value)
    return line if line.isascii() and line.isprintable() else ascii(line)


def _longest_run(value: str) -> int:
    return max(map(len, _RUN.findall(value)), default=0)
