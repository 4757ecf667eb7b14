"""Comparing the traces of two runs: compiles, breaks, recompiles, time, artifacts."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._rank_line_up import base_name
from pt2triage._trace_artifacts import ArtifactChange, compare_artifacts
from pt2triage._trace_line_up import CompileName, CompilePair, line_up, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pt2triage import _core
    from pt2triage._errors import OpenError
    from pt2triage._trace import Trace

# Phases whose time the table of compiles has; each holds those below it.
PHASES = (
    *("duration", "dynamo", "aot", "inductor", "codegen", "triton"),
    *("backward", "restart"),
)
_OUTCOMES = ("hit", "miss", "bypass")
_OWN = re.compile(r"\b\d{9,}\b|0x[0-9a-f]{6,}")


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


class TraceDiff:
    """What changed between the traces of two runs.

    Attributes:
        pairs: All compiles, lined up by the user's function.
        graph_breaks: Graph breaks that came, went, or happen more or less often.
        recompiles: The same of recompiles.
        times: For each phase its time in microseconds before and after, None where no
            compile tells it. A phase holds those within it: they do not add up.
        cache: Compiles whose cache said something else.
        cache_counts: For each outcome the lookups before and after.
        artifacts: What compiles carry that is not as it was.
        same_artifacts: Number of artifacts that are the same, byte by byte.
        alike_artifacts: Number of those that are the same but for names, numbers and
            paths.
        torch: PyTorch's version before and after, where the traces say it.
        unread: Names of sources that could not be read again, and why.
    """

    def __init__(self, before: Trace, after: Trace) -> None:
        errors: list[OpenError] = []
        self.pairs = line_up(before, after)
        names = names_of(self.pairs)
        self.graph_breaks = _changes(
            _breaks(before, names[0]), _breaks(after, names[1])
        )
        self.recompiles = _changes(
            _recompiles(before, names[0]), _recompiles(after, names[1])
        )
        self.times = {p: (_time(before, p), _time(after, p)) for p in PHASES}
        self.cache = tuple(_cache(self.pairs))
        self.cache_counts = {
            outcome: (_lookups(before, outcome), _lookups(after, outcome))
            for outcome in _OUTCOMES
        }
        found = compare_artifacts(before, after, self.pairs, errors)
        self.artifacts: tuple[ArtifactChange, ...] = found.changes
        self.same_artifacts = found.same
        self.alike_artifacts = found.alike
        self.torch = (_version(before), _version(after))
        self.unread = tuple((str(e.filename), str(e.strerror or e)) for e in errors)

    @property
    def new(self) -> tuple[CompilePair, ...]:
        """Compiles that were not there before."""
        return tuple(pair for pair in self.pairs if pair.before is None)

    @property
    def gone(self) -> tuple[CompilePair, ...]:
        """Compiles that are not there any more."""
        return tuple(pair for pair in self.pairs if pair.after is None)

    @property
    def outcomes(self) -> tuple[CompilePair, ...]:
        """Compiles that end otherwise: failed before and ok after, or the reverse."""
        return tuple(
            pair
            for pair in self.pairs
            if pair.before and pair.after and pair.before.outcome != pair.after.outcome
        )

    def __bool__(self) -> bool:
        """Whether anything has changed but times."""
        groups = (self.new, self.gone, self.outcomes, self.graph_breaks)
        return any(groups) or bool(self.recompiles or self.cache or self.artifacts)

    def __repr__(self) -> str:
        return (
            f"<TraceDiff: {len(self.pairs)} compiles, {len(self.new)} new, "
            f"{len(self.gone)} gone, {len(self.artifacts)} artifacts changed>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain containers, for JSON."""
        from pt2triage.report.trace_diff_json import document

        return document(self)

    def to_text(self, width: int = 100) -> str:
        """What ``pt2triage diff`` prints of it."""
        from pt2triage.report.layout import plain
        from pt2triage.report.trace_diff_text import render_trace_diff

        return plain(render_trace_diff(self, width=width))


def diff_traces(before: Trace, after: Trace) -> TraceDiff:
    """Compares the traces of two runs, of any versions of PyTorch.

    Args:
        before: The run to compare with.
        after: The run that is looked at.

    >>> import pt2triage
    >>> bool(diff_traces(pt2triage.read_trace(b""), pt2triage.read_trace(b"")))
    False
    """
    return TraceDiff(before, after)


class _Event(NamedTuple):
    """What makes two events of two runs the same."""

    name: CompileName
    text: str
    file: str | None


_Place = tuple[str | None, int | None]
_Events = tuple[Counter[_Event], dict[_Event, _Place]]
_UNKNOWN = CompileName(None, None)


def _breaks(trace: Trace, names: dict[tuple[int, str], CompileName]) -> _Events:
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


def _recompiles(trace: Trace, names: dict[tuple[int, str], CompileName]) -> _Events:
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
    return _Event(name, _OWN.sub("ID", text), base_name(file))


def _changes(before: _Events, after: _Events) -> tuple[EventChange, ...]:
    """What came first, then what is more or less often, then what went."""
    changes: list[EventChange] = []
    for event in dict.fromkeys((*after[0], *before[0])):
        one, other = before[0][event], after[0][event]
        if one != other:
            place = after[1].get(event) or before[1][event]
            changes.append(EventChange(event.name, event.text, *place, one, other))
    changes.sort(key=lambda one: (one.before > 0) + (one.after == 0))
    return tuple(changes)


def _time(trace: Trace, phase: str) -> int | None:
    known = [us for row in trace.compiles if (us := getattr(row, f"{phase}_us"))]
    return sum(known) if known else None


def _lookups(trace: Trace, outcome: str) -> int:
    return sum(row.outcome == outcome for row in trace.cache_events)


def _cache(pairs: tuple[CompilePair, ...]) -> Iterator[CacheChange]:
    for pair in pairs:
        one, other = pair.before, pair.after
        if one is None or other is None:
            continue
        if one.fx_cache != other.fx_cache:
            yield CacheChange(pair.name, "fx_graph", one.fx_cache, other.fx_cache)
        if one.aot_cache != other.aot_cache:
            yield CacheChange(pair.name, "aotautograd", one.aot_cache, other.aot_cache)


def _version(trace: Trace) -> str | None:
    versions = {p.torch_version for p in trace.processes if p.torch_version}
    return ", ".join(sorted(versions)) or None
