"""A comparison of two runs' traces as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pt2triage import _core
    from pt2triage._traces.diff import TraceDiff
    from pt2triage._traces.line_up import CompilePair

_KEPT = (
    *("compile_id", "line", "outcome", "attempts", "fail_type", "fail_reason"),
    *("duration_us", "dynamo_us", "aot_us", "inductor_us", "codegen_us", "triton_us"),
    *("backward_us", "restart_us", "fx_cache", "aot_cache", "guards"),
    *("graph_ops", "graph_nodes", "graph_inputs", "graph_hash", "graph_breaks"),
)


def document(diff: TraceDiff) -> dict[str, Any]:
    """The whole comparison as plain containers."""
    return {
        "torch": {"before": diff.torch[0], "after": diff.torch[1]},
        "compiles": [_pair(pair) for pair in diff.pairs],
        "graph_breaks": [one.to_dict() for one in diff.graph_breaks],
        "recompiles": [one.to_dict() for one in diff.recompiles],
        "times_us": {
            phase: {"before": before, "after": after}
            for phase, (before, after) in diff.times.items()
        },
        "cache": {
            outcome: {"before": before, "after": after}
            for outcome, (before, after) in diff.cache_counts.items()
        },
        "artifacts": [one.to_dict() for one in diff.artifacts],
        "same_artifacts": diff.same_artifacts,
        "alike_artifacts": diff.alike_artifacts,
        "unread": [{"name": name, "error": why} for name, why in diff.unread],
    }


def _pair(pair: CompilePair) -> dict[str, Any]:
    return {
        **pair.name._asdict(),
        "before": _compile(pair.before),
        "after": _compile(pair.after),
    }


def _compile(row: _core.Compile | None) -> dict[str, Any] | None:
    return row and {name: getattr(row, name) for name in _KEPT}
