"""Text from logs made safe to print."""

from __future__ import annotations

_CONTROLS = (*range(32), *range(127, 160))
# What hides in text or turns its direction: zero-width and bidirectional marks.
_TRICKY = (
    0x200B,
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),
    0x2060,
    *range(0x2066, 0x206A),
    0xFEFF,
)
_SURROGATES = range(0xD800, 0xE000)

_escapes: dict[int, str] = {}  # filled when first needed


def printable(text: str) -> str:
    r"""`text` with escapes for what a terminal would act upon; newlines stay.

    >>> print(printable("\x1b[31mred\x07"))
    \x1b[31mred\x07
    """
    if text.isascii() and text.isprintable():
        return text
    if not _escapes:
        _escapes.update({code: f"\\u{code:04x}" for code in (*_TRICKY, *_SURROGATES)})
        _escapes.update({code: f"\\x{code:02x}" for code in _CONTROLS})
        _escapes[ord("\t")] = "    "
        del _escapes[ord("\n")]
    return text.replace("\r\n", "\n").translate(_escapes)


def one_line(text: str) -> str:
    """`text` on one line, with single spaces for its line breaks."""
    return " ".join(printable(text).split())
