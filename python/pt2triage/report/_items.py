"""What formats for machines show: findings with what a gate says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters, Unreadable
    from pt2triage._gate import Verdict

State: TypeAlias = Literal["new", "unchanged", "updated"]


class Item(NamedTuple):
    """A finding.

    Attributes:
        cluster: What failed.
        level: How loud to say it.
        failed: Whether it fails a build.
        why: What a gate says of it.
        state: How it compares with a baseline; None without one.
        ignored: Why it is left out; None if it is not.
    """

    cluster: Cluster
    level: Literal["error", "warning", "note"]
    failed: bool
    why: str | None = None
    state: State | None = None
    ignored: str | None = None


class Sheet(NamedTuple):
    """All that one document shows.

    Attributes:
        items: Findings, the worst first.
        budgets: Gate and text of each budget that is exceeded.
        unreadable: Sources that could not be read.
        sources: Number of sources that were read.
        confidential: Whether code, folders and secrets were taken out.
    """

    items: list[Item]
    budgets: list[tuple[str, str]]
    unreadable: list[Unreadable]
    sources: int
    confidential: bool = False


def sheet_of(clusters: Clusters, fail_on: Collection[str] = ()) -> Sheet:
    """Findings of a scan: errors fail, and what `fail_on` names."""
    items = [
        Item(one, one.severity, one.severity == "error" or one.category in fail_on)
        for one in clusters
    ]
    return Sheet(
        items, [], clusters.unreadable, clusters.sources, clusters.is_confidential
    )


def sheet_of_verdict(verdict: Verdict) -> Sheet:
    """Findings as the gates judge them: what breaks one is an error."""
    items: list[Item] = []
    reasons = {one.cluster.fingerprint: one.reason for one in verdict.ignored}
    for one in verdict.clusters:
        found = verdict.break_of(one)
        items.append(
            Item(
                one,
                "note" if found is None else "error",
                found is not None,
                None if found is None else f"{found.gate}: {found.text}",
                _state(one, verdict.baseline),
                reasons.get(one.fingerprint),
            )
        )
    budgets = [(b.gate, b.text) for b in verdict.broken if b.cluster is None]
    clusters = verdict.clusters
    return Sheet(
        items, budgets, clusters.unreadable, clusters.sources, clusters.is_confidential
    )


def _state(one: Cluster, baseline: Clusters | None) -> State | None:
    if baseline is None:
        return None
    known = baseline.get(one.fingerprint)
    if known is None:
        return "new"
    return "updated" if known.count < one.count else "unchanged"
