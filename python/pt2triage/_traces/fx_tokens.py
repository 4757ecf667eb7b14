"""Lines of a printed FX graph as tokens, and what a statement is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASS = re.compile(r"\s*class (.{1,200})\(torch\.nn\.Module\):")
_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)"
    # A text that does not end goes to the end of the line: looking for its end from
    # each quote would take the square of its length.
    r"|(?P<text>'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))"
    r"|(?P<comment>#.*)|(?P<space>\s+)|(?P<number>\d[\w.]*)|(?P<other>.)",
    re.DOTALL,
)
# Operators that an expression without a call is named after.
_OPERATORS = frozenset("+-*/@%<>=!&|^~[")


class Token(NamedTuple):
    kind: str
    text: str


def logical_lines(text: str) -> Iterator[str | list[Token]]:
    """Comments of whole lines and headings as text, statements as tokens."""
    depth = 0
    held: list[Token] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        if not held and (line.lstrip().startswith("#") or CLASS.match(line)):
            yield line
            continue
        for token in _tokens(line):
            if token.kind == "other":
                depth += (token.text in "([{") - (token.text in ")]}")
            held.append(token)
        if depth <= 0 or len(held) > 200_000:
            yield held
            held, depth = [], 0
    if held:
        yield held


def _tokens(line: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(line):
        kind = match.lastgroup or "other"
        if kind not in ("space", "comment"):
            yield Token(kind, match[0])


def split(line: list[Token]) -> list[list[Token]]:
    """The statements of a line: those between semicolons."""
    parts: list[list[Token]] = [[]]
    for token in line:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def is_release(part: list[Token]) -> bool:
    """`a = b = None`: the nodes are not needed any more."""
    return (
        len(part) > 2
        and part[-1].text == "None"
        and all(token.text == "=" for token in part[1::2])
        and all(token.kind == "name" for token in part[::2])
    )


def target(part: list[Token]) -> tuple[str | None, str, list[Token]]:
    """`name: "type" = value`; no name where it is another statement."""
    if len(part) > 2 and part[0].kind == "name":
        if part[1].text == "=" and part[2].text != "=":
            return part[0].text, "", part[2:]
        if part[1].text == ":" and len(part) > 4 and part[3].text == "=":
            return part[0].text, unquoted(part[2]), part[4:]
    return None, "", part


def declared(part: list[Token]) -> tuple[str, str] | None:
    if len(part) == 3 and part[1].text == ":" and part[2].kind == "text":
        return part[0].text, unquoted(part[2])
    return None


def flattened(part: list[Token]) -> list[str]:
    texts = [token.text for token in part]
    if "=" not in texts or "tree_flatten_spec" not in texts:
        return []
    end = texts.index("=")
    return [token.text for token in part[:end] if token.kind == "name"]


def unquoted(token: Token | None) -> str:
    return token.text[1:-1] if token and token.kind == "text" else ""


def operation_of(value: list[Token], known: dict[str, int]) -> str:
    """What an expression calls, or its operator."""
    words: list[str] = []
    for token in value:
        if token.text == "(" and words:
            return "".join(words)
        if token.kind == "name" and token.text in known and not words:
            continue  # x.sin(): the method
        if token.kind == "name" or token.text == ".":
            words.append(token.text)
            continue
        break
    for token in value:
        if token.text in _OPERATORS:
            return "getitem" if token.text == "[" else token.text
    return "".join(words) or "value"
