"""Cluster: equal findings of many sources as one row, in little memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._times import is_later, time_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage import _core
    from pt2triage._types import Category, CompileMode, Phase, Severity

# What one cluster keeps at most, however many findings are in it.
PLACES = 20
NAMES = 20
RANKS = 4096
GUARDS = 8
STEPS = 5
# Characters of a text that are kept, and of a name.
TEXT = 1000
NAME = 300


class Place(NamedTuple):
    """Where a finding can be looked up.

    Attributes:
        source: Name of the source.
        line: Its line, counted from 1.
    """

    source: str
    line: int


class Step(NamedTuple):
    """One step of a remedy, and the command for it if one does it."""

    action: str
    command: str | None


@dataclass(slots=True, eq=False, repr=False)
class Cluster:
    """Findings with one fingerprint, over all sources.

    What describes the failure is that of the first finding.

    Attributes:
        fingerprint: What the findings have in common.
        category: As in a report; so are `cause`, `phase`, `compile_mode`,
            `exception`, `message`, `reason`, `graph_break_id` and `backend`.
        severity: ``error`` if any of the findings is one.
        count: Events.
        findings: Findings; one source may have several, of different tests.
        sources: Sources that have it.
        user_file: File of the user's frame; with `user_line`, `user_function`.
        guards: Guards that failed, the first ones.
        jobs: CI jobs, the first ones.
        tests: Tests, the first ones.
        more_tests: Whether there are more.
        ranks: Ranks, sorted; at most 4,096.
        first_time: The earliest time, as printed.
        last_time: The latest time, as printed.
        flaky: In every finding the test passed when it was run again.
        remedy: What to do.
        next_command: A command that shows more.
        places: One place in each source, the first ones.
        new: Whether it is not in what was compared with; None if nothing was.
    """

    fingerprint: str
    category: Category
    cause: str
    severity: Severity
    count: int = 0
    findings: int = 0
    sources: int = 0
    phase: Phase | None = None
    compile_mode: CompileMode | None = None
    exception: str | None = None
    message: str | None = None
    reason: str | None = None
    graph_break_id: str | None = None
    backend: str | None = None
    user_file: str | None = None
    user_line: int | None = None
    user_function: str | None = None
    guards: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    more_tests: bool = False
    ranks: tuple[int, ...] = ()
    first_time: str | None = None
    last_time: str | None = None
    flaky: bool = True
    remedy: tuple[Step, ...] = ()
    next_command: str | None = None
    places: list[Place] = field(default_factory=list)
    new: bool | None = None
    # The number of the last report that had it.
    _seen: int = -1

    def add(self, finding: _core.Finding, report: int, sources: int = 1) -> None:
        """Takes a finding in.

        Args:
            finding: A finding with this fingerprint.
            report: Number of its report: the findings of one count its sources once.
            sources: Sources of that report that have it.
        """
        self.count += finding.count
        self.findings += 1
        if finding.severity == "error":
            self.severity = "error"
        self.flaky = self.flaky and finding.flaky
        if report != self._seen:
            self._seen = report
            self.sources += sources
            if len(self.places) < PLACES:
                self._add_places(finding.evidence, sources)
        if finding.first_time is not None:
            self._add_times(finding.first_time, finding.last_time)
        if finding.ranks and finding.ranks != self.ranks:
            self.ranks = tuple(sorted({*self.ranks, *finding.ranks}))[:RANKS]
        if finding.test_id is not None:
            self.more_tests |= len(self.tests) == NAMES and not _has(
                self.tests, finding.test_id
            )
            self.tests = _with(self.tests, finding.test_id)
        if finding.job is not None:
            self.jobs = _with(self.jobs, finding.job)
        if finding.guard_failures and len(self.guards) < GUARDS:
            self._add_guards(finding)

    def __repr__(self) -> str:
        sources = f"{self.sources} source{'s' * (self.sources != 1)}"
        name = f"{self.category}/{self.cause}"
        return f"<Cluster {self.fingerprint} {name}, {self.count} in {sources}>"

    @property
    def place(self) -> Place | None:
        """Where to look first."""
        return self.places[0] if self.places else None

    def _add_places(self, evidence: Iterable[_core.Evidence], sources: int) -> None:
        named: set[str] = set()
        for one in evidence:
            if one.source not in named and len(named) < sources:
                named.add(one.source)
                self.places.append(Place(one.source, one.line))
                if len(self.places) == PLACES:
                    return

    def _add_times(self, first: str, last: str | None) -> None:
        if self.first_time is None or time_key(first) < time_key(self.first_time):
            self.first_time = first
        last = first if last is None else last
        if self.last_time is None or is_later(last, self.last_time):
            self.last_time = last

    def _add_guards(self, finding: _core.Finding) -> None:
        for guard in finding.guard_failures:
            self.guards = _with(self.guards, guard.guard, GUARDS)

    def to_dict(self) -> dict[str, Any]:
        """The cluster as plain containers, of the shape of the JSON."""
        frame = None
        if self.user_file is not None:
            frame = {
                "file": self.user_file,
                "line": self.user_line,
                "function": self.user_function,
            }
        return {
            "fingerprint": self.fingerprint,
            "category": self.category,
            "cause": self.cause,
            "severity": self.severity,
            "new": self.new,
            "count": self.count,
            "findings": self.findings,
            "sources": self.sources,
            "exception": self.exception,
            "message": self.message,
            "reason": self.reason,
            "graph_break_id": self.graph_break_id,
            "guards": list(self.guards),
            "user_frame": frame,
            "phase": self.phase,
            "compile_mode": self.compile_mode,
            "backend": self.backend,
            "first_time": self.first_time,
            "last_time": self.last_time,
            "flaky": self.flaky,
            "ranks": list(self.ranks),
            "jobs": list(self.jobs),
            "tests": list(self.tests),
            "more_tests": self.more_tests,
            "remedy": [step._asdict() for step in self.remedy],
            "next_command": self.next_command,
            "places": [place._asdict() for place in self.places],
        }


def new_cluster(finding: _core.Finding) -> Cluster:
    """An empty cluster that describes what this finding does."""
    frame = finding.user_frame
    return Cluster(
        fingerprint=finding.fingerprint,
        category=finding.category,
        cause=finding.cause,
        severity=finding.severity,
        phase=finding.phase,
        compile_mode=finding.compile_mode,
        exception=_cut(finding.exception, NAME),
        message=_cut(finding.message),
        reason=_cut(finding.reason),
        graph_break_id=_cut(finding.graph_break_id, NAME),
        backend=_cut(finding.backend, NAME),
        user_file=None if frame is None else _cut(frame.file),
        user_line=None if frame is None else frame.line,
        user_function=None if frame is None else _cut(frame.function, NAME),
        remedy=tuple(
            Step(step.action[:TEXT], _cut(step.command))
            for step in finding.remedy[:STEPS]
        ),
        next_command=_cut(finding.next_command),
    )


def _has(names: tuple[str, ...], name: str) -> bool:
    return name[:NAME] in names


def _with(names: tuple[str, ...], name: str, limit: int = NAMES) -> tuple[str, ...]:
    """The names with one more, if there is room and it is not among them."""
    if len(names) >= limit or _has(names, name):
        return names
    return (*names, name[:NAME])


def _cut(text: str | None, size: int = TEXT) -> str | None:
    return text if text is None or len(text) <= size else text[:size] + "..."
