"""How what compiles carry has changed, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._traces.fx_graph import GraphDiff
from pt2triage._traces.kernels import CodeDiff
from pt2triage.report.layout import Line, crop, crop_start, wrap
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._artifact_changes import ArtifactChange, LineDiff
    from pt2triage._traces.diff import TraceDiff
    from pt2triage._traces.fx_text import Node
    from pt2triage._traces.line_up import CompileName

# Rows of a group, and details of an artifact, that are shown.
ROWS = 20
# Artifacts that are told in full; the others are other forms of these.
_FULL = re.compile(
    r"dynamo_output_graph|aot_\w*graph|inductor_post_grad_graph"
    r"|compiled_autograd_graph|inductor_output_code"
)
_DETAILS = 6


def artifact_lines(diff: TraceDiff, width: int) -> list[Line]:
    """By compile: graphs and code in full, the others by name."""
    of_name: dict[CompileName, list[ArtifactChange]] = {}
    for one in diff.artifacts:
        of_name.setdefault(one.name, []).append(one)
    rows = [_of_compile(name, changes, width) for name, changes in of_name.items()]
    lines = group("what compiles carry", rows)
    if lines:
        same = f"  {number(diff.same_artifacts, 'artifact')} as before"
        if diff.alike_artifacts:
            same += f", {diff.alike_artifacts:,} but for names, numbers and paths"
        lines.append([(same, "dim")])
    return lines


def _of_compile(
    name: CompileName, changes: Sequence[ArtifactChange], width: int
) -> list[Line]:
    lines: list[Line] = [[(f"  {named(name)}", "title")]]
    others: list[str] = []
    for one in changes:
        if one.change == "changed" and _FULL.fullmatch(one.title):
            lines += _detailed(one, width)
        else:
            word = "" if one.change == "changed" else f" ({one.change})"
            others.append(_title(one) + word)
    if others:
        text = "    other: " + ", ".join(others[:ROWS])
        if len(others) > ROWS:
            text += f" and {len(others) - ROWS:,} more"
        lines += [[(line, "dim")] for line in wrap(text, width, hang=2)]
    return lines


def _title(one: ArtifactChange) -> str:
    title = crop(one_line(one.title), 80)
    return f"{title} #{one.occurrence + 1}" if one.occurrence else title


def _detailed(one: ArtifactChange, width: int) -> list[Line]:
    detail = one.detail
    if detail is None:
        return [[(f"    {_title(one)}: too large to be compared", "")]]
    if isinstance(detail, GraphDiff):
        summary, rows = _graph(detail)
    elif isinstance(detail, CodeDiff):
        summary, rows = _code(detail)
    else:
        summary, rows = _text(detail)
    lines: list[Line] = [[(f"    {_title(one)}: {summary}", "")]]
    lines += [[("      " + crop(row, width - 6), "")] for row in rows[:_DETAILS]]
    left = len(rows) - _DETAILS
    if left > 0:
        lines.append([(f"      ... and {left:,} more", "dim")])
    return lines


def _graph(detail: GraphDiff) -> tuple[str, list[str]]:
    names = ("changed", "added", "removed", "rewired", "retyped")
    counts = [f"{len(found)} {n}" for n in names if (found := getattr(detail, n))]
    summary = f"nodes {', '.join(counts)}, {detail.same:,} the same"
    if detail.cut:
        summary += ", the rest not read"
    rows = [f"~ {_became(c.before, c.after)}{_at(c.after)}" for c in detail.changed]
    rows += [f"+ {_call(node)}{_at(node)}" for node in detail.added]
    rows += [f"- {_call(node)}{_at(node)}" for node in detail.removed]
    rows += [
        f"~ {one_line(c.after.name)} ({_call(c.after)}): {one_line(c.detail)}"
        for c in (*detail.rewired, *detail.retyped)
    ]
    return summary, rows


def _call(node: Node) -> str:
    if node.kind == "input":
        return f"input {one_line(node.name)} {one_line(node.type)}".strip()
    if node.operation[:1].isalpha() and node.operation != "getitem":
        return one_line(node.operation).removeprefix("torch.ops.")
    if node.operation.startswith("."):
        return one_line(node.operation) + "()"
    return _expression(node)


def _expression(node: Node) -> str:
    """The whole expression; `%` stands for each node that it reads."""
    text = re.sub(r" ?([().\[\],]) ?", r"\1", one_line(node.template))
    return text.replace(",", ", ").removeprefix("torch.ops.")


def _became(before: Node, after: Node) -> str:
    """What a node calls before and after; with the constants where it is the same."""
    told = (_call(before), _call(after))
    if told[0] == told[1]:
        told = (_expression(before), _expression(after))
    return f"{told[0]} -> {told[1]}"


def _at(node: Node) -> str:
    """The user's line, as the graph tells it."""
    if node.file is None:
        return ""
    return f"  {crop_start(one_line(node.file), 40)}:{node.line}"


def _code(detail: CodeDiff) -> tuple[str, list[str]]:
    parts = [
        f"{len(found)} {name}"
        for name in ("changed", "added", "removed")
        if (found := getattr(detail, name))
    ]
    if detail.order_changed:
        parts.append("calls in another order")
    elif detail.calls and not parts:
        parts.append("other calls")
    summary = f"kernels {', '.join(parts)}, {detail.same:,} the same"
    rows = [
        f"~ {one_line(c.after.name)}: {c.added} lines came, {c.removed} went"
        for c in detail.changed
    ]
    rows += [f"+ {one_line(k.name)}" for k in detail.added]
    rows += [f"- {one_line(k.name)}" for k in detail.removed]
    if not rows or detail.order_changed:
        rows += [f"call {one_line(call)}" for call in detail.calls]
    return summary, rows


def _text(detail: LineDiff) -> tuple[str, list[str]]:
    before, after = (one_line(line) for line in detail.first)
    summary = f"{detail.added:,} lines came, {detail.removed:,} went"
    return summary, [
        f"{mark} {line}" for mark, line in (("-", before), ("+", after)) if line
    ]


def group(title: str, rows: Sequence[list[Line]]) -> list[Line]:
    """A heading and its first rows; nothing where there is none."""
    if not rows:
        return []
    lines: list[Line] = [[], [(title, "title"), (f" ({len(rows):,})", "dim")]]
    lines += [line for row in rows[:ROWS] for line in row]
    left = len(rows) - ROWS
    if left > 0:
        lines.append([(f"  ... and {left:,} more: --format json", "dim")])
    return lines


def named(name: CompileName) -> str:
    return one_line(str(name))
