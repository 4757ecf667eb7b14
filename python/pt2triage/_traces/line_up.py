"""Which compiles of two runs are of the same code."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._traces.rank_line_up import base_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pt2triage import _core
    from pt2triage._traces.trace import Trace

# What torch calls the rest of a function after a graph break.
_RESUME = re.compile(r"(?:torch_dynamo_resume_in_(.+)_at_\d+|<resume in (.+)>)$")


class CompileName(NamedTuple):
    """What is compiled; never by number, since every edit gives new numbers.

    Attributes:
        file: Base name of the user's file, or None.
        function: The user's function, or None.
        role: Empty, ``resume`` for what follows a graph break of that function,
            ``compiled autograd`` for the backward that follows that function's
            forward, ``autograd graph`` for what compiled autograd gave to be compiled,
            ``outside`` for what is of no compile.
        rank: The rank, where both runs have ranks.
    """

    file: str | None
    function: str | None
    role: str = ""
    rank: int | None = None

    def __str__(self) -> str:
        function = self.function or "unknown function"
        text = {
            "": function,
            "resume": f"{function} (after a graph break)",
            "compiled autograd": f"{function} (compiled autograd)",
            "autograd graph": f"{function} (graph of compiled autograd)",
            "outside": "outside of compiles",
        }[self.role]
        return text if self.rank is None else f"{text}, rank {self.rank}"


class CompilePair(NamedTuple):
    """One compile of the code before and after; one of them can be missing.

    Attributes:
        name: What is compiled.
        before: The compile before, or None.
        after: The compile after, or None.
    """

    name: CompileName
    before: _core.Compile | None
    after: _core.Compile | None


class _Frame(NamedTuple):
    """The compiles of one code object in one process."""

    line: int | None
    compiles: list[_core.Compile]


def line_up(before: Trace, after: Trace) -> tuple[CompilePair, ...]:
    """Pairs the compiles of two runs, in the order of the run after.

    Frames of one name are paired by their first line, where that is the same, then
    by their order; the compiles of a frame by their order.
    """
    ranked = _has_ranks(before) and _has_ranks(after)
    ones, others = _frames(before, ranked), _frames(after, ranked)
    pairs: list[CompilePair] = []
    for name in dict.fromkeys((*others, *ones)):
        for one, other in _paired(ones.get(name, []), others.get(name, [])):
            both = itertools.zip_longest(
                one.compiles if one else (), other.compiles if other else ()
            )
            pairs += [CompilePair(name, a, b) for a, b in both]
    return tuple(pairs)


def names_of(
    pairs: tuple[CompilePair, ...],
) -> list[dict[tuple[int, str], CompileName]]:
    """For each side what the compiles of its processes are called."""
    sides: list[dict[tuple[int, str], CompileName]] = [{}, {}]
    for pair in pairs:
        for side, row in zip(sides, pair[1:], strict=True):
            if row is not None and row.compile_id is not None:
                side[row.process, row.compile_id] = pair.name
    return sides


def _has_ranks(trace: Trace) -> bool:
    return any(process.rank is not None for process in trace.processes)


def _frames(trace: Trace, ranked: bool) -> dict[CompileName, list[_Frame]]:
    """The frames of a run by what they are of, in order."""
    frames: dict[tuple[int, str], _Frame] = {}
    found: dict[CompileName, list[_Frame]] = {}
    forward: dict[int, CompileName] = {}  # the last of each process
    # Files have random names, so processes are taken in the order of their begins.
    begins = [process.first_time for process in trace.processes]
    for row in sorted(trace.compiles, key=lambda row: begins[row.process]):
        if row.compile_id is None:
            continue
        frame_id = row.compile_id.rpartition("/")[0] or row.compile_id
        frame = frames.get((row.process, frame_id))
        if frame is None:
            name = _name(row, forward.get(row.process), ranked)
            frame = frames[row.process, frame_id] = _Frame(row.line, [])
            found.setdefault(name, []).append(frame)
            if not name.role.endswith(("autograd", "graph")):
                forward[row.process] = name
        frame.compiles.append(row)
    return found


def _name(row: _core.Compile, forward: CompileName | None, ranked: bool) -> CompileName:
    rank = row.rank if ranked else None
    if row.compile_id and row.compile_id.startswith("!"):
        role = "compiled autograd" if "/" in row.compile_id else "autograd graph"
        of = forward or CompileName(None, None)
        return CompileName(of.file, of.function, role, rank)
    match = _RESUME.match(row.function or "")
    if match:
        function = match[1] or match[2]
        return CompileName(base_name(row.file), function, "resume", rank)
    return CompileName(base_name(row.file), row.function, "", rank)


def _paired(
    ones: list[_Frame], others: list[_Frame]
) -> Iterator[tuple[_Frame | None, _Frame | None]]:
    """Pairs of frames that have one name."""
    lines, other_lines = ({frame.line for frame in side} for side in (ones, others))
    if len(ones) != len(others) or lines == other_lines:
        ones, others = list(ones), list(others)
        for one in tuple(ones):
            other = next((o for o in others if o.line == one.line), None)
            if other is not None:
                ones.remove(one)
                others.remove(other)
                yield one, other
    yield from itertools.zip_longest(ones, others)
