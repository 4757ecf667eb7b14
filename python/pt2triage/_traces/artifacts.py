"""What the compiles of two runs carry, compared: graphs, code, other text."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._artifact_changes import ArtifactChange, ArtifactChanges, detail_of
from pt2triage._traces.line_up import CompileName
from pt2triage._traces.records import push_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from pt2triage import _core
    from pt2triage._errors import OpenError
    from pt2triage._traces.line_up import CompilePair
    from pt2triage._traces.records import Record
    from pt2triage._traces.trace import Trace

    Place: TypeAlias = tuple[str, int]  # a source, and an offset in it
    _Compile: TypeAlias = tuple[int, str | None]  # a process, and a compile's id

# Bytes of payloads that are read to be compared, of one and of all of both runs:
# what is beyond is told to differ, and not how.
_LARGEST = 8 << 20
_BUDGET = 32 << 20
# Records that say of each compile what tables say, or that always differ.
_LEFT_OUT = re.compile(
    r"dynamo_start|str|(bwd_)?compilation_metrics(_runtime)?|chromium_event"
    r"|describe_\w+|torch_version|(fx_graph|aotautograd|dynamo)_cache_\w+"
    r"|fx_graph_bundled_cache_hit|dynamo_graph_break_reason|recompile_reasons"
    r"|(get|put)_(local|remote)_code_state|create_symbol|link"
)
# The line in the names of bytecode of resume functions.
_RESUMED = re.compile(r"_at_\d+(?=_|$)")


class _Open(NamedTuple):
    """Two payloads whose checksums differ."""

    change: ArtifactChange
    before: _core.TraceRecord
    after: _core.TraceRecord


def compare_artifacts(
    before: Trace,
    after: Trace,
    pairs: Iterable[CompilePair],
    errors: list[OpenError],
) -> ArtifactChanges:
    """Compares artifacts, lined up by compile, name and occurrence.

    Args:
        before: A run.
        after: The other run.
        pairs: Their compiles.
        errors: Is given what cannot be read again.
    """
    ones, others = _by_compile(before), _by_compile(after)
    changes: list[ArtifactChange] = []
    wanted: list[_Open] = []
    same = 0
    for name, before_key, after_key in _places(before, after, pairs):
        one, other = ones.get(before_key, {}), others.get(after_key, {})
        ids = (before_key[1], after_key[1])
        for key in dict.fromkeys((*one, *other)):
            a, b = one.get(key), other.get(key)
            state = "changed" if a and b else "gone" if a else "new"
            change = ArtifactChange(name, *ids, *key, state)
            if a is None or b is None:
                changes.append(change)
            elif a.checksum is not None and a.checksum == b.checksum:
                same += 1
            else:
                wanted.append(_Open(change, a, b))
    compared = _compare(before, after, wanted, errors)
    kept = [one for one in compared if one.detail is None or one.detail.differs]
    return ArtifactChanges((*kept, *changes), same, len(compared) - len(kept))


def _places(
    before: Trace, after: Trace, pairs: Iterable[CompilePair]
) -> Iterator[tuple[CompileName, _Compile, _Compile]]:
    """The compiles that both runs have, then what is outside of any: up to 2.6 the
    graphs of compiled autograd are."""
    for pair in pairs:
        if pair.before is not None and pair.after is not None:
            one, other = pair.before, pair.after
            yield (
                pair.name,
                (one.process, one.compile_id),
                (other.process, other.compile_id),
            )
    sides = [
        sorted(trace.processes, key=lambda p: -1 if p.rank is None else p.rank)
        for trace in (before, after)
    ]
    for a, b in zip(*sides, strict=False):
        rank = a.rank if a.rank == b.rank else None
        name = CompileName(None, None, "outside", rank)
        yield name, (a.process, None), (b.process, None)


def _by_compile(
    trace: Trace,
) -> dict[tuple[int, str | None], dict[tuple[str, int], _core.TraceRecord]]:
    """The payloads of each compile by their title and how many of it came before."""
    found: dict[tuple[int, str | None], dict[tuple[str, int], _core.TraceRecord]] = {}
    seen: Counter[tuple[int, str | None, str]] = Counter()
    for row in trace.artifacts:
        title = _RESUMED.sub("", row.name or row.record)
        if row.payload_bytes and not _LEFT_OUT.fullmatch(title):
            place = (row.process, row.compile_id)
            number = seen[(*place, title)]
            seen[(*place, title)] += 1
            found.setdefault(place, {})[title, number] = row
    return found


def _compare(
    before: Trace, after: Trace, wanted: list[_Open], errors: list[OpenError]
) -> list[ArtifactChange]:
    """Reads what differs, graphs and code first, as far as the budget goes."""
    order = sorted(range(len(wanted)), key=lambda i: _rank(wanted[i].change.title))
    chosen: list[int] = []
    budget = _BUDGET
    for place in order:
        one = wanted[place]
        sizes = (one.before.payload_bytes, one.after.payload_bytes)
        if max(sizes) <= _LARGEST and sum(sizes) <= budget:
            budget -= sum(sizes)
            chosen.append(place)
    ones = _payloads(before, [wanted[i].before for i in chosen], errors)
    others = _payloads(after, [wanted[i].after for i in chosen], errors)
    made = [one.change for one in wanted]
    for place in chosen:
        one = wanted[place]
        a = ones.pop(_place(before, one.before), None)
        b = others.pop(_place(after, one.after), None)
        if a is not None and b is not None:
            made[place] = one.change._replace(detail=detail_of(one.change.title, a, b))
    return made


def _rank(title: str) -> int:
    return 0 if "graph" in title or title == "inductor_output_code" else 1


def _place(trace: Trace, row: _core.TraceRecord) -> Place:
    return trace.processes[row.process].source, row.at_offset


def _payloads(
    trace: Trace, rows: list[_core.TraceRecord], errors: list[OpenError]
) -> dict[Place, str]:
    """The payloads of records, by place."""
    wanted = {_place(trace, row) for row in rows}
    found: dict[Place, str] = {}
    names = sorted({row.name or row.record for row in rows})
    if trace.source is None or not rows:
        return found

    def take(record: Record) -> None:
        place = (record.source, record.offset)
        if place in wanted and not record.is_cut:
            found[place] = record.text

    push_records(
        trace.source, take, names, max_payload=_LARGEST + 1, failed=errors.append
    )
    return found
