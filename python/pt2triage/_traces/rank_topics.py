"""What ranks are compared in that the tables of a trace tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._traces.rank_line_up import Key, LineUp, base_name
from pt2triage._traces.rank_model import (
    KEPT,
    Item,
    RankDifference,
    RankTopic,
    RankValue,
    difference,
    made,
    topic_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias, TypeVar

    from pt2triage import _core
    from pt2triage._traces.rank_line_up import _Row
    from pt2triage._traces.trace import Trace

    R = TypeVar("R", bound=_Row)
    Found: TypeAlias = dict[int, dict[Key, tuple[Item, ...]]]

# Fields of compilation metrics that came with the records of graph breaks and of
# recompiles (2.6): without any of them it is not known that there were none.
_SINCE_26 = frozenset({"log_format_version", "is_forward", "start_time_us"})


def compile_ids(line_up: LineUp) -> RankTopic:
    """Which compiles there are, and in which order."""
    without = set(line_up.empty)
    ranks = [rank for rank in line_up.ranks if rank not in without]
    count = 0
    kept: list[RankDifference] = []
    for key in line_up.order:
        has = tuple(rank for rank in ranks if key in line_up.compiles[rank])
        lacks = tuple(rank for rank in ranks if key not in line_up.compiles[rank])
        if has and lacks:
            count += 1
            if len(kept) < KEPT:
                values = [
                    _compile_value(line_up, key, has),
                    RankValue(lacks, "no such compile"),
                ]
                kept.append(difference("compile_ids", line_up, key, values))
    if not count and ranks:
        kept = _order(line_up, ranks)
        count = len(kept)
    items = sum(len(line_up.compiles[rank]) for rank in ranks)
    return made("compile_ids", line_up, without, items, count, kept)


def _order(line_up: LineUp, ranks: list[int]) -> list[RankDifference]:
    """The first compile that is not in the same place everywhere."""
    orders = {rank: tuple(line_up.compiles[rank]) for rank in ranks}
    first = orders[ranks[0]]
    places = [
        next(
            n
            for n, pair in enumerate(zip(first, order, strict=True))
            if len({*pair}) > 1
        )
        for order in orders.values()
        if order != first
    ]
    if not places:
        return []
    place = min(places)
    groups: dict[Key, list[int]] = {}
    for rank, order in orders.items():
        groups.setdefault(order[place], []).append(rank)
    values = []
    for key, members in groups.items():
        value = _compile_value(line_up, key, tuple(members))
        told = f"{key} {value.text} as compile {place + 1}"
        values.append(value._replace(text=told))
    key = min(groups, key=line_up.position)
    return [difference("compile_ids", line_up, key, values)]


def _compile_value(line_up: LineUp, key: Key, ranks: tuple[int, ...]) -> RankValue:
    item = _function(line_up.compiles[ranks[0]][key])
    return RankValue(ranks, *item[1:])


def functions(line_up: LineUp) -> RankTopic:
    """Which function each compile is of."""
    found: Found = {}
    for rank, rows in line_up.compiles.items():
        found[rank] = {k: (_function(row),) for k, row in rows.items() if row.function}
    # A compile whose function one rank does not tell is not compared.
    untold = {
        key
        for rank, rows in line_up.compiles.items()
        for key in rows
        if found[rank] and key not in found[rank]
    }
    for rows_of_rank in found.values():
        for key in untold:
            rows_of_rank.pop(key, None)
    without = {rank for rank in line_up.ranks if not found.get(rank)}
    return topic_of("functions", line_up, found, without)


def _function(row: _core.Compile) -> Item:
    name = row.function or "an unknown function"
    same = (row.function, base_name(row.file), row.line)
    return Item(same, name, row.file, row.line)


def graph_breaks(trace: Trace, line_up: LineUp) -> RankTopic:
    """The reasons and places of graph breaks, in order."""
    found = _gather(line_up, trace.graph_breaks, _break)
    without = _telling_no_artifacts(trace, line_up, found)
    return topic_of("graph_breaks", line_up, found, without)


def _break(row: _core.TraceBreak) -> Item:
    same = (
        row.reason,
        row.explanation,
        base_name(row.file),
        row.line,
        row.skipped_frame,
    )
    text = row.reason
    if row.explanation:
        text += f": {row.explanation}"
    return Item(same, text, row.file, row.line)


def recompiles(trace: Trace, line_up: LineUp) -> RankTopic:
    """The guards that failed."""
    found = _gather(line_up, trace.recompiles, _recompile)
    without = _telling_no_artifacts(trace, line_up, found)
    return topic_of("recompiles", line_up, found, without)


def _recompile(row: _core.TraceRecompile) -> Item:
    failed = row.failed_compile_id
    text = f"{failed}: {row.guard}" if failed else row.guard
    return Item((failed, row.guard), text, row.file, row.line)


def cache(trace: Trace, line_up: LineUp) -> RankTopic:
    """Hits, misses and bypasses. Keys are not compared: they hold the device."""
    found = _gather(line_up, trace.cache_events, _lookup)
    without = {rank for rank in line_up.ranks if not found.get(rank)}
    return topic_of("cache", line_up, found, without)


def _lookup(row: _core.CacheEvent) -> Item:
    text = f"{row.cache} {row.outcome}"
    if row.reason:
        text += f": {row.reason}"
    return Item((row.cache, row.outcome), text)


def collectives_of_tables(trace: Trace, line_up: LineUp) -> Found:
    """The schedules that Inductor tells."""

    def item(row: _core.Collective) -> Item:
        name = row.operation.removeprefix("torch.ops.")
        return Item(row.operation, f"operation {row.position + 1} is {name}")

    return _gather(line_up, trace.collectives, item)


def _gather(line_up: LineUp, rows: Iterable[R], item: Callable[[R], Item]) -> Found:
    found: dict[int, dict[Key, list[Item]]] = {}
    for row in rows:
        placed = line_up.key_of(row)
        if placed is not None:
            rank, key = placed
            found.setdefault(rank, {}).setdefault(key, []).append(item(row))
    return {
        rank: {key: tuple(items) for key, items in of_rank.items()}
        for rank, of_rank in found.items()
    }


def _telling_no_artifacts(trace: Trace, line_up: LineUp, found: Found) -> set[int]:
    """Ranks of a PyTorch that writes no such records, as far as is known."""
    telling = set(found)
    for process in trace.processes:
        rank = line_up.rank_of(process.process)
        if rank is not None and process.torch_version is not None:
            telling.add(rank)
    left = set(line_up.ranks) - telling - set(line_up.empty)
    if left:  # else the many metrics need not become objects
        for metric in trace.metrics:
            rank = line_up.rank_of(metric.process)
            if metric.field in _SINCE_26 and rank in left:
                telling.add(rank)
    return set(line_up.ranks) - telling
