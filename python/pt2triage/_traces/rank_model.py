"""What a comparison of ranks consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage._traces.rank_line_up import Key, LineUp

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Any, Literal, TypeAlias

    Verdict: TypeAlias = Literal["same", "differs", "no data"]

# Differences of one topic that are kept; all are counted.
KEPT = 100


class Item(NamedTuple):
    """One thing that a rank has in a compile.

    Attributes:
        same: What must be equal on all ranks.
        text: What is shown.
        file: The user's file, or None.
        line: The user's line, or None.
    """

    same: Hashable
    text: str
    file: str | None = None
    line: int | None = None


class RankValue(NamedTuple):
    """What some ranks have.

    Attributes:
        ranks: The ranks, ascending.
        text: What they have, in words.
        file: Where that is in the source, or None.
        line: Its line, or None.
    """

    ranks: tuple[int, ...]
    text: str
    file: str | None = None
    line: int | None = None


class RankDifference(NamedTuple):
    """A place where ranks differ.

    Attributes:
        topic: In what.
        compile_id: In which compile.
        part: Which process of the ranks, from 0, where a rank had several.
        function: The compiled function, as the first rank that has it says.
        file: Its file.
        line: Its first line.
        values: What the ranks have; most ranks first.
    """

    topic: str
    compile_id: str
    part: int
    function: str | None
    file: str | None
    line: int | None
    values: tuple[RankValue, ...]

    @property
    def key(self) -> Key:
        return Key(self.compile_id, self.part)

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = self._asdict()
        row["values"] = [v._asdict() | {"ranks": list(v.ranks)} for v in self.values]
        return row


class RankTopic(NamedTuple):
    """One thing that ranks are compared in.

    Attributes:
        name: ``compile_ids``, ``functions``, ``graph_breaks``, ``recompiles``,
            ``cache``, ``guards``, ``graphs``, ``collectives`` or ``tensor_metadata``.
        verdict: ``same``, ``differs`` or ``no data``. Where a rank has no data it is
            never ``same``: what the others have may differ all the same.
        without: Ranks that have no data.
        compared: Number of ranks that have some.
        items: Number of things that were compared, of all ranks: 0 where nothing
            happened anywhere.
        total: Number of differences.
        differences: The first 100 of them, in the order of the compiles.
    """

    name: str
    verdict: Verdict
    without: tuple[int, ...]
    compared: int
    items: int
    total: int
    differences: tuple[RankDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = self._asdict()
        row["without"] = list(self.without)
        row["differences"] = [one.to_dict() for one in self.differences]
        return row


def topic_of(
    name: str,
    line_up: LineUp,
    found: Mapping[int, Mapping[Key, tuple[Item, ...]]],
    without: set[int],
) -> RankTopic:
    """Compares what ranks have in the compiles that they share.

    Args:
        name: Of the topic.
        line_up: The compiles of the ranks.
        found: What each rank has in each compile. A compile that is not there has
            nothing of it: an empty tuple.
        without: Ranks that cannot tell.
    """
    ranks = [rank for rank in line_up.ranks if rank not in without]
    count = 0
    kept: list[RankDifference] = []
    for key in line_up.order:
        groups: dict[tuple[Hashable, ...], list[int]] = {}
        for rank in ranks:
            if key in line_up.compiles[rank]:
                items = found.get(rank, {}).get(key, ())
                groups.setdefault(tuple(i.same for i in items), []).append(rank)
        if len(groups) < 2:
            continue
        count += 1
        if len(kept) < KEPT:
            having = {
                tuple(members): found.get(members[0], {}).get(key, ())
                for members in groups.values()
            }
            kept.append(difference(name, line_up, key, first_values(having)))
    seen = sum(len(of) for rank in ranks for of in found.get(rank, {}).values())
    return made(name, line_up, without, seen, count, kept)


def made(
    name: str,
    line_up: LineUp,
    without: set[int],
    items: int,
    count: int,
    kept: list[RankDifference],
) -> RankTopic:
    """The topic with its verdict."""
    verdict: Verdict = "differs" if count else "no data" if without else "same"
    compared = len(line_up.ranks) - len(without)
    if compared < 2 and not count:
        verdict = "no data"
    lacking = tuple(sorted(without))
    return RankTopic(name, verdict, lacking, compared, items, count, tuple(kept))


def difference(
    name: str, line_up: LineUp, key: Key, values: list[RankValue]
) -> RankDifference:
    row = next(rows[key] for rows in line_up.compiles.values() if key in rows)
    values.sort(key=lambda value: (-len(value.ranks), value.ranks))
    return RankDifference(
        *(name, key.compile_id, key.part, row.function, row.file, row.line),
        tuple(values),
    )


def first_values(
    having: Mapping[tuple[int, ...], tuple[Item, ...]],
) -> list[RankValue]:
    """What each group has at the first place where not all have the same."""
    longest = max(map(len, having.values()))
    place = 0
    while place < longest:
        if len({_at(items, place) for items in having.values()}) > 1:
            break
        place += 1
    values: list[RankValue] = []
    for ranks, items in having.items():
        item = items[place] if place < len(items) else Item(None, "none")
        text = item.text
        if len(items) == place and items:
            text = f"none after {place}"
        values.append(RankValue(ranks, text, item.file, item.line))
    return values


def _at(items: tuple[Item, ...], place: int) -> Hashable:
    return items[place].same if place < len(items) else None
