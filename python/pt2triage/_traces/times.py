"""Where compile time goes, and what caches save of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage import _core
    from pt2triage._traces.trace import Trace

# Phases from the outermost in: each column counts those after it too.
_NESTED = ("dynamo_us", "aot_us", "inductor_us", "codegen_us", "triton_us")
PHASES = ("Dynamo", "AOTAutograd", "Inductor", "code generation", "kernels", "backward")


def phases_of(compile: _core.Compile) -> dict[str, int]:
    """Microseconds in each phase itself, without the phases within it.

    A phase of which the trace says nothing is 0. The compile of the backward is a
    phase of its own.
    """
    whole = [getattr(compile, column) or 0 for column in _NESTED]
    own = [max(a - b, 0) for a, b in zip(whole, [*whole[1:], 0], strict=True)]
    if not whole[0] and compile.duration_us:  # before 2.6 only the whole is known
        own[0] = max(compile.duration_us - max(whole[1:]), 0)
    return dict(zip(PHASES, [*own, compile.backward_us or 0], strict=True))


def time_of(compile: _core.Compile) -> int:
    """Microseconds of a compile and of that of its backward."""
    whole = compile.duration_us
    if whole is None:
        whole = compile.dynamo_us or compile.inductor_us or 0
    return whole + (compile.backward_us or 0)


class ProcessTime:
    """What one process spent on compiling.

    Attributes:
        process: Its place in ``Trace.processes``.
        total_us: Sum over its compiles.
        wall_us: Time in which at least one compile ran, as far as begins are known;
            compiles within others are counted once.
        longest: Its compiles, the longest first.
    """

    def __init__(self, process: int, compiles: Sequence[_core.Compile]) -> None:
        self.process = process
        self.total_us = sum(map(time_of, compiles))
        self.wall_us = _covered(compiles)
        self.longest = sorted(compiles, key=time_of, reverse=True)


class CompileTimes:
    """Compile time of a trace.

    Attributes:
        phases: Microseconds by phase, over all processes.
        restarts_us: Time lost to analyses that began again.
        functions: Microseconds, number of compiles and one compile of each function,
            most first.
        processes: By process; the first is the one that compiles longest, which the
            other ranks wait for.
    """

    def __init__(self, trace: Trace) -> None:
        compiles = list(trace.compiles)
        self.phases = dict.fromkeys(PHASES, 0)
        for one in compiles:
            for phase, time in phases_of(one).items():
                self.phases[phase] += time
        self.restarts_us = sum(one.restart_us or 0 for one in compiles)
        self.functions = _by_function(compiles)
        by_process: dict[int, list[_core.Compile]] = {}
        for one in compiles:
            by_process.setdefault(one.process, []).append(one)
        self.processes = sorted(
            (ProcessTime(p, rows) for p, rows in by_process.items()),
            key=lambda p: -p.total_us,
        )

    @property
    def total_us(self) -> int:
        return sum(self.phases.values())


class CacheUse:
    """How one cache did.

    Attributes:
        cache: Its name.
        hits, misses, bypasses: Lookups by outcome.
        saved_us: What hits saved, as PyTorch reckons it.
        missed_us: What the compiles after misses and bypasses took, which hits would
            have saved.
        reasons: Why it was bypassed, with the number of times, most first.
    """

    def __init__(self, cache: str, events: Sequence[_core.CacheEvent]) -> None:
        self.cache = cache
        self.hits, self.misses, self.bypasses = (
            sum(event.outcome == outcome for event in events)
            for outcome in ("hit", "miss", "bypass")
        )
        self.saved_us = sum(
            event.saved_us or 0 for event in events if event.outcome == "hit"
        )
        self.missed_us = sum(
            event.taken_us or 0 for event in events if event.outcome != "hit"
        )
        reasons: dict[str, int] = {}
        for event in events:
            if event.outcome == "bypass":
                reason = event.reason or "no reason is given"
                reasons[reason] = reasons.get(reason, 0) + 1
        self.reasons = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))


def cache_use(trace: Trace) -> list[CacheUse]:
    """The use of each cache, in the order in which they are asked first."""
    events: dict[str, list[_core.CacheEvent]] = {}
    for event in trace.cache_events:
        events.setdefault(event.cache, []).append(event)
    return [CacheUse(cache, rows) for cache, rows in events.items()]


def _covered(compiles: Iterable[_core.Compile]) -> int:
    """Length of the union of the times of compiles."""
    spans = sorted(
        (one.start_us, one.start_us + time_of(one))
        for one in compiles
        if one.start_us is not None
    )
    covered = 0
    end = None
    for first, last in spans:
        if end is not None:
            first = max(first, end)
        if last > first:
            covered += last - first
        end = last if end is None else max(end, last)
    return covered


def _by_function(
    compiles: Iterable[_core.Compile],
) -> list[tuple[int, int, _core.Compile]]:
    sums: dict[tuple[str | None, ...], tuple[int, int, _core.Compile]] = {}
    for one in compiles:
        key = (one.function, one.file, str(one.line))
        time, count, first = sums.get(key, (0, 0, one))
        sums[key] = (time + time_of(one), count + 1, first)
    return sorted(sums.values(), key=lambda row: -row[0])
