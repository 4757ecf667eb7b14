"""Which nodes of two FX graphs are the same node."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from pt2triage._sequences import edits
from pt2triage._traces.fx_text import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Nodes without a counterpart that are aligned by their order; more are not.
_ALIGNED = 20_000
# Users of a node that are looked at one by one.
_USERS = 64
# Inputs that have the name of a variable: `L_x_`, `G_w_`, and symbols of shapes.
_NAMED = re.compile(r"_?[LG]_|(?:s|u|zf|zuf)\d+$")


class Match:
    """Pairs of nodes, found in steps; a node is in one pair at most."""

    def __init__(self, before: Sequence[Node], after: Sequence[Node]) -> None:
        self.before = before
        self.after = after
        self.pairs: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.users = (_users(before), _users(after))

    def pair(self, one: int, other: int) -> None:
        if one not in self.pairs and other not in self.back:
            self.pairs[one] = other
            self.back[other] = one

    def inputs(self) -> None:
        """Inputs by place where there are as many, by name where Dynamo names them
        after the user's variables. The others wait for what reads them."""
        for ones, others in _groups(self.before, self.after, "input"):
            names = {self.after[i].name: i for i in others}
            by_name = all(_NAMED.match(name) for name in names)
            if len(ones) != len(others) and not by_name:
                continue
            same_names = {self.before[i].name for i in ones} == names.keys()
            if len(ones) == len(others) and not same_names:
                for one, other in zip(ones, others, strict=True):
                    self.pair(one, other)
            for one in ones:
                if self.before[one].name in names:
                    self.pair(one, names[self.before[one].name])
        for ones, others in _groups(self.before, self.after, "output"):
            for one, other in zip(ones, others, strict=False):
                self.pair(one, other)

    def late_inputs(self) -> None:
        """Inputs that nothing else told apart: by kind of type, in order."""
        for ones, others in _groups(self.before, self.after, "input"):
            waiting: dict[str, list[int]] = defaultdict(list)
            for other in reversed(others):
                if other not in self.back:
                    waiting[_type_kind(self.after[other].type)].append(other)
            for one in ones:
                kind = _type_kind(self.before[one].type)
                if one not in self.pairs and waiting[kind]:
                    self.pair(one, waiting[kind].pop())

    def by_hash(
        self, hashes: Callable[[Match], tuple[list[bytes], list[bytes]]]
    ) -> None:
        """Nodes that stand alike; of several the first with the first."""
        of_before, of_after = hashes(self)
        waiting: dict[bytes, list[int]] = defaultdict(list)
        for other in range(len(self.after) - 1, -1, -1):
            if other not in self.back and of_after[other]:
                waiting[of_after[other]].append(other)
        for one, known in enumerate(of_before):
            if one not in self.pairs and known and waiting.get(known):
                self.pair(one, waiting[known].pop())

    def around(self) -> None:
        """What pairs read and what reads them, where that is of one kind."""
        work = list(self.pairs.items())
        while work:
            one, other = work.pop()
            found = list(
                zip(self.before[one].reads, self.after[other].reads, strict=False)
            )
            found += self._readers(one, other)
            for a, b in found:
                free = a not in self.pairs and b not in self.back
                if free and self._alike(a, b):
                    self.pair(a, b)
                    work.append((a, b))

    def _readers(self, one: int, other: int) -> list[tuple[int, int]]:
        """Users of two nodes, where each node has one free user for an operation, or
        one free user in all: that is where something else is called."""
        free = [i for i in self.users[0][one] if i not in self.pairs]
        ours = [i for i in self.users[1][other] if i not in self.back]
        alike: dict[str, list[int]] = defaultdict(list)
        for b in ours:
            alike[self.after[b].template].append(b)
        found: list[tuple[int, int]] = []
        for a in free:
            called = alike.get(self.before[a].template, ())
            if len(called) == 1:
                found.append((a, called[0]))
        if not found and len(free) == 1 and len(ours) == 1:
            found.append((free[0], ours[0]))
        return found

    def _alike(self, a: int, b: int) -> bool:
        """Whether two nodes can be one: the same call, or one that reads and is read
        by the same nodes."""
        one, other = self.before[a], self.after[b]
        if one.kind != other.kind or one.graph != other.graph:
            return False
        if one.template == other.template or one.operation == other.operation:
            return True
        if [self.pairs.get(i) for i in one.reads] != list(other.reads):
            return False
        users, others = self.users[0][a], self.users[1][b]
        if max(len(users), len(others)) > _USERS:
            return len(users) == len(others)
        if any(self.pairs.get(i) in others for i in users):
            return True
        return sorted(self.before[i].template for i in users) == sorted(
            self.after[i].template for i in others
        )

    def by_order(self) -> None:
        """Calls that are left, where they are the same in the same order."""
        ones = [i for i in _calls(self.before) if i not in self.pairs]
        others = [i for i in _calls(self.after) if i not in self.back]
        if not ones or not others or max(len(ones), len(others)) > _ALIGNED:
            return
        changes = edits(
            [(self.before[i].graph, self.before[i].template) for i in ones],
            [(self.after[i].graph, self.after[i].template) for i in others],
        )
        if changes is None:
            return
        at, to = 0, 0
        for a, b, c, d in [*changes, (len(ones), 0, len(others), 0)]:
            for one, other in zip(ones[at:a], others[to:c], strict=True):
                self.pair(one, other)
            at, to = b, d


