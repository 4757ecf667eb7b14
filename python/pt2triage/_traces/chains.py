"""Why functions were compiled again, and where graphs broke, over a whole trace."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage import _core
    from pt2triage._traces.trace import Trace


class Chain:
    """The compiles of one function in one process, in order.

    Attributes:
        first: The first compile.
        steps: The later ones, each with the guards that failed before it: those of
            every compile that was tried. Empty where the trace does not say.
    """

    def __init__(self, first: _core.Compile) -> None:
        self.first = first
        self.steps: list[tuple[_core.Compile, list[_core.TraceRecompile]]] = []


class BreakSite:
    """A graph break by its place in the user's code.

    Attributes:
        row: One of its rows.
        count: How often the graph broke there.
        compiles: The compiles in which it did, with their processes.
    """

    def __init__(self, row: _core.TraceBreak) -> None:
        self.row = row
        self.count = 0
        self.compiles: list[tuple[int, str | None]] = []


def recompile_chains(trace: Trace) -> list[Chain]:
    """Functions that were compiled more than once, the most often first."""
    guards = _guards(trace)
    frames: dict[tuple[int, str], list[_core.Compile]] = {}
    for one in trace.compiles:
        if one.compile_id is not None and "/" in one.compile_id:
            frame = one.compile_id.rpartition("/")[0]
            frames.setdefault((one.process, frame), []).append(one)
    chains: list[Chain] = []
    for (process, _), compiles in frames.items():
        chain: Chain | None = None
        for one in compiles:
            again = guards.get((process, one.compile_id, one.at_offset), [])
            # After a reset the numbers begin again, and so does the chain.
            begins = one.compile_id is not None and one.compile_id.endswith("/0")
            if chain is None or (begins and not again):
                chain = Chain(one)
                chains.append(chain)
            else:
                chain.steps.append((one, again))
    return sorted(
        (chain for chain in chains if chain.steps), key=lambda chain: -len(chain.steps)
    )


def _guards(
    trace: Trace,
) -> dict[tuple[int, str | None, int], list[_core.TraceRecompile]]:
    """The guards that failed before each compile, which is known by its place too:
    ids are handed out again after a reset."""
    begins: dict[tuple[int, str | None], list[int]] = {}
    for one in trace.compiles:
        begins.setdefault((one.process, one.compile_id), []).append(one.at_offset)
    found: dict[tuple[int, str | None, int], list[_core.TraceRecompile]] = {}
    for row in trace.recompiles:
        places = begins.get((row.process, row.compile_id), [row.at_offset])
        last = max(bisect_right(places, row.at_offset) - 1, 0)
        key = (row.process, row.compile_id, places[last])
        found.setdefault(key, []).append(row)
    return found


def break_sites(trace: Trace) -> list[BreakSite]:
    """Where graphs broke, most often first; equal breaks of all ranks are one."""
    sites: dict[tuple[str | None, int | None, str], BreakSite] = {}
    for row in trace.graph_breaks:
        key = (row.file, row.line, row.reason)
        site = sites.get(key)
        if site is None:
            site = sites[key] = BreakSite(row)
        site.count += row.count
        site.compiles.append((row.process, row.compile_id))
    return sorted(sites.values(), key=lambda site: -site.count)


def cudagraph_skips(trace: Trace) -> list[tuple[str, list[_core.Compile]]]:
    """Why CUDA graphs were not used, with the compiles; most compiles first."""
    skips: dict[str, list[_core.Compile]] = {}
    for one in trace.compiles:
        if one.cudagraph_skip_reason:
            skips.setdefault(one.cudagraph_skip_reason, []).append(one)
    return sorted(skips.items(), key=lambda item: -len(item[1]))


def specialisations(trace: Trace) -> list[_core.Symbol]:
    """The symbolic dimensions that became one value, and the line that did it."""
    return [
        row for row in trace.symbols if row.record == "symbolic_shape_specialization"
    ]
