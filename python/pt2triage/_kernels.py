"""Inductor's output code, kernel by kernel."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._sequences import Edit, edits

if TYPE_CHECKING:
    from collections.abc import Sequence

_START = re.compile(
    r"^(\w{1,200}) = async_compile\.(?!wait\b)(\w{1,40})\(", re.MULTILINE
)
_CALL = re.compile(r"^\s*def call\(", re.MULTILINE)
# What may be called in `call`: kernels by name, and what Inductor did not write.
_CALLED = re.compile(
    r"(?:[\w, ()]+ = )?((?:extern_kernels|torch\.ops|aten|inductor_ops)(?:\.\w+)+"
    r"|\w+?)(?:\.run)?\("
)
_NUMBER = re.compile(r"(?:_\d+)+$")
_NODES = re.compile(r"# (?:Topologically Sorted )?Source Nodes: \[([^\]]*)\]")
# What differs between two compiles of one kernel: numbers of the names, paths of
# caches, hashes, and what the machine has.
_OWN = (
    (re.compile(r"#include \"[^\"\n]{0,500}\""), "#include ..."),
    (re.compile(r"'(backend_hash|kernel_name|hash)': '[^'\n]{0,200}'"), r"'\1': ..."),
    (re.compile(r"/\S{0,200}torchinductor_\S{0,500}"), "PATH"),
)
# Kernels of one output code and calls of it that are compared.
_MOST = 10_000
_LISTED = 50
# Of a line that calls something, and from the name of a kernel to its source.
_LONGEST_CALL = 2_000
_NEAR = 20_000


class Kernel(NamedTuple):
    """A kernel that Inductor wrote.

    Attributes:
        name: As it is called, ``triton_poi_fused_add_0``.
        language: ``triton``, ``cpp_pybinding``, ``cuda``, ``multi_kernel`` ...
        nodes: Names of the nodes that it computes, as its comment says.
        body: Its source, without what is each compile's own.
    """

    name: str
    language: str
    nodes: str
    body: str


class OutputCode(NamedTuple):
    """What an output code consists of.

    Attributes:
        kernels: Its kernels, in order.
        calls: What `call` calls, in order: names of kernels, and of operators that
            Inductor did not write, ``extern_kernels.mm``.
    """

    kernels: tuple[Kernel, ...]
    calls: tuple[str, ...]


class KernelChange(NamedTuple):
    """A kernel whose source is another.

    Attributes:
        before: The kernel before.
        after: The kernel after.
        added: Number of new lines.
        removed: Number of lines that are gone.
        first: The first lines that are not the same, before and after.
    """

    before: Kernel
    after: Kernel
    added: int
    removed: int
    first: tuple[str, str]


class CodeDiff(NamedTuple):
    """What changed between two output codes.

    Attributes:
        added: Kernels that only the code after has.
        removed: Kernels that only the code before had.
        changed: Kernels of the same name, but for its number, with another source.
        same: Number of kernels that are the same, whatever their numbers.
        calls: Calls that came (``+``), went (``-``) or were moved, in order.
        order_changed: Whether the same calls come in another order.
    """

    added: tuple[Kernel, ...]
    removed: tuple[Kernel, ...]
    changed: tuple[KernelChange, ...]
    same: int
    calls: tuple[str, ...]
    order_changed: bool

    @property
    def differs(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.calls)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "code",
            "same": self.same,
            "added": [_kernel(one) for one in self.added[:_LISTED]],
            "removed": [_kernel(one) for one in self.removed[:_LISTED]],
            "changed": [
                {
                    "before": _kernel(one.before),
                    "after": _kernel(one.after),
                    "added_lines": one.added,
                    "removed_lines": one.removed,
                    "first": list(one.first),
                }
                for one in self.changed[:_LISTED]
            ],
            "calls": list(self.calls[:_LISTED]),
            "order_changed": self.order_changed,
        }


def _kernel(one: Kernel) -> dict[str, Any]:
    return {"name": one.name, "language": one.language, "nodes": one.nodes}


def parse_code(text: str) -> OutputCode:
    """Reads output code; nothing of it is run."""
    kernels: list[Kernel] = []
    end = 0
    for match in _START.finditer(text):
        if match.start() < end or len(kernels) >= _MOST:
            continue
        begin, end = _body(text, match.end())
        nodes = _NODES.findall(text, max(match.start() - 4096, 0), match.start())
        body = _common(text[begin:end], match[1])
        kernels.append(Kernel(match[1], match[2], nodes[-1] if nodes else "", body))
    names = {kernel.name for kernel in kernels}
    return OutputCode(tuple(kernels), tuple(_calls(text, end, names)))


def _body(text: str, start: int) -> tuple[int, int]:
    """The source of a kernel: in triple quotes, else the rest of the line."""
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    quotes = text.find("'''", start, start + _NEAR)
    if quotes < 0 or text.count("\n", start, quotes) > 2:
        return start, line_end
    close = text.find("'''", quotes + 3)
    return quotes + 3, len(text) if close < 0 else close


def _common(body: str, name: str) -> str:
    base = _NUMBER.sub("", name)
    body = body.replace(name, base)
    for pattern, common in _OWN:
        body = pattern.sub(common, body)
    lines = (line.rstrip() for line in body.strip().split("\n"))
    return "\n".join(line for line in lines if not line.lstrip().startswith("# "))


def _calls(text: str, start: int, names: set[str]) -> list[str]:
    """What is called between `def call(` and what follows it."""
    found = _CALL.search(text, start)
    if found is None:
        return []
    calls: list[str] = []
    for line in text[found.end() :].split("\n")[1:]:
        if line and not line[0].isspace() and not line.startswith("#"):
            break
        match = _CALLED.match(line.strip()[:_LONGEST_CALL])
        if match and (match[1] in names or "." in match[1]):
            calls.append(match[1])
            if len(calls) >= _MOST:
                break
    return calls


def compare_codes(before: OutputCode, after: OutputCode) -> CodeDiff:
    """Compares two output codes: kernels by source first, then by name."""
    pairs = _pairs(before.kernels, after.kernels)
    kept = set(pairs.values())
    changed: list[KernelChange] = []
    same = 0
    for one, other in pairs.items():
        a, b = before.kernels[one], after.kernels[other]
        if a.body == b.body:
            same += 1
        else:
            changed.append(_change(a, b))
    ids = {before.kernels[one].name: f"{one}" for one in pairs}
    other_ids = {after.kernels[other].name: f"{one}" for one, other in pairs.items()}
    calls, moved = _call_changes(
        [(ids.get(name, f"- {name}"), name) for name in before.calls],
        [(other_ids.get(name, f"+ {name}"), name) for name in after.calls],
    )
    return CodeDiff(
        tuple(k for i, k in enumerate(after.kernels) if i not in kept),
        tuple(k for i, k in enumerate(before.kernels) if i not in pairs),
        *(tuple(changed), same, calls, moved),
    )


def _pairs(before: Sequence[Kernel], after: Sequence[Kernel]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    free = list(range(len(after)))
    keys = (
        lambda kernel: (kernel.language, kernel.body),
        lambda kernel: (kernel.language, _NUMBER.sub("", kernel.name)),
    )
    for key in keys:
        waiting: dict[tuple[str, str], list[int]] = {}
        for other in free:
            waiting.setdefault(key(after[other]), []).append(other)
        for one, kernel in enumerate(before):
            if one not in pairs and waiting.get(key(kernel)):
                pairs[one] = waiting[key(kernel)].pop(0)
        taken = set(pairs.values())
        free = [other for other in free if other not in taken]
    return dict(sorted(pairs.items()))


def _change(before: Kernel, after: Kernel) -> KernelChange:
    ones, others = before.body.split("\n"), after.body.split("\n")
    added, removed, first = changed_lines(ones, others)
    return KernelChange(before, after, added, removed, first)


def changed_lines(
    before: list[str], after: list[str]
) -> tuple[int, int, tuple[str, str]]:
    """How many lines came and went, and the first that are not the same.

    Large texts are compared by what lines they have, not by their order.
    """
    changes = edits(before, after)
    if changes is None:
        return _unordered(before, after)
    added = removed = 0
    first: tuple[str, str] | None = None
    for a, b, c, d in changes:
        removed += b - a
        added += d - c
        if first is None:
            first = (before[a] if b > a else "", after[c] if d > c else "")
    return added, removed, first or ("", "")


def _unordered(before: list[str], after: list[str]) -> tuple[int, int, tuple[str, str]]:
    ones, others = set(before), set(after)
    gone = [line for line in before if line not in others]
    new = [line for line in after if line not in ones]
    first = (gone[0] if gone else "", new[0] if new else "")
    return len(new), len(gone), first


def _call_changes(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> tuple[tuple[str, ...], bool]:
    """Calls that came, went or stand elsewhere; of kernels that are the same in
    both the number in the name plays no part."""

    def key(pair: tuple[str, str]) -> str:
        return pair[0] if pair[0].isdigit() else pair[1]

    ones, others = [key(p) for p in before], [key(p) for p in after]
    told: list[str] = []
    for a, b, c, d in _edits_of_calls(ones, others):
        told += [f"- {name}" for _, name in before[a:b]]
        told += [f"+ {name}" for _, name in after[c:d]]
    moved = bool(told) and sorted(ones) == sorted(others)
    return tuple(told), moved


def _edits_of_calls(ones: list[str], others: list[str]) -> list[Edit]:
    """As `edits`; of very many calls those that one side has more often."""
    found = edits(ones, others)
    if found is not None:
        return found
    gone = Counter(ones) - Counter(others)
    new = Counter(others) - Counter(ones)
    rest = [(i, i + 1, 0, 0) for i, name in enumerate(ones) if _take(gone, name)]
    return rest + [
        (0, 0, i, i + 1) for i, name in enumerate(others) if _take(new, name)
    ]


def _take(counts: Counter[str], name: str) -> bool:
    counts[name] -= 1
    return counts[name] >= 0
