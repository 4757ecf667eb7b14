"""What the plots ask of a compile, and the words and colours for how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol


class Compile(Protocol):
    """One compile of a frame, all attempts together; times are in microseconds.

    The times of phases are cumulative: that of AOTAutograd is within Dynamo's,
    Inductor's within AOTAutograd's (or the backward's), code generation within
    Inductor's, and that of kernels within code generation.
    """

    @property
    def rank(self) -> int | None: ...
    @property
    def process(self) -> str: ...
    @property
    def session(self) -> int: ...
    @property
    def compile_id(self) -> str: ...
    @property
    def attempts(self) -> int: ...
    @property
    def frame_id(self) -> int | None: ...
    @property
    def frame_compile_id(self) -> int | None: ...
    @property
    def compiled_autograd_id(self) -> int | None: ...
    @property
    def function(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int | None: ...
    @property
    def outcome(self) -> str: ...
    @property
    def restarts(self) -> Sequence[str]: ...
    @property
    def fail_type(self) -> str | None: ...
    @property
    def cache(self) -> str | None: ...
    @property
    def start_us(self) -> int | None: ...
    @property
    def duration_us(self) -> int | None: ...
    @property
    def dynamo_us(self) -> int | None: ...
    @property
    def aot_us(self) -> int | None: ...
    @property
    def inductor_us(self) -> int | None: ...
    @property
    def codegen_us(self) -> int | None: ...
    @property
    def triton_us(self) -> int | None: ...
    @property
    def backward_us(self) -> int | None: ...


# How a compile ended, in the order of legends: colour and marker. The colours are
# told apart by colour-blind eyes, and are seen on white and on black.
OUTCOMES = {
    "ok": ("#009E73", "o"),
    "cache hit": ("#56B4E9", "s"),
    "restarted": ("#E69F00", "D"),
    "empty": ("#999999", "v"),
    "unfinished": ("#CC79A7", "P"),
    "failed": ("#D55E00", "X"),
}


def outcome_of(one: Compile) -> str:
    """A key of `OUTCOMES`: what went wrong comes before what went well."""
    if one.outcome in ("failed", "unfinished"):
        return one.outcome
    if one.restarts or one.attempts > 1:
        return "restarted"
    if one.outcome == "empty":
        return one.outcome
    return "cache hit" if one.cache == "hit" else "ok"


Process = tuple[int | None, str, int]


def by_process(compiles: Iterable[Compile]) -> dict[Process, list[Compile]]:
    """The compiles of each process: ranks first, by number, then in their order."""
    groups: dict[Process, list[Compile]] = {}
    for one in compiles:
        groups.setdefault((one.rank, one.process, one.session), []).append(one)
    ranks = sorted((key for key in groups if key[0] is not None), key=_rank)
    others = [key for key in groups if key[0] is None]
    return {key: groups[key] for key in [*ranks, *others]}


def process_names(processes: Iterable[Process]) -> dict[Process, str]:
    """A name for each process, with no more in it than tells them apart."""
    keys = list(processes)
    by_rank = Counter(rank for rank, _, _ in keys)
    sessions = Counter((rank, process) for rank, process, _ in keys)
    names: dict[Process, str] = {}
    for key in keys:
        rank, process, session = key
        name = f"rank {rank}" if rank is not None else process
        if rank is not None and by_rank[rank] > sessions[rank, process]:
            name += f" {process}"
        if sessions[rank, process] > 1:
            name += f" session {session}"
        names[key] = name
    return names


def _rank(process: Process) -> tuple[int, int]:
    return process[0] or 0, process[2]
