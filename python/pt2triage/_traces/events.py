"""Graph breaks, recompiles and cache lookups of two runs compared."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._traces.line_up import CompileName, CompilePair
from pt2triage._traces.rank_line_up import base_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pt2triage import _core
    from pt2triage._traces.trace import Trace

# Ids and addresses of objects: other ones in each process.
_OWN = re.compile(r"\b\d{9,}\b|0x[0-9a-f]{6,}")
# The folder of a path: that of an installation.
_FOLDER = re.compile(r"(?<![\w.])/(?:[^\s/`'\"]{1,255}/)+")
# What newer versions print behind a guard on a type.
_TYPE = re.compile(r", type=<class '[^'\n]*'>")


class EventChange(NamedTuple):
    """A graph break or a recompile that one run has more often than the other.

    Attributes:
        name: In what.
        text: Its reason, or the guard that failed.
        file: The user's file, or None; of the run after, if it is there.
        line: The user's line, or None.
        before: How often before.
        after: How often after.
    """

    name: CompileName
    text: str
    file: str | None
    line: int | None
    before: int
    after: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "function": self.name.function,
            "role": self.name.role,
            "rank": self.name.rank,
            "text": self.text,
            "file": self.file,
            "line": self.line,
            "before": self.before,
            "after": self.after,
        }


class CacheChange(NamedTuple):
    """A compile whose cache said something else.

    Attributes:
        name: What is compiled.
        cache: ``fx_graph`` or ``aotautograd``.
        before: ``hit``, ``miss`` or ``bypass``; None where nothing was looked up.
        after: The same of the run after.
    """

    name: CompileName
    cache: str
    before: str | None
    after: str | None


class _Event(NamedTuple):
    """What makes two events of two runs the same."""

    name: CompileName
    text: str
    file: str | None


_Place = tuple[str | None, int | None]


_Events = tuple[Counter[_Event], dict[_Event, _Place]]

_UNKNOWN = CompileName(None, None)


def breaks(trace: Trace, names: dict[tuple[int, str], CompileName]) -> _Events:
    """Graph breaks by reason and function: an edit moves their lines."""
    counts: Counter[_Event] = Counter()
    places: dict[_Event, _Place] = {}
    for row in trace.graph_breaks:
        text = row.reason
        if row.explanation:
            text += f": {row.explanation}"
        event = _event(row, names, text, row.file)
        counts[event] += row.count
        places.setdefault(event, (row.file, row.line))
    return counts, places


def recompiles(trace: Trace, names: dict[tuple[int, str], CompileName]) -> _Events:
    counts: Counter[_Event] = Counter()
    places: dict[_Event, _Place] = {}
    for row in trace.recompiles:
        event = _event(row, names, row.guard, row.file)
        counts[event] += 1
        places.setdefault(event, (row.file, row.line))
    return counts, places


def _event(
    row: _core.TraceBreak | _core.TraceRecompile,
    names: dict[tuple[int, str], CompileName],
    text: str,
    file: str | None,
) -> _Event:
    name = names.get((row.process, row.compile_id or ""), _UNKNOWN)
    text = _TYPE.sub("", _FOLDER.sub("", _OWN.sub("ID", text)))
    return _Event(name, text, base_name(file))


def changes_of(before: _Events, after: _Events) -> tuple[EventChange, ...]:
    """What came first, then what is more or less often, then what went."""
    changes: list[EventChange] = []
    for event in dict.fromkeys((*after[0], *before[0])):
        one, other = before[0][event], after[0][event]
        if one != other:
            place = after[1].get(event) or before[1][event]
            changes.append(EventChange(event.name, event.text, *place, one, other))
    changes.sort(key=lambda one: (one.before > 0) + (one.after == 0))
    return tuple(changes)


def cache_changes(pairs: tuple[CompilePair, ...]) -> Iterator[CacheChange]:
    for pair in pairs:
        one, other = pair.before, pair.after
        if one is None or other is None:
            continue
        if one.fx_cache != other.fx_cache:
            yield CacheChange(pair.name, "fx_graph", one.fx_cache, other.fx_cache)
        if one.aot_cache != other.aot_cache:
            yield CacheChange(pair.name, "aotautograd", one.aot_cache, other.aot_cache)
