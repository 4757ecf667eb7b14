"""Differences of two sequences, in bounded time."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

# What becomes of `before[a:b]`: it is replaced by `after[c:d]`; one can be empty.
Edit: TypeAlias = tuple[int, int, int, int]

# Products of lengths up to which every element is looked at, and up to which those
# that stand everywhere are passed over. Beyond it takes minutes.
_EXACT = 1_000_000
_ROUGH = 16_000_000


def edits(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Edit] | None:
    """How `before` becomes `after`, in order; None where that takes too long.

    >>> edits("abcd", "axcd")
    [(1, 2, 1, 2)]
    """
    head = 0
    least = min(len(before), len(after))
    while head < least and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < least - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    ones = before[head : len(before) - tail]
    others = after[head : len(after) - tail]
    if not ones and not others:
        return []
    if not ones or not others:
        return [(head, head + len(ones), head, head + len(others))]
    size = len(ones) * len(others)
    if size > _ROUGH:
        return None
    matcher = difflib.SequenceMatcher(None, ones, others, autojunk=size > _EXACT)
    return [
        (head + a, head + b, head + c, head + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def changed_lines(
    before: list[str], after: list[str]
) -> tuple[int, int, tuple[str, str]]:
    """How many lines came and went, and the first that are not the same.

    Large texts are compared by what lines they have, not by their order.
    """
    changes = edits(before, after)
    if changes is None:
        return _unordered(before, after)
    added = removed = 0
    first: tuple[str, str] | None = None
    for a, b, c, d in changes:
        removed += b - a
        added += d - c
        if first is None:
            first = (before[a] if b > a else "", after[c] if d > c else "")
    return added, removed, first or ("", "")


def _unordered(before: list[str], after: list[str]) -> tuple[int, int, tuple[str, str]]:
    ones, others = set(before), set(after)
    gone = [line for line in before if line not in others]
    new = [line for line in after if line not in ones]
    first = (gone[0] if gone else "", new[0] if new else "")
    return len(new), len(gone), first
