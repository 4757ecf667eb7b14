"""Findings that the settings of the project leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._cluster import new_cluster

if TYPE_CHECKING:
    from pt2triage import Cluster, Finding
    from pt2triage._config import Config


class Ignored:
    """The rules of `[tool.pt2triage]` for the findings of one test."""

    def __init__(self, config: Config, test: str) -> None:
        self._config = config
        self._test = test

    def reason(self, finding: Finding) -> str | None:
        """Why a finding is left out; None if it is not."""
        if not self._config.ignore:
            return None
        one = cluster_of(finding)
        one.tests = (self._test,)  # what PyTorch logs does not name it
        return self._config.reason_to_ignore(one)


def cluster_of(finding: Finding) -> Cluster:
    """A finding as what lists of findings are made of."""
    one = new_cluster(finding)
    one.add(finding, report=1)
    return one
