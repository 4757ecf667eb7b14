"""Clusters: the findings of many reports, grouped by fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from pt2triage._cluster import NAME, Cluster, Place, new_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    import pandas

    from pt2triage import _core
    from pt2triage._report import Report
    from pt2triage._table import Table
    from pt2triage._types import Category

# Clusters that are kept; findings of more are counted in `omitted`.
LIMIT = 100_000
# Sources that could not be read that are named.
_UNREADABLE = 1000

# The names of a report's counts.
COUNTS = (
    "graph_breaks",
    "recompiles",
    "guard_failures",
    "recompile_limit_hits",
    "exceptions",
    "skipped_frames",
    "accuracy_failures",
    "crashes",
    "device_asserts",
)


class Unreadable(NamedTuple):
    """A source that cannot be read, and why."""

    source: str
    error: str


class Clusters(Sequence[Cluster]):
    """Findings of any number of sources, grouped by fingerprint, the worst first.

    Errors come before warnings, then what most sources have, then what happened
    most often. Memory grows with the number of clusters, not of sources.

    Attributes:
        sources: Sources that were read.
        findings: Findings in them.
        lines: Lines in them.
        malformed: Places in them that could not be read.
        unrecognised: Records in a wording that is not known.
        omitted: Findings that are in no cluster, as there are too many.
        counts: Sums of the reports' counts, by name.
        unreadable: Sources that could not be read, the first 1,000.
        as_one: Whether several sources were read as one run, as a saved report of
            `scan` has them: text of all of them is then weighed together.
        is_confidential: Whether it is what `confidential` gives.
        all_places: Every place of the clusters whose fingerprint begins with the
            `all_places_of` that was asked for.

    >>> import pt2triage
    >>> found = Clusters()
    >>> found.add(pt2triage.scan(b"torch._dynamo.exc.RecompileError: Recompiling f"))
    >>> [(one.category, one.count, one.sources) for one in found]
    [('recompilation', 1, 1)]
    """

    def __init__(self, *, all_places_of: str | None = None) -> None:
        self.sources = 0
        self.findings = 0
        self.lines = 0
        self.malformed = 0
        self.unrecognised = 0
        self.omitted = 0
        self.as_one = False
        self.is_confidential = False
        self.counts = dict.fromkeys(COUNTS, 0)
        self.unreadable: list[Unreadable] = []
        self._by_fingerprint: dict[str, Cluster] = {}
        self._ranked: tuple[Cluster, ...] | None = None
        self._reports = 0
        self.all_places: dict[str, dict[Place, None]] = {}
        self._all_places_of = all_places_of

    def add(self, report: Report) -> None:
        """Takes in what a report found."""
        self._ranked = None
        confidential = report.is_confidential
        self.is_confidential = confidential and (
            self.is_confidential or not self._reports
        )
        self._reports += 1
        several = len(report.sources) > 1
        for source in report.sources:
            self.sources += 1
            self.lines += source.lines
            self.malformed += source.malformed
            self.unrecognised += source.unrecognised
        counts = report.counts
        for name in COUNTS:
            self.counts[name] += getattr(counts, name)
        self.omitted += report.omitted_findings
        for finding in report.findings:
            self._add(finding, several)

    def add_unreadable(self, source: str, error: str) -> None:
        """Notes a source that cannot be read."""
        if len(self.unreadable) < _UNREADABLE:
            self.unreadable.append(Unreadable(source, error[:NAME]))

    def mark_new(self, known: Collection[str]) -> None:
        """Marks each cluster as new, unless its fingerprint is among these."""
        for cluster in self._by_fingerprint.values():
            cluster.new = cluster.fingerprint not in known

    def only(self, *categories: Category) -> Clusters:
        """The clusters of these categories; all numbers but theirs stay."""
        return self._copy(one for one in self if one.category in categories)

    def confidential(self) -> Clusters:
        """The clusters without code, without folders of paths, and with secrets masked.

        Fingerprints and counts stay.
        """
        if self.is_confidential:
            return self
        from pt2triage._confidential._rows import clusters_twin

        return clusters_twin(self)

    def with_all_places(self) -> Clusters:
        """The clusters of which every place was kept, with those places."""
        chosen = [one for one in self if one.fingerprint in self.all_places]
        return self._copy(
            replace(one, places=[*self.all_places[one.fingerprint]]) for one in chosen
        )

    def _copy(self, rows: Iterable[Cluster]) -> Clusters:
        made = copy(self)
        made._by_fingerprint = {one.fingerprint: one for one in rows}
        made._ranked = None
        return made

    def get(self, fingerprint: str) -> Cluster | None:
        """The cluster with this fingerprint."""
        return self._by_fingerprint.get(fingerprint)

    def _add(self, finding: _core.Finding, several: bool) -> None:
        fingerprint = finding.fingerprint
        self.findings += 1
        cluster = self._by_fingerprint.get(fingerprint)
        if cluster is None:
            if len(self._by_fingerprint) >= LIMIT:
                self.omitted += 1
                return
            cluster = self._by_fingerprint[fingerprint] = new_cluster(finding)
        sources = len({e.source for e in finding.evidence}) if several else 1
        cluster.add(finding, self._reports, max(sources, 1))
        start = self._all_places_of
        if start is not None and fingerprint.startswith(start):
            kept = self.all_places.setdefault(fingerprint, {})
            kept.update((Place(e.source, e.line), None) for e in finding.evidence)

    def restore(self, cluster: Cluster) -> None:
        """Puts in a cluster that was saved."""
        self._ranked = None
        self._by_fingerprint[cluster.fingerprint] = cluster

    def _rows(self) -> tuple[Cluster, ...]:
        if self._ranked is None:
            self._ranked = tuple(sorted(self._by_fingerprint.values(), key=_rank))
        return self._ranked

    @overload
    def __getitem__(self, index: int) -> Cluster: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Cluster, ...]: ...
    def __getitem__(self, index: int | slice) -> Cluster | tuple[Cluster, ...]:
        return self._rows()[index]

    def __len__(self) -> int:
        return len(self._by_fingerprint)

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self._rows())

    def __repr__(self) -> str:
        return (
            f"<Clusters: {len(self)} of {self.findings} findings in "
            f"{self.sources} sources>"
        )

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self) -> Table[Cluster]:
        """The clusters as a table."""
        from pt2triage._cluster_rows import cluster_record
        from pt2triage._table import Table

        return Table("clusters", self._rows(), cluster_record)

    def to_dicts(self) -> list[dict[str, object]]:
        """The clusters as flat dicts, one key a column."""
        return self.table().to_dicts()

    def to_pandas(self) -> pandas.DataFrame:
        """The clusters as a pandas ``DataFrame``."""
        return self.table().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """What ``pt2triage top --format json`` prints, as plain containers."""
        from pt2triage.report.top_json import head_of

        return head_of(self, len(self)) | {
            "clusters": [cluster.to_dict() for cluster in self]
        }

    def to_json(self, indent: int = 2) -> str:
        """What ``pt2triage top --format json`` prints; `indent` 0 gives one line."""
        import json

        return json.dumps(self.to_dict(), indent=indent or None, ensure_ascii=False)

    def write_json(
        self, write: Callable[[str], object], limit: int | None = None
    ) -> None:
        """Hands the JSON document with the first clusters to `write`, in pieces."""
        from pt2triage.report.top_json import pieces

        for piece in pieces(self, self[:limit]):
            write(piece)

    def to_text(self, width: int = 100, limit: int | None = 20) -> str:
        """What ``pt2triage top`` prints."""
        from pt2triage.report.layout import plain
        from pt2triage.report.top_text import render_top

        return plain(render_top(self, width=width, limit=limit))

    def to_markdown(self, limit: int | None = 20) -> str:
        """The clusters in Markdown, as ``--format markdown`` prints them."""
        from pt2triage.report.top_pages import render_markdown

        return render_markdown(self, limit)

    def to_html(self, limit: int | None = 200) -> str:
        """A page of its own, as ``--format html`` prints it."""
        from pt2triage.report.top_pages import render_html

        return render_html(self, limit)


def _rank(cluster: Cluster) -> tuple[bool, int, bool, int, str]:
    return (
        cluster.severity != "error",
        -cluster.sources,
        cluster.category == "other",
        -cluster.count,
        cluster.fingerprint,
    )
