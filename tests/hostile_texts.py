"""Texts that would do something on a page, and what a page is built of."""

from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

HOSTILE = (
    "| a | b |\n| --- | --- |\n| c | d |",
    "<script>alert(1)</script><img src=x onerror=y>",
    "<!-- hidden -->&lt;b&gt;&#64;",
    "[link](https://evil.example/) ![image](//evil.example/x.png)",
    "see https://evil.example and www.evil.example, mail a@b.example",
    "@somebody and @org/team, #123 GH-123 org/repo#123",
    "``` \n```python\nimport os\n~~~~~~~~\n````",
    "`a` ``b`` ```c``` ````",
    "`",
    "\\` \\| \\",
    "# heading\n## another\n- list\n1. list\n> quote\n---\n===",
    "***bold*** __bold__ _it_ ~~gone~~ $x$ $$y$$",
    "[x] [ ] [^1] [ref]: https://evil.example",
    "\x1b[31mred\x07\x00 \u202eevil \u200b",
    "{{ 7 * 7 }} {% include '/etc/passwd' %}",
    "  leading\n\n\ntrailing  ",
    "-",
    "1.",
    "=",
)


def rendered(text: str) -> list[Token]:
    """All tokens, as a code host parses them."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    return list(walk(parser.parse(text)))


def walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk(token.children or [])


def shape(text: str) -> list[str]:
    """What is built of it, but for text: headings, lists, tables, emphasis."""
    dull = ("text", "softbreak", "code_inline", "html_inline", "text_special")
    return [token.type for token in rendered(text) if token.type not in dull]


def hostile(text: str, **more: Any) -> dict[str, Any]:
    """A finding whose every text is `text`."""
    return {
        "cause": "scalar-value",
        "exception": text,
        "exception_chain": [{"type": text, "message": text}] * 2,
        "message": text,
        "reason": text,
        "explanation": text,
        "hints": [text],
        "graph_break_id": text,
        "guard_failures": [
            {
                "compile_id": text,
                "guard": text,
                "cause": text,
                "source": text,
                "expected": text,
                "actual": text,
                "user_code": text,
            }
        ],
        "user_frame": {"file": text, "line": 1, "function": text, "code": text},
        "raised_at": {"file": text, "line": 1, "function": text, "code": text},
        "compile_id": text,
        "backend": text,
        "test_id": text,
        "job": text,
        "remedy": [{"action": text, "command": text}],
        "next_command": text,
        "evidence": [{"source": text, "line": 1, "offset": 0, "length": 1}],
    } | more
