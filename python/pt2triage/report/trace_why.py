"""Rows of the index of a trace: failures, breaks and recompiles with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage._traces.chains import break_sites, cudagraph_skips, recompile_chains
from pt2triage.report.page_rows import cut
from pt2triage.report.trace_text import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage import _core
    from pt2triage._traces.chains import Chain
    from pt2triage._traces.trace import Trace
    from pt2triage.report.trace_artifacts import Key
    from pt2triage.report.trace_links import Link, Links, Pages

# Steps of a chain that are shown.
_STEPS = 50


class Failure(NamedTuple):
    """Compiles that ended, or began again, for one reason.

    Attributes:
        kind: "failed", "began again" or "no CUDA graphs".
        why: The reason, as PyTorch gives it: its first line, and the others.
        place: The user's line, where it is told.
        compiles: How many.
    """

    kind: str
    why: str
    more: str
    place: str
    compiles: int
    links: Links


class Break(NamedTuple):
    """A line of the user's code at which graphs break for one reason."""

    times: int
    place: str
    row: _core.TraceBreak
    why: str
    explanation: str
    links: Links


class History(NamedTuple):
    """The compiles of one function.

    Attributes:
        name: The function.
        place: Its line.
        compiles: How many there are of it in a process.
        processes: How many processes have the same history.
        steps: A compile, and the guards that failed before it.
        more: Steps that are not listed.
    """

    name: str
    place: str
    compiles: int
    processes: int
    ranks: str
    first: Link
    steps: Sequence[tuple[Link, Sequence[_core.TraceRecompile]]]
    more: int


def failures(trace: Trace, pages: Pages) -> list[Failure]:
    """Why compiles failed, began again, or had no CUDA graphs; failures first."""
    found: dict[tuple[str, str, str], list[Key]] = {}
    again: dict[tuple[str, str, str], list[Key]] = {}
    for one in trace.compiles:
        key = (one.process, one.compile_id)
        if one.fail_type:
            place = where(one.fail_file, one.fail_line) or where(one.file, one.line)
            why = cut(f"{one.fail_type}: {one.fail_reason or 'no reason is given'}")
            found.setdefault(("failed", why, place), []).append(key)
        for reason in one.restart_reasons:
            name = ("began again", cut(reason), where(one.file, one.line))
            again.setdefault(name, []).append(key)
    for reason, skipped in cudagraph_skips(trace):
        keys = [(one.process, one.compile_id) for one in skipped]
        again[("no CUDA graphs", cut(reason), "")] = keys
    return [
        Failure(kind, *_first_line(why), place, len(keys), pages.links(keys))
        for (kind, why, place), keys in (found | again).items()
    ]


def breaks(trace: Trace, pages: Pages) -> list[Break]:
    """Graph breaks, the most frequent first."""
    return [
        Break(
            site.count,
            where(site.row.file, site.row.line),
            site.row,
            cut(site.row.reason),
            cut(site.row.explanation or ""),
            pages.links(site.compiles),
        )
        for site in break_sites(trace)
    ]


def histories(trace: Trace, pages: Pages) -> list[History]:
    """Functions that were compiled again; equal histories of processes are one."""
    alike: dict[tuple[object, ...], list[Chain]] = {}
    for chain in recompile_chains(trace):
        alike.setdefault(_likeness(chain), []).append(chain)
    rows: list[History] = []
    for chains in alike.values():
        first = chains[0].first
        keys = [(c.first.process, c.first.compile_id) for c in chains]
        steps = [
            (pages.link((one.process, one.compile_id)), guards)
            for one, guards in chains[0].steps[:_STEPS]
        ]
        rows.append(
            History(
                first.function or "?",
                where(first.file, first.line),
                len(chains[0].steps) + 1,
                len({c.first.process for c in chains}),
                pages.links(keys).ranks,
                pages.link(keys[0]),
                steps,
                max(len(chains[0].steps) - _STEPS, 0),
            )
        )
    return rows


def _first_line(reason: str) -> tuple[str, str]:
    first, _, rest = reason.strip().partition("\n")
    return first, rest.strip("\n")


def _likeness(chain: Chain) -> tuple[object, ...]:
    """What two processes have alike if they compiled a function for equal reasons."""
    first = chain.first
    steps = tuple(
        (one.compile_id, tuple((g.failed_compile_id, g.guard) for g in guards))
        for one, guards in chain.steps
    )
    return (first.function, first.file, first.line, first.compile_id, steps)
