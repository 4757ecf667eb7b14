"""Texts without source code, as a table of what code looks like in them."""

from __future__ import annotations

import re
from typing import NamedTuple

LEFT_OUT = "(code left out)"


class Cut(NamedTuple):
    """A part of a line that is code.

    Attributes:
        name: What it is.
        pattern: The line.
        shown: What is left of it.
        sample: Such a line; it has the word `HIDDEN` where the code is.
    """

    name: str
    pattern: re.Pattern[str]
    shown: str
    sample: str


CUTS: tuple[Cut, ...] = (
    Cut(
        "where a tensor comes from",
        re.compile(r"(File \"[^\"\n]*\", line \d+.*?, code: ).+"),
        rf"\1{LEFT_OUT}",
        'File "a.py", line 9, in f, code: if HIDDEN > 0:',
    ),
    Cut(
        "where a guard comes from",
        re.compile(r"(?<=\S)\s+# .{1,400}?(?<=\S)(\s+# \S+:\d+ in )"),
        r"\1",
        "- 0/0: n == 3  # if HIDDEN == 3:  # a.py:14 in f",
    ),
    Cut(
        "the line that needs a value",
        re.compile(r"(Caused by: )(?!\().+?(?=\s+# |$)"),
        rf"\1{LEFT_OUT}",
        "Caused by: if HIDDEN > 3: return x  # a.py:9 in f (b.py:1 in g)",
    ),
    Cut(
        "an expression and its line",
        re.compile(
            r"^(\s*)(?!\s|.*Caused by: |- |\d+/\d+|#).+?(?<=\S)(\s+# \S+:\d+ in )"
        ),
        rf"\1{LEFT_OUT}\2",
        "    assert HIDDEN == 3  # a.py:14 in f",
    ),
)

# What begins lines of code: the rows of compilers and of bytecode are whole.
_FRAME = re.compile(r"^(\s*)(?:# )?File \"[^\"]*\", line \d+")
_ROW = re.compile(r"^\s*(?:-+>|>)?\s*(?:\d+\s*\||\|(?!\s*$))")
_MARKS = re.compile(r"^\s*[\^~][\s\^~]*$")
_BYTECODE = re.compile(
    r"^\s*(?:TRACE |(?:>>|-->)?\s*(?:\d+\s+)?\d+\s+(?=[A-Z_]{4,}\b))[A-Z][A-Z_]{3,}\b"
)
_BLOCK = re.compile(r"^(\s*)(?:(?:async\s+)?def\s+\w+\s*\(|class\s+\w+.*:\s*$|@\w)")
_NODE = re.compile(r"^\s*%?\w+ = \S+\(.*")  # of a graph, behind its line of code
_KERNEL = re.compile(r"^\s*at \d+:\d+:\s*$")


def without_code(text: str) -> str:
    """`text` without the lines, and the parts of lines, that are code."""
    if "#" in text or "code: " in text or "Caused by: " in text:
        text = "\n".join(map(_cut, text.split("\n")))
    return _without_lines(text) if "\n" in text else text


def without_known(text: str, code: str) -> str:
    """`text` without a line that is known to be code.

    A short one may be a word of a sentence: then it goes where it is a whole line.
    """
    if len(code) < 4 or code not in text:
        return text
    lines = [LEFT_OUT if line.strip() == code else line for line in text.split("\n")]
    text = "\n".join(lines)
    return text.replace(code, LEFT_OUT) if " " in code and len(code) >= 10 else text


def _cut(line: str) -> str:
    for cut in CUTS:
        line = cut.pattern.sub(cut.shown, line)
    return line


def _without_lines(text: str) -> str:
    lines = text.split("\n")
    ends = [index for index, line in enumerate(lines) if _MARKS.match(line)]
    kept: list[str] = []
    below: int | None = None  # code is what is indented more than this
    kernel_end = -1
    in_block = False
    for index, line in enumerate(lines):
        frame = _FRAME.match(line)
        is_below = below is not None and _indent(line) > below and not frame
        is_blank = not line.strip()
        if index <= kernel_end or (in_block if is_blank else is_below):
            continue
        if _NODE.match(line) and kept and kept[-1].endswith(LEFT_OUT):
            continue
        if _KERNEL.match(line):
            kernel_end = next((end for end in ends if end > index), -1)
        block = None if frame else _BLOCK.match(line)
        in_block = block is not None
        if not is_blank:
            begun = frame or block
            below = len(begun[1]) if begun else None
        if not (in_block or _is_code(line)):
            kept.append(line)
    return "\n".join(kept)


def _is_code(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_ROW, _MARKS, _BYTECODE))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
