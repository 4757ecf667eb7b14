"""Graph breaks and recompiles by line of the user's code, before and after."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters

# Category, base name of the file, function and line: folders differ by machine.
Key: TypeAlias = tuple[str, str, str, int]

CATEGORIES = ("graph_break", "recompilation")


class LineChange(NamedTuple):
    """What happens at one line of the user's code.

    Attributes:
        category: ``graph_break`` or ``recompilation``.
        file: The file as printed; None where no frame is the user's.
        line: The line after, or before if nothing happens there any more.
        function: The function.
        line_before: The line before, where it has moved.
        before: Events before.
        after: Events after.
        guards_before: Guards that failed, the first ones.
        guards_after: Guards that fail.
    """

    category: str
    file: str | None
    line: int | None
    function: str | None
    line_before: int | None
    before: int
    after: int
    guards_before: tuple[str, ...]
    guards_after: tuple[str, ...]


def line_changes(before: Clusters, after: Clusters) -> tuple[LineChange, ...]:
    """One row for each line, changed or not, in order of file and line.

    A line that an edit has moved is known by what still happens there. What happens
    on both sides is in one row; what is gone goes with what is left of its line.
    """
    there = {one.fingerprint: _key(one) for one in _wanted(after)}
    moved: dict[Key, set[Key]] = defaultdict(set)
    for one in _wanted(before):
        if one.fingerprint in there and one.user_line is not None:
            moved[_key(one)].add(there[one.fingerprint])
    rows: dict[Key, tuple[list[Cluster], list[Cluster]]] = defaultdict(lambda: ([], []))
    for one in _wanted(before):
        key = _key(one)
        if one.fingerprint in there:
            key = there[one.fingerprint]
        elif key in moved and key not in moved[key]:
            key = min(moved[key])
        rows[key][0].append(one)
    for one in _wanted(after):
        rows[_key(one)][1].append(one)
    order = sorted(rows, key=lambda key: (*key[:2], key[3], key[2]))
    return tuple(_row(*rows[key]) for key in order)


def _wanted(clusters: Clusters) -> list[Cluster]:
    """Those that count as breaks or recompiles; a limit is no recompile."""
    return [
        one
        for one in clusters
        if one.category in CATEGORIES and one.cause != "limit-reached"
    ]


def _key(one: Cluster) -> Key:
    name = (one.user_file or "").replace("\\", "/").rpartition("/")[2]
    return one.category, name, one.user_function or "", one.user_line or 0


def _row(before: list[Cluster], after: list[Cluster]) -> LineChange:
    shown = (after or before)[0]
    lines = [one.user_line for one in before] or [shown.user_line]
    old = shown.user_line if shown.user_line in lines else lines[0]
    return LineChange(
        category=shown.category,
        file=shown.user_file,
        line=shown.user_line,
        function=shown.user_function,
        line_before=old,
        before=sum(one.count for one in before),
        after=sum(one.count for one in after),
        guards_before=_guards(before),
        guards_after=_guards(after),
    )


def _guards(clusters: Iterable[Cluster]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(guard for one in clusters for guard in one.guards))
