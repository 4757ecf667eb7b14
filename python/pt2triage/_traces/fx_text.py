"""Graphs of FX read from what PyTorch prints, in any of its versions."""

from __future__ import annotations

import re
from typing import NamedTuple

from pt2triage._traces.fx_tokens import (
    CLASS,
    Token,
    declared,
    flattened,
    is_release,
    logical_lines,
    operation_of,
    split,
    target,
    unquoted,
)

# Nodes of a graph that are kept: what is beyond is told as cut.
MOST_NODES = 50_000
_FILE = re.compile(
    r"\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in .*?(?:, code: (.*))?$"
)
_SYMBOL = re.compile(r"\b(?:s|u|zf|zuf)\d+\b(?!\[)")  # u8[3] is a type


class Node(NamedTuple):
    """One node of a graph.

    Attributes:
        name: As printed; it plays no part in comparing.
        kind: ``input``, ``call`` or ``output``.
        operation: What it calls: ``torch.ops.aten.mm.default``, ``.sin``, ``+``.
        template: The whole expression, with a hole for each node that it reads.
        reads: Places of the nodes that it reads, in the order of the holes.
        type: The printed type, ``f32[4, 8][8, 1]cpu``; empty where none is.
        common_type: The type with the symbols of shapes numbered as they come.
        graph: Which graph of the text it is in, from 0: bodies of higher-order
            operators are graphs of their own.
        file: The user's file, or None.
        line: The user's line, or None.
        code: The user's source line, or None.
    """

    name: str
    kind: str
    operation: str
    template: str
    reads: tuple[int, ...]
    type: str
    common_type: str
    graph: int
    file: str | None
    line: int | None
    code: str | None


class Graph(NamedTuple):
    """A printed graph, with those inside of it.

    Attributes:
        nodes: All nodes in order.
        cut: Whether it had more nodes than are read.
    """

    nodes: tuple[Node, ...]
    cut: bool = False


def is_graph(text: str) -> bool:
    """Whether it is a graph as PyTorch prints it."""
    head = text[:4096]
    return CLASS.match(head.lstrip("\n")) is not None and "def forward(" in head


def parse_graph(text: str) -> Graph:
    """Reads a graph. Lines that are no nodes are skipped; nothing is run."""
    reader = _Reader()
    for line in logical_lines(text):
        reader.take(line)
        if len(reader.nodes) > MOST_NODES:
            return Graph(tuple(reader.nodes[:MOST_NODES]), cut=True)
    return Graph(tuple(reader.nodes))


class _Reader:
    """Makes nodes of lines, one after the other."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._graph = -1
        self._known: dict[str, int] = {}  # names to nodes, of this graph
        # Graphs that are not at their end, by indentation, with their names.
        self._open: list[tuple[int, int, dict[str, int]]] = []
        self._symbols: dict[str, str] = {}
        self._place: tuple[str | None, int | None, str | None] = (None, None, None)
        self._graphs = 0

    def take(self, line: str | list[Token]) -> None:
        if isinstance(line, str):
            self._heading(line)
            return
        texts = [token.text for token in line]
        if texts[:2] == ["def", "forward"]:
            self._inputs(line)
        elif texts[0] == "return":
            _, reads = self._expression(line[1:])
            self._add("output", "output", "output", reads, "")
        else:
            self._statement(line)

    def _heading(self, line: str) -> None:
        match = _FILE.match(line)
        if match:
            self._place = (match["file"], int(match["line"]), match[3])
        elif CLASS.match(line):
            self._graph = self._graphs
            self._graphs += 1
            self._known = {}
            self._place = (None, None, None)
        elif "No stacktrace found" in line:
            self._place = (None, None, None)

    def _inputs(self, line: list[Token]) -> None:
        """The arguments of `forward`, with their types."""
        depth = 0
        for index, token in enumerate(line[:-1]):
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            starts = line[index - 1].text in ("(", ",", "*", "**")
            if depth == 1 and starts and token.kind == "name" and token.text != "self":
                type_ = line[index + 2] if line[index + 1].text == ":" else None
                self._input(token.text, unquoted(type_))

    def _input(self, name: str, type_: str) -> None:
        self._place = (None, None, None)
        self._add("input", "input", "input", (), type_, name)

    def _statement(self, line: list[Token]) -> None:
        parts = split(line)
        parts = [part for part in parts if part and not is_release(part)]
        if not parts:
            return
        inputs = [declared(part) for part in parts]
        if all(inputs):  # primals_1: "f32[3]"; tangents_1: "f32[]";
            for one in inputs:
                if one:
                    self._input(*one)
            return
        name, type_, value = target(parts[0])
        if len(parts) > 1:  # x += 1;  iadd: "f32[4]" = x
            other_name, other_type, other = target(parts[-1])
            if other_name and len(other) == 1:
                name, type_, value = other_name, other_type, parts[0]
        if name is None:
            names = flattened(parts[0])
            for each in names:  # primals_1, tangents_1, = fx_pytree...
                if each not in self._known:
                    self._input(each, "")
            if names:
                return
            value = parts[0]
        if len(value) == 1 and value[0].text in self._known and name:
            self._known[name] = self._known[value[0].text]  # another name for it
            return
        template, reads = self._expression(value)
        self._add(
            "call", operation_of(value, self._known), template, reads, type_, name
        )

    def _expression(self, tokens: list[Token]) -> tuple[str, tuple[int, ...]]:
        """Its text with holes, and which nodes fill them."""
        reads: list[int] = []
        words: list[str] = []
        for index, token in enumerate(tokens):
            text = token.text
            if token.kind == "name" and text in self._known:
                before = tokens[index - 1].text if index else ""
                after = tokens[index + 1].text if index + 1 < len(tokens) else ""
                keyword = after == "=" and before in ("(", ",")
                if before != "." and not keyword:
                    reads.append(self._known[text])
                    text = "%"
            words.append(self._common(text))
        return " ".join(words), tuple(reads)

    def _common(self, text: str) -> str:
        """Without what PyTorch numbers anew: symbols of shapes."""

        def number(match: re.Match[str]) -> str:
            return self._symbols.setdefault(match[0], f"sym{len(self._symbols)}")

        return _SYMBOL.sub(number, text)

    def _add(
        self,
        kind: str,
        operation: str,
        template: str,
        reads: tuple[int, ...],
        type_: str,
        name: str | None = None,
    ) -> None:
        if name:
            self._known[name] = len(self.nodes)
        told = (type_, self._common(type_), max(self._graph, 0))
        called = (name or kind, kind, operation, template, reads)
        self.nodes.append(Node(*called, *told, *self._place))