def _groups(
    before: Sequence[Node], after: Sequence[Node], kind: str
) -> Iterable[tuple[list[int], list[int]]]:
    """Places of the nodes of a kind, graph by graph."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for side, nodes in enumerate((before, after)):
        for place, node in enumerate(nodes):
            if node.kind == kind:
                found.setdefault(node.graph, ([], []))[side].append(place)
    return found.values()


def _calls(nodes: Sequence[Node]) -> list[int]:
    return [place for place, node in enumerate(nodes) if node.kind == "call"]


def _type_kind(type_: str) -> str:
    """`Sym`, or the element type with the number of dimensions.

    >>> _type_kind("f32[4, 8][8, 1]cpu"), _type_kind("Sym(s0)")
    ('f32 2', 'Sym 0')
    """
    head, _, rest = type_.partition("[")
    shape = rest.partition("]")[0]
    dimensions = shape.count(",") + 1 if shape.strip() else 0
    return f"{head.partition('(')[0]} {dimensions}"


def _users(nodes: Sequence[Node]) -> list[dict[int, int]]:
    """For each node who reads it, with the first hole that it fills."""
    users: list[dict[int, int]] = [{} for _ in nodes]
    for place, node in enumerate(nodes):
        for hole, read in enumerate(node.reads):
            users[read].setdefault(place, hole)
    return users


def from_inputs(match: Match) -> tuple[list[bytes], list[bytes]]:
    """What each node computes: its call, and what those that it reads compute."""

    def hashes(nodes: Sequence[Node], inputs: dict[int, int]) -> list[bytes]:
        made: list[bytes] = []
        for place, node in enumerate(nodes):
            if node.kind == "input":
                paired = inputs.get(place)
                made.append(b"" if paired is None else _hash(b"input", str(paired)))
            elif node.kind == "output" or not all(made[i] for i in node.reads):
                made.append(b"")
            else:
                parts = b"".join(made[i] for i in node.reads)
                made.append(_hash(parts, f"{node.graph} {node.template}"))
        return made

    own = {i: i for i in match.pairs}
    return hashes(match.before, own), hashes(match.after, match.back)


def from_outputs(match: Match) -> tuple[list[bytes], list[bytes]]:
    """What becomes of each node: its call, and what becomes of those that read it."""

    def hashes(nodes: Sequence[Node], users: list[dict[int, int]]) -> list[bytes]:
        made: list[bytes] = [b""] * len(nodes)
        for place in range(len(nodes) - 1, -1, -1):
            node = nodes[place]
            if node.kind == "output":
                made[place] = _hash(b"output", str(node.graph))
            elif users[place]:
                # An output that came or went moves the others.
                holes = [
                    (u, 0 if nodes[u].kind == "output" else hole)
                    for u, hole in users[place].items()
                ]
                parts = sorted(made[u] + hole.to_bytes(4) for u, hole in holes)
                made[place] = _hash(b"".join(parts), f"{node.graph} {node.template}")
        return made

    return hashes(match.before, match.users[0]), hashes(match.after, match.users[1])


def _hash(parts: bytes, text: str) -> bytes:
    data = parts + b"\0" + text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).digest()
