"""Inductor's output code, kernel by kernel."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._sequences import Edit, changed_lines, edits
from pt2triage._traces.kernel_text import NUMBER, Kernel, OutputCode

if TYPE_CHECKING:
    from collections.abc import Sequence

# Kernels and calls of each group that a dictionary lists.
_LISTED = 50


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
        lambda kernel: (kernel.language, NUMBER.sub("", kernel.name)),
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
