"""Budget: what a test may break, and the list of what broke it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pt2triage.pytest_plugin._ignored import cluster_of
from pt2triage.pytest_plugin._settings import BUDGETS
from pt2triage.report.top_text import what, where

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pt2triage import Finding, Report
    from pt2triage.pytest_plugin._ignored import Ignored

# Findings that a failure lists.
_ROWS = 20


class Budget(NamedTuple):
    """What is allowed; None is any number."""

    max_graph_breaks: int | None
    max_recompiles: int | None
    fail_on: tuple[str, ...]

    @classmethod
    def of(
        cls,
        item: pytest.Item,
        budgets: Mapping[str, int | None],
        fail_on: tuple[str, ...],
    ) -> Budget:
        """That of a test's markers, the closest one first; else that of all tests."""
        values = dict(budgets)
        for marker in reversed(list(item.iter_markers("pt2triage"))):
            if marker.args:
                pytest.fail(
                    f"pt2triage: the marker takes {' and '.join(BUDGETS)} by name",
                    pytrace=False,
                )
            for key, value in marker.kwargs.items():
                if key not in BUDGETS:
                    pytest.fail(
                        f"pt2triage: the marker has no {key!r}; choose from "
                        f"{', '.join(BUDGETS)}",
                        pytrace=False,
                    )
                if value is not None and (
                    type(value) is not int or value < 0  # True is no number
                ):
                    pytest.fail(
                        f"pt2triage: {key}: {value!r} is no number of 0 or more",
                        pytrace=False,
                    )
                values[key] = value
        return cls(values["max_graph_breaks"], values["max_recompiles"], fail_on)


def broken(report: Report, budget: Budget, ignored: Ignored) -> str:
    """What broke the budget and where, as text; empty if nothing did.

    Budgets count what is ignored, too, as PyTorch counts it.
    """
    lines: list[str] = []
    counts = report.counts
    for name, count, most, rows in (
        ("graph break", counts.graph_breaks, budget.max_graph_breaks, "graph_break"),
        ("recompile", counts.recompiles, budget.max_recompiles, "recompilation"),
    ):
        if most is not None and count > most:
            total = f"{count:,} {name}{'s' * (count != 1)}"
            lines.append(f"pt2triage: {total}, {most:,} allowed")
            lines += _rows([f for f in report.findings if f.category == rows])
    named = [
        finding
        for finding in report.findings
        if finding.category in budget.fail_on and ignored.reason(finding) is None
    ]
    if named:
        lines.append("pt2triage: findings that fail a test")
        lines += _rows(named)
    return "\n".join(lines)


def _rows(findings: list[Finding]) -> Iterator[str]:
    for finding in findings[:_ROWS]:
        one = cluster_of(finding)
        parts = [where(one), what(one), f"({one.category}: {one.cause})"]
        yield f"  {one.count:,}x {'  '.join(filter(None, parts))}"
    if len(findings) > _ROWS:
        yield f"  and {len(findings) - _ROWS:,} more"
