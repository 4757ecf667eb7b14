"""Which compiles of the ranks of one run are the same compile."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pt2triage import _core
    from pt2triage._traces.trace import Trace

# What torch calls the file of a rank.
_OF_RANK = re.compile(r"torch_trace_rank_(\d{1,9})_[^/\\]*$")
# Ranks between those there are that are named.
_ABSENT = 16


class Key(NamedTuple):
    """A compile of a rank: `part` counts the processes of the rank that had it."""

    compile_id: str
    part: int = 0

    def __str__(self) -> str:
        return self.compile_id + (f" (process {self.part + 1})" if self.part else "")


class _Row(Protocol):
    @property
    def process(self) -> int: ...
    @property
    def compile_id(self) -> str | None: ...


class LineUp:
    """The compiles of each rank, in order, and where the rows of a trace belong.

    Attributes:
        ranks: All ranks, those whose files hold nothing too.
        empty: Ranks of which a file is there, but no record could be read.
        absent: Ranks that lie between others and have no file; at most 16.
        sources: The sources of each rank, in the order of their first records.
        compiles: The compiles of each rank, in order.
        order: All compiles of all ranks, in the order in which they began.
    """

    def __init__(self, trace: Trace, unread: Iterable[str] = ()) -> None:
        parts: dict[int, list[_core.TraceProcess]] = {}
        for process in trace.processes:
            if process.rank is not None:
                parts.setdefault(process.rank, []).append(process)
        for processes in parts.values():
            processes.sort(key=lambda p: (p.first_time, p.process))
        names = [*unread, *(source.name for source in trace.report.sources)]
        self.empty = tuple(sorted(_ranks_of(names) - parts.keys()))
        self.ranks = tuple(sorted({*parts, *self.empty}))
        self.absent = _absent(self.ranks)
        self.sources = {
            rank: tuple(dict.fromkeys(p.source for p in processes))
            for rank, processes in sorted(parts.items())
        }
        self._place = {
            p.process: (r, n) for r, ps in parts.items() for n, p in enumerate(ps)
        }
        self._parts: dict[tuple[int, str], list[int]] = {}
        self.compiles = self._compiles(trace)
        self.order = _in_time(self.compiles)
        self._position = {key: n for n, key in enumerate(self.order)}

    def key_of(self, row: _Row) -> tuple[int, Key] | None:
        """The rank and the compile of a row; None for what is of no rank."""
        place = self._place.get(row.process)
        if place is None or row.compile_id is None:
            return None
        rank, part = place
        known = self._parts.setdefault((rank, row.compile_id), [])
        if part not in known:
            known.append(part)
        return rank, Key(row.compile_id, known.index(part))

    def rank_of(self, process: int) -> int | None:
        place = self._place.get(process)
        return place and place[0]

    def position(self, key: Key) -> int:
        """Its place in `order`; what no table of compiles has comes last."""
        return self._position.get(key, len(self.order))

    def _compiles(self, trace: Trace) -> dict[int, dict[Key, _core.Compile]]:
        found: dict[int, dict[Key, _core.Compile]] = {rank: {} for rank in self.ranks}
        of_rank = [row for row in trace.compiles if row.process in self._place]
        of_rank.sort(key=lambda row: self._place[row.process][1])
        for row in of_rank:
            placed = self.key_of(row)
            if placed is not None:
                found[placed[0]].setdefault(placed[1], row)
        return found


def _ranks_of(names: Iterable[str]) -> set[int]:
    matches = (_OF_RANK.search(name) for name in names)
    return {int(match[1]) for match in matches if match}


def _absent(ranks: tuple[int, ...]) -> tuple[int, ...]:
    found: list[int] = []
    for low, high in zip((-1, *ranks), ranks, strict=False):
        found += range(low + 1, min(high, low + 1 + _ABSENT))
        if len(found) >= _ABSENT:
            break
    return tuple(found[:_ABSENT])


def _in_time(compiles: Mapping[int, Mapping[Key, _core.Compile]]) -> tuple[Key, ...]:
    """All compiles by their first beginning; without times by their place."""
    begins: dict[Key, int] = {}
    places: dict[Key, int] = {}
    timed = True
    for rows in compiles.values():
        for place, (key, row) in enumerate(rows.items()):
            places[key] = min(place, places.get(key, place))
            if row.start_us is None:
                timed = False
            else:
                begins[key] = min(row.start_us, begins.get(key, row.start_us))
    if timed:
        return tuple(sorted(begins, key=lambda key: (begins[key], places[key])))
    return tuple(sorted(places, key=lambda key: (places[key], key)))


def base_name(path: str | None) -> str | None:
    r"""The last part of a path of either system: folders differ between machines.

    >>> base_name(r"C:\job\model.py")
    'model.py'
    """
    return path and os.path.basename(path.replace("\\", "/"))
