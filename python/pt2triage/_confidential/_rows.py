"""The confidential twins of clusters, and of what is made of them.

They are made at the end: what is ignored, and which line is which, is decided by the
whole paths.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from pt2triage._cluster import NAME, TEXT, Place, Step
from pt2triage._clusters import Unreadable
from pt2triage._confidential._cleaner import Cleaner
from pt2triage._confidential._paths import file_name

if TYPE_CHECKING:
    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters
    from pt2triage._diff import Change, Diff
    from pt2triage._gate import Verdict
    from pt2triage._line_changes import LineChange


def clusters_twin(clusters: Clusters) -> Clusters:
    """All clusters, and the names of what could not be read."""
    cleaner = Cleaner()
    made = clusters._copy(_cluster(one, cleaner) for one in clusters)
    made.unreadable = [
        Unreadable(file_name(one.source), cleaner(one.error))
        for one in clusters.unreadable
    ]
    made.all_places = {
        name: dict.fromkeys(map(_place, places))
        for name, places in clusters.all_places.items()
    }
    made.is_confidential = True
    return made


def diff_twin(diff: Diff) -> Diff:
    """The comparison, as it was made of whole paths."""
    made = copy(diff)
    made.traces = None  # graphs and kernels are code
    made.before, made.after = clusters_twin(diff.before), clusters_twin(diff.after)
    cleaner = Cleaner()
    for group in ("new", "fixed", "more", "fewer"):
        changes: tuple[Change, ...] = getattr(diff, group)
        cleaned = (c._replace(cluster=_cluster(c.cluster, cleaner)) for c in changes)
        setattr(made, group, tuple(cleaned))
    made.lines = tuple(_line(line, cleaner) for line in diff.lines)
    return made


def verdict_twin(verdict: Verdict) -> Verdict:
    """What the gates said of the whole paths."""
    cleaner = Cleaner()

    def same(one: Cluster) -> Cluster:
        return made.clusters.get(one.fingerprint) or _cluster(one, cleaner)

    made = copy(verdict)
    made.clusters = clusters_twin(verdict.clusters)
    made.kept = [same(one) for one in verdict.kept]
    made.ignored = [
        found._replace(cluster=same(found.cluster), reason=cleaner(found.reason))
        for found in verdict.ignored
    ]
    made.broken = [
        found._replace(cluster=found.cluster and same(found.cluster))
        for found in verdict.broken
    ]
    made._by_fingerprint = {
        found.cluster.fingerprint: found
        for found in made.broken
        if found.cluster is not None
    }
    made.gone = [_cluster(one, cleaner) for one in verdict.gone]
    made.config = verdict.config._replace(
        path=verdict.config.path and file_name(verdict.config.path)
    )
    made.ungated = [same(one) for one in verdict.ungated]
    return made


def _cluster(one: Cluster, cleaner: Cleaner) -> Cluster:
    cleaner = cleaner.knowing((one.user_file, *(p.source for p in one.places)))

    def text(value: str | None) -> str | None:
        return None if value is None else cleaner(_whole(value, TEXT))

    def name(value: str) -> str:
        return cleaner(_whole(value, NAME))

    return replace(
        one,
        exception=text(one.exception),
        message=text(one.message),
        reason=text(one.reason),
        backend=text(one.backend),
        user_file=one.user_file and cleaner(file_name(one.user_file)),
        user_function=text(one.user_function),
        guards=tuple(map(name, one.guards)),
        jobs=tuple(map(name, one.jobs)),
        tests=tuple(map(name, one.tests)),
        remedy=tuple(
            Step(text(step.action) or "", text(step.command)) for step in one.remedy
        ),
        next_command=text(one.next_command),
        places=[_place(place) for place in one.places],
    )


def _whole(value: str, size: int) -> str:
    """`value` without a last word that may be cut: half of a token has no form."""
    if len(value) < size:
        return value
    words = value.removesuffix("...").rsplit(None, 1)
    return f"{words[0] if len(words) > 1 else value[: size // 2]} ..."


def _place(place: Place) -> Place:
    return Place(file_name(place.source), place.line)


def _line(line: LineChange, cleaner: Cleaner) -> LineChange:
    cleaner = cleaner.knowing((line.file,))
    return line._replace(
        file=line.file and cleaner(file_name(line.file)),
        function=cleaner.optional(line.function),
        guards_before=tuple(map(cleaner, line.guards_before)),
        guards_after=tuple(map(cleaner, line.guards_after)),
    )
