"""Comparing what failed before with what fails after."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._cluster_paths import cluster
from pt2triage._clusters import COUNTS, Clusters
from pt2triage._errors import OpenError
from pt2triage._line_changes import LineChange, line_changes
from pt2triage._report import Report
from pt2triage._saved import is_saved, load

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from pt2triage._cluster import Cluster
    from pt2triage._scan import PathInput
    from pt2triage._traces.diff import TraceDiff

    Side: TypeAlias = Clusters | Report | PathInput | Iterable[PathInput]


class Change(NamedTuple):
    """A failure that one side has more often than the other.

    Attributes:
        cluster: What failed; of the side after, if it is there.
        before: Events before.
        after: Events after.
    """

    cluster: Cluster
    before: int
    after: int


class Diff:
    """What changed between two runs, by fingerprint; the worst comes first.

    Attributes:
        before: All that failed before.
        after: All that fails after.
        new: Failures that were not there before.
        fixed: Failures that are not there any more.
        more: Failures that happen more often.
        fewer: Failures that happen less often.
        same: Number of failures that happen as often as before.
        lines: Graph breaks and recompiles by line of the user's code.
        traces: What changed between the traces, where both sides hold some and were
            read from a file; else None.
    """

    def __init__(
        self, before: Clusters, after: Clusters, traces: TraceDiff | None = None
    ) -> None:
        self.before = before
        self.after = after
        self.traces = traces
        changes = [
            Change(one, known.count if (known := before.get(f)) else 0, one.count)
            for one in after
            if (f := one.fingerprint)
        ]
        gone = [
            Change(one, one.count, 0)
            for one in before
            if after.get(one.fingerprint) is None
        ]
        self.new = tuple(c for c in changes if not c.before)
        self.fixed = tuple(gone)
        self.more = tuple(c for c in changes if 0 < c.before < c.after)
        self.fewer = tuple(c for c in changes if c.after < c.before)
        self.same = sum(c.before == c.after for c in changes)
        self.lines: tuple[LineChange, ...] = line_changes(before, after)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How many events of each kind there were before and are after."""
        return {
            name: (self.before.counts[name], self.after.counts[name]) for name in COUNTS
        }

    @property
    def is_confidential(self) -> bool:
        """Whether it is what `confidential` gives."""
        return self.before.is_confidential and self.after.is_confidential

    def confidential(self) -> Diff:
        """The comparison without code, folders of paths and secrets."""
        if self.is_confidential:
            return self
        from pt2triage._confidential._rows import diff_twin

        return diff_twin(self)

    def __bool__(self) -> bool:
        """Whether anything has changed."""
        return bool(self.new or self.fixed or self.more or self.fewer)

    def __repr__(self) -> str:
        groups = ("new", "fixed", "more", "fewer")
        told = ", ".join(f"{len(getattr(self, group))} {group}" for group in groups)
        return f"<Diff: {told}, {self.same} same>"

    def to_dict(self) -> dict[str, Any]:
        """What ``pt2triage diff --format json`` prints, as plain containers."""
        from pt2triage.report.diff_json import document

        return document(self)

    def to_json(self, indent: int = 2) -> str:
        """What ``pt2triage diff --format json`` prints; `indent` 0 is one line."""
        import json

        return json.dumps(self.to_dict(), indent=indent or None, ensure_ascii=False)

    def to_text(self, width: int = 100) -> str:
        """What ``pt2triage diff`` prints."""
        from pt2triage.report.diff_text import render_diff
        from pt2triage.report.layout import plain

        return plain(render_diff(self, width=width))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.to_text())}</pre>"


def diff(before: Side, after: Side) -> Diff:
    """Compares what failed in two runs.

    Args:
        before: A path (file, folder, or a report or clusters saved as JSON), many
            paths, a report or clusters.
        after: The same of the other run.

    Raises:
        OpenError: A source cannot be read.

    >>> log = b"torch._dynamo.exc.RecompileError: Recompiling function f"
    >>> import pt2triage
    >>> diff(pt2triage.scan(b""), pt2triage.scan(log))
    <Diff: 1 new, 0 fixed, 0 more, 0 fewer, 0 same>
    """
    return Diff(_side(before), _side(after))


def _side(x: Side) -> Clusters:
    if isinstance(x, Clusters):
        return x
    if isinstance(x, Report):
        clusters = Clusters()
        clusters.add(x)
        return clusters
    if isinstance(x, (str, os.PathLike)) and is_saved(os.fsdecode(x)):
        return load(os.fsdecode(x), baselines=False)
    clusters = cluster(x)
    for source, error in clusters.unreadable:
        raise OpenError(None, error, source)
    return clusters
