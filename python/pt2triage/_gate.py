"""Gates: what of the findings breaks a build."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage._config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters


class Break(NamedTuple):
    """A gate that is broken.

    Attributes:
        gate: ``new`` or ``more`` than the baseline, ``fail-on``, ``error``,
            ``max-graph-breaks`` or ``max-recompiles``.
        text: What broke it, in a few words.
        cluster: The finding; None of a budget.
    """

    gate: str
    text: str
    cluster: Cluster | None


class Ignored(NamedTuple):
    """A finding that the settings leave out, and why."""

    cluster: Cluster
    reason: str


class Verdict:
    """What the gates say of many findings.

    Attributes:
        clusters: All findings.
        baseline: What is accepted; None without a baseline.
        config: The settings.
        kept: The findings that are not ignored.
        broken: What broke a gate, findings first.
        ignored: Findings that are left out.
        gone: What the baseline accepts and is not there any more.
        ungated: Findings that are errors and that no gate looks at.
    """

    def __init__(
        self, clusters: Clusters, baseline: Clusters | None, config: Config
    ) -> None:
        self.clusters = clusters
        self.baseline = baseline
        self.config = config
        self.kept: list[Cluster] = []
        self.ignored: list[Ignored] = []
        for one in clusters:
            reason = config.reason_to_ignore(one)
            if reason is None:
                self.kept.append(one)
            else:
                self.ignored.append(Ignored(one, reason))
        self.broken = [*self._findings(), *self._budgets()]
        self._by_fingerprint = {
            found.cluster.fingerprint: found
            for found in self.broken
            if found.cluster is not None
        }
        self.gone = [
            one for one in baseline or () if clusters.get(one.fingerprint) is None
        ]
        self.ungated = [
            one for one in self.kept if one.severity == "error" and not self._gated(one)
        ]

    def confidential(self) -> Verdict:
        """The verdict without code, folders of paths and secrets."""
        from pt2triage._confidential._rows import verdict_twin

        return verdict_twin(self)

    @property
    def passed(self) -> bool:
        return not self.broken

    def break_of(self, one: Cluster) -> Break | None:
        """The gate that a finding broke."""
        return self._by_fingerprint.get(one.fingerprint)

    @property
    def unaccepted(self) -> list[Cluster]:
        """What the baseline does not have, or not as often, gated or not."""
        if self.baseline is None:
            return []
        return [
            one
            for one in self.kept
            if (known := self.baseline.get(one.fingerprint)) is None
            or known.count < one.count
        ]

    @property
    def _only_budgets(self) -> bool:
        config = self.config
        budgets = (config.max_graph_breaks, config.max_recompiles)
        return (
            self.baseline is None
            and config.fail_on is None
            and any(budget is not None for budget in budgets)
        )

    def _gated(self, one: Cluster) -> bool:
        """Whether a gate looks at findings of this kind."""
        if self.config.fail_on is not None:
            return one.category in self.config.fail_on
        if self.baseline is not None:
            return True
        return one.severity == "error" and not self._only_budgets

    def _findings(self) -> Iterator[Break]:
        for one in self.kept:
            if not self._gated(one):
                continue
            if self.baseline is None:
                gate = "error" if self.config.fail_on is None else "fail-on"
                yield Break(gate, _times(one.count), one)
                continue
            known = self.baseline.get(one.fingerprint)
            if known is None:
                yield Break("new", f"{_times(one.count)}, not in the baseline", one)
            elif known.count < one.count:
                allowed = f"{known.count:,} in the baseline"
                yield Break("more", f"{_times(one.count)}, {allowed}", one)

    def _budgets(self) -> Iterator[Break]:
        counts, config = self.clusters.counts, self.config
        for gate, key, budget in (
            ("max-graph-breaks", "graph_breaks", config.max_graph_breaks),
            ("max-recompiles", "recompiles", config.max_recompiles),
        ):
            if budget is not None and counts[key] > budget:
                what = key.replace("_", " ")
                yield Break(gate, f"{counts[key]:,} {what}, {budget:,} allowed", None)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
