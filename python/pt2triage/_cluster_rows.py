"""The columns of a table of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt2triage._cluster import Cluster

CLUSTER_COLUMNS = (
    "fingerprint",
    "category",
    "cause",
    "severity",
    "new",
    "count",
    "findings",
    "sources",
    "exception",
    "message",
    "reason",
    "graph_break_id",
    "guards",
    "user_file",
    "user_line",
    "user_function",
    "phase",
    "compile_mode",
    "backend",
    "first_time",
    "last_time",
    "flaky",
    "ranks",
    "jobs",
    "tests",
    "next_command",
    "source",
    "line",
)

_LISTS = ("guards", "jobs", "tests", "ranks")


def cluster_record(cluster: Cluster) -> dict[str, object]:
    """One row: the first place spread out."""
    place = cluster.place
    spread: dict[str, object] = {
        **{column: list(getattr(cluster, column)) for column in _LISTS},
        "source": place and place.source,
        "line": place and place.line,
    }
    return {
        column: spread[column] if column in spread else getattr(cluster, column)
        for column in CLUSTER_COLUMNS
    }
