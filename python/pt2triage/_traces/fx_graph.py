"""Two graphs of FX compared as graphs: by structure, whatever nodes are called."""

from __future__ import annotations

from typing import Any, NamedTuple

from pt2triage._traces.fx_match import Match, from_inputs, from_outputs
from pt2triage._traces.fx_text import Graph, Node

# Nodes of each group that a dictionary lists.
_LISTED = 50


class NodeChange(NamedTuple):
    """A node that both graphs have, and that is not the same.

    Attributes:
        before: The node before.
        after: The node after.
        detail: What is not the same, in words; empty where the nodes say it.
    """

    before: Node
    after: Node
    detail: str = ""


class GraphDiff(NamedTuple):
    """What changed between two graphs; nodes that have another name have not.

    Attributes:
        added: Nodes that only the graph after has.
        removed: Nodes that only the graph before had.
        changed: Nodes in the same place that call something else, or the same with
            other constants.
        rewired: The same nodes, which read others.
        retyped: The same nodes, whose shape, strides, type or device is another.
        same: Number of nodes that are the same.
        cut: Whether a graph was too large to be read whole.
    """

    added: tuple[Node, ...]
    removed: tuple[Node, ...]
    changed: tuple[NodeChange, ...]
    rewired: tuple[NodeChange, ...]
    retyped: tuple[NodeChange, ...]
    same: int
    cut: bool

    @property
    def differs(self) -> bool:
        groups = (self.added, self.removed, self.changed, self.rewired, self.retyped)
        return any(groups) or self.cut

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {"kind": "graph", "same": self.same, "cut": self.cut}
        for name in ("added", "removed"):
            nodes: tuple[Node, ...] = getattr(self, name)
            made[name] = {
                "count": len(nodes),
                "nodes": [_node(node) for node in nodes[:_LISTED]],
            }
        for name in ("changed", "rewired", "retyped"):
            changes: tuple[NodeChange, ...] = getattr(self, name)
            made[name] = {
                "count": len(changes),
                "nodes": [
                    {
                        "before": _node(one.before),
                        "after": _node(one.after),
                        "detail": one.detail,
                    }
                    for one in changes[:_LISTED]
                ],
            }
        return made


def _node(node: Node) -> dict[str, Any]:
    kept = ("name", "kind", "operation", "type", "file", "line")
    return {key: getattr(node, key) for key in kept}


def compare_graphs(before: Graph, after: Graph) -> GraphDiff:
    """Compares two graphs."""
    match = Match(before.nodes, after.nodes)
    match.inputs()
    match.by_hash(from_inputs)
    match.by_hash(from_outputs)
    match.around()
    match.by_order()
    match.late_inputs()
    match.around()
    return _judge(match, before.cut or after.cut)


def _judge(match: Match, cut: bool) -> GraphDiff:
    changed: list[NodeChange] = []
    rewired: list[NodeChange] = []
    retyped: list[NodeChange] = []
    same = 0
    for a, b in sorted(match.pairs.items()):
        one, other = match.before[a], match.after[b]
        others = tuple(match.pairs.get(i) for i in one.reads)
        if one.template != other.template:
            changed.append(NodeChange(one, other))
        elif others != other.reads:
            rewired.append(NodeChange(one, other, _reads(match, one, other)))
        elif one.common_type != other.common_type:
            retyped.append(NodeChange(one, other, f"{one.type} -> {other.type}"))
        else:
            same += 1
    return GraphDiff(
        tuple(n for i, n in enumerate(match.after) if i not in match.back),
        tuple(n for i, n in enumerate(match.before) if i not in match.pairs),
        *(tuple(changed), tuple(rewired), tuple(retyped), same, cut),
    )


def _reads(match: Match, one: Node, other: Node) -> str:
    """What it reads now in place of what, at the first place that is another."""
    for a, b in zip(one.reads, other.reads, strict=False):
        if match.pairs.get(a) != b:
            return f"reads {match.after[b].name} instead of {match.before[a].name}"
    return f"reads {len(other.reads)} nodes instead of {len(one.reads)}"
