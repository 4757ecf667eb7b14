"""A comparison as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pt2triage.report.top_json import TOOL, marks

if TYPE_CHECKING:
    from pt2triage._clusters import Clusters
    from pt2triage._diff import Change, Diff


def document(diff: Diff) -> dict[str, Any]:
    """The whole comparison as plain containers."""
    return {
        "schema_version": 1,
        "kind": "diff",
        **marks(diff.is_confidential),
        "tool": TOOL,
        "before": _side(diff.before),
        "after": _side(diff.after),
        "counts": {
            name: {"before": before, "after": after}
            for name, (before, after) in diff.counts.items()
        },
        "new": [_change(one) for one in diff.new],
        "fixed": [_change(one) for one in diff.fixed],
        "more": [_change(one) for one in diff.more],
        "fewer": [_change(one) for one in diff.fewer],
        "same": diff.same,
        "lines": [
            line._asdict()
            | {
                "guards_before": list(line.guards_before),
                "guards_after": list(line.guards_after),
            }
            for line in diff.lines
        ],
        "trace": diff.traces and diff.traces.to_dict(),
    }


def _side(clusters: Clusters) -> dict[str, Any]:
    return {
        "sources": clusters.sources,
        "clusters": len(clusters),
        "omitted_findings": clusters.omitted,
    }


def _change(change: Change) -> dict[str, Any]:
    row = change.cluster.to_dict()
    place = change.cluster.place
    kept = (
        *("fingerprint", "category", "cause", "severity"),
        *("exception", "message", "reason", "guards", "user_frame"),
    )
    return {
        **{key: row[key] for key in kept[:4]},
        "before": change.before,
        "after": change.after,
        **{key: row[key] for key in kept[4:]},
        "place": place and place._asdict(),
    }
