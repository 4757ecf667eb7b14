"""Comparing the traces of two runs: compiles, breaks, recompiles, time, artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pt2triage._artifact_changes import ArtifactChange
from pt2triage._traces.artifacts import compare_artifacts
from pt2triage._traces.events import breaks, cache_changes, changes_of, recompiles
from pt2triage._traces.line_up import CompilePair, line_up, names_of

if TYPE_CHECKING:
    from pt2triage._errors import OpenError
    from pt2triage._scan import PathInput
    from pt2triage._traces.trace import Trace

# Phases whose time the table of compiles has; each holds those below it.
PHASES = (
    *("duration", "dynamo", "aot", "inductor", "codegen", "triton"),
    *("backward", "restart"),
)
_OUTCOMES = ("hit", "miss", "bypass")


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
        self.graph_breaks = changes_of(
            breaks(before, names[0]), breaks(after, names[1])
        )
        self.recompiles = changes_of(
            recompiles(before, names[0]), recompiles(after, names[1])
        )
        self.times = {p: (_time(before, p), _time(after, p)) for p in PHASES}
        self.cache = tuple(cache_changes(self.pairs))
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


def diff_traces(before: Trace | PathInput, after: Trace | PathInput) -> TraceDiff:
    """Compares the traces of two runs, of any versions of PyTorch.

    Args:
        before: The run to compare with: a trace, or a path.
        after: The run that is looked at.

    >>> import pt2triage
    >>> bool(diff_traces(pt2triage.read_trace(b""), pt2triage.read_trace(b"")))
    False
    """
    from pt2triage._traces.trace import Trace, read_trace

    one = before if isinstance(before, Trace) else read_trace(before)
    other = after if isinstance(after, Trace) else read_trace(after)
    return TraceDiff(one, other)


def _time(trace: Trace, phase: str) -> int | None:
    known = [us for row in trace.compiles if (us := getattr(row, f"{phase}_us"))]
    return sum(known) if known else None


def _lookups(trace: Trace, outcome: str) -> int:
    return sum(row.outcome == outcome for row in trace.cache_events)


def _version(trace: Trace) -> str | None:
    versions = {p.torch_version for p in trace.processes if p.torch_version}
    return ", ".join(sorted(versions)) or None
