"""Which calls led to which compiles: the stacks of all compiles as one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report.trace_text import where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pt2triage import _core
    from pt2triage.report.trace_links import Link, Pages

# Nodes, and compiles of a node, that are shown.
_NODES = 3000
_COMPILES = 20
_TORCH = ("/torch/", "\\torch\\")


class _Node:
    __slots__ = ("children", "compiles")

    def __init__(self) -> None:
        self.children: dict[tuple[str, int | None, str | None], _Node] = {}
        # By id and outcome: the first such compile, and how many processes have it.
        self.compiles: dict[tuple[str | None, str], tuple[_core.Compile, int]] = {}


class Step(NamedTuple):
    """One step of drawing the tree.

    Attributes:
        kind: "open" begins calls that have others below them, and "close" ends it;
            "compile" is a compile, "more" tells what is left out.
        frames: The calls, each with whether it is torch's own.
    """

    kind: str
    frames: list[tuple[str, str, bool]]
    link: Link | None = None
    outcome: str = ""
    note: str = ""


def stack_tree(compiles: Iterable[_core.Compile], pages: Pages) -> list[Step]:
    """The tree as steps, in the order of the page."""
    root = _Node()
    for one in compiles:
        node = root
        for frame in one.stack:
            key = (frame.file, frame.line, frame.function)
            child = node.children.get(key)
            if child is None:
                child = node.children[key] = _Node()
            node = child
        name = (one.compile_id, one.outcome)
        first, times = node.compiles.get(name, (one, 0))
        node.compiles[name] = (first, times + 1)
    steps: list[Step] = []
    for step in _draw(root, pages):
        if len(steps) >= _NODES:
            return _cut(steps)
        steps.append(step)
    return steps


def _draw(root: _Node, pages: Pages) -> Iterator[Step]:
    """Walks the tree without recursion: stacks of recursive functions are deep."""
    todo: list[tuple[list[tuple[str, str, bool]], _Node] | None] = [([], root)]
    while todo:
        item = todo.pop()
        if item is None:
            yield Step("close", [])
            continue
        frames, node = item
        while len(node.children) == 1 and not node.compiles:
            ((key, node),) = node.children.items()
            frames = [*frames, _frame(key)]
        if frames:
            yield Step("open", frames)
            todo.append(None)
        yield from _compiles(node, pages)
        for key, child in reversed(node.children.items()):
            todo.append(([_frame(key)], child))


def _compiles(node: _Node, pages: Pages) -> Iterator[Step]:
    every = list(node.compiles.values())
    for one, times in every[:_COMPILES]:
        link = pages.link((one.process, one.compile_id))
        note = f"in {times:,} processes" if times > 1 else link.who
        if one.attempts > 1:
            note = ", ".join(filter(None, (f"{one.attempts} attempts", note)))
        yield Step("compile", [], link, one.outcome, note)
    if len(every) > _COMPILES:
        note = f"and {len(every) - _COMPILES:,} more compiles"
        yield Step("more", [], note=note)


def _frame(key: tuple[str, int | None, str | None]) -> tuple[str, str, bool]:
    file, line, function = key
    return where(file, line), function or "", any(part in file for part in _TORCH)


def _cut(steps: list[Step]) -> list[Step]:
    """The beginning of a large tree, closed where it is cut."""
    deep = sum((step.kind == "open") - (step.kind == "close") for step in steps)
    steps.append(Step("more", [], note="and more calls, which are not drawn"))
    return steps + [Step("close", [])] * deep
