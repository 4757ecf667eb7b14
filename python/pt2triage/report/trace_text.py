"""A trace as text: one section for each question."""

from __future__ import annotations

from pt2triage._notice import NOTICE
from pt2triage._traces.chains import (
    break_sites,
    cudagraph_skips,
    recompile_chains,
    specialisations,
)
from pt2triage._traces.rank_line_up import base_name
from pt2triage._traces.times import CompileTimes, cache_use, time_of
from pt2triage.report.columns import table
from pt2triage.report.layout import Line, crop, wrap
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from pt2triage import _core
    from pt2triage._traces.trace import Trace

    # Makes the lines of a section: trace, width, rows at most (None: all).
    Section: TypeAlias = Callable[[Trace, int, "int | None"], list[Line]]

_STYLES = {"failed": "error", "unfinished": "warning", "empty": "dim"}
_LONGEST_CHAIN = 8
_MOST_GUARDS = 3
_UNTOLD = "the trace does not say why"


def heading(trace: Trace) -> list[Line]:
    """What there is, in two lines."""
    counts = trace.counts()
    processes = list(trace.processes)
    if not processes:
        return [
            [("No record of a structured trace here.", "title")],
            [("Run with TORCH_TRACE=folder, and name the folder.", "")],
        ]
    ranks = sorted({p.rank for p in processes if p.rank is not None})
    versions = sorted({p.torch_version for p in processes if p.torch_version})
    who = number(counts["processes"], "process")
    if ranks:
        who += f", {number(len(ranks), 'rank')}"
    if versions:
        who += f", PyTorch {', '.join(map(one_line, versions))}"
    failed = sum(p.failed for p in processes)
    least = "at least " if trace.omitted else ""
    what = [
        least + number(counts["compiles"], "compile"),
        f"{failed:,} failed",
        number(sum(p.graph_breaks for p in processes), "graph break"),
        number(sum(p.recompiles for p in processes), "recompile"),
        f"{duration(sum(p.compile_us for p in processes))} of compile time",
    ]
    lines: list[Line] = [[(who, "title")], [(", ".join(what), "")]]
    if trace.is_confidential:
        lines.append([(NOTICE, "dim")])
    lines += [[(note, "warning")] for note in _notes(trace)]
    if trace.omitted:
        lines.append([(f"{trace.omitted:,} rows were too many to keep.", "warning")])
    unknown = [kind for kind in trace.kinds if not kind.known]
    if unknown:
        names = ", ".join(one_line(kind.name or kind.record) for kind in unknown[:5])
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        lines.append([(f"Records of a newer PyTorch, kept: {names}{more}", "warning")])
    return lines


def _notes(trace: Trace) -> list[str]:
    """What of the sources is damaged."""
    sums = [d for d in trace.report.diagnostics if d.kind == "checksum-mismatch"]
    places = sum(source.malformed for source in trace.report.sources) - len(sums)
    notes: list[str] = []
    if sums:
        first = f"{one_line(sums[0].source)}:{sums[0].line}"
        text = number(len(sums), "payload")
        notes.append(f"{text} without the MD5 sum that is stated, the first at {first}")
    if places > 0:
        text = number(places, "place")
        notes.append(f"{text} could not be read: pt2triage scan names them")
    return notes


def compiles(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """Every compile: what, how it ended, how long."""
    many = len(trace.processes) > 1
    rows: list[list[str]] = []
    shown = list(trace.compiles)[:limit]
    for one in shown:
        rows.append(
            [
                *([who(trace, one.process)] if many else []),
                one_line(one.compile_id or ""),
                _function(one),
                where(base_name(one.file), one.line),
                one.outcome + (f" x{one.attempts}" if one.attempts > 1 else ""),
                duration(time_of(one)),
                one.aot_cache or one.fx_cache or "",
                _count(one.graph_ops),
                _count(one.guards),
                str(one.graph_breaks or ""),
            ]
        )
    head = ["compile", "function", "at", "outcome", "time", "cache", "ops", "guards"]
    head += ["breaks"]
    if many:
        head.insert(0, "process")
    first = len(head) - 9
    if width < 100:  # these two are the first that can be missed
        for row in [head, *rows]:
            del row[first + 6 : first + 8]
    lines = table(
        head,
        rows,
        width,
        styles=["dim"] * first + ["code", "title"],
        numbers=[first + 4, *range(first + 6, len(head))],
        paths=[first + 2],
    )
    for one, line in zip(shown, lines[1:], strict=True):
        line[first + 3] = (line[first + 3][0], _STYLES.get(one.outcome, ""))
    lines += _more(len(trace.compiles), len(rows), "compile")
    for one in shown:
        if one.fail_type:
            text = f"{one.compile_id or '?'}: {one.fail_type}: {one.fail_reason or ''}"
            lines.append([(crop(one_line(text), width), "error")])
    for reason, skipped in cudagraph_skips(trace)[:limit]:
        lines.append([("No CUDA graphs in " + _ids(skipped) + ":", "warning")])
        lines += [[(text, "")] for text in wrap("  " + one_line(reason), width)]
    return lines


def breaks(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """Graph breaks by line of the user's code."""
    sites = break_sites(trace)
    if not sites:
        return [[("No graph breaks.", "good")]]
    lines: list[Line] = []
    skipped = sum(site.count for site in sites if site.row.skipped_frame)
    if skipped:
        text = f"with {number(skipped, 'skipped frame')}, which PyTorch does not count"
        lines.append([(text, "dim")])
    for site in sites[:limit]:
        row = site.row
        what = "frame skipped" if row.skipped_frame else "graph break"
        place = where(row.file, row.line) or "place not told"
        if row.function:
            place += f" in {one_line(row.function)}"
        of = ", ".join(dict.fromkeys(id or "?" for _, id in site.compiles))
        lines.append(
            [
                (f"{site.count:>4} x ", ""),
                (place, "title"),
                (f"  {what} in {crop(one_line(of), 40)}", "dim"),
            ]
        )
        if row.code:
            lines.append([(crop(f"         {one_line(row.code)}", width), "code")])
        lines += [[(t, "")] for t in wrap(f"       {one_line(row.reason)}", width, 2)]
    return lines + _more(len(sites), len(sites[:limit]), "place")


def recompiles(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """Why each function was compiled again, step by step."""
    chains = recompile_chains(trace)
    if not chains:
        return [[("No function was compiled twice.", "good")]]
    lines: list[Line] = []
    many = len(trace.processes) > 1
    for chain in chains[:limit]:
        first = chain.first
        name = one_line(first.function or "?")
        head: Line = [(name, "title"), (f"  {where(first.file, first.line)}", "")]
        head.append((f"  {len(chain.steps) + 1} compiles", "dim"))
        if many:
            head.append((f"  {who(trace, first.process)}", "dim"))
        lines.append(head)
        for one, guards in chain.steps[:_LONGEST_CHAIN]:
            texts = [_guard(guard) for guard in guards] or [
                "the trace does not say why"
            ]
            texts = list(dict.fromkeys(texts))
            if len(texts) > _MOST_GUARDS:
                left = len(texts) - _MOST_GUARDS
                texts[_MOST_GUARDS:] = [f"... and {left} more"]
            for i, text in enumerate(texts):
                lead = one_line(one.compile_id or "?") if i == 0 else ""
                lines.append([(f"  {lead:<7}", "code"), (crop(text, width - 9), "")])
        if len(chain.steps) > _LONGEST_CHAIN:
            left = len(chain.steps) - _LONGEST_CHAIN
            lines.append([(f"  ... and {left} more", "dim")])
    return lines + _more(len(chains), len(chains[:limit]), "function")


def cache(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """How compile caches did."""
    uses = cache_use(trace)
    if not uses:
        return [[("No lookup in a compile cache: off, or an older PyTorch.", "dim")]]
    rows = [
        [
            use.cache,
            f"{use.hits:,}",
            f"{use.misses:,}",
            f"{use.bypasses:,}",
            duration(use.saved_us) if use.saved_us else "",
            duration(use.missed_us) if use.missed_us else "",
        ]
        for use in uses
    ]
    head = ["cache", "hits", "misses", "bypasses", "saved", "a hit would save"]
    lines = table(head, rows, width, numbers=range(1, 6))
    for use in uses:
        for reason, count in use.reasons[:limit]:
            text = f"{use.cache} bypassed {count} x: {one_line(reason)}"
            lines += [[(part, "warning")] for part in wrap(text, width, 2)]
    return lines


def times(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """Compile time by phase, by function and by process."""
    found = CompileTimes(trace)
    if not found.total_us:
        return [[("The trace tells no compile times.", "dim")]]
    total = found.total_us
    rows = [
        [phase, duration(time), f"{time / total:.0%}"]
        for phase, time in found.phases.items()
        if time
    ]
    lines = table(["phase", "time", "share"], rows, width, numbers=(1, 2))
    if found.restarts_us:
        text = f"{duration(found.restarts_us)} of it was lost to restarts"
        lines.append([(text, "warning")])
    functions = [
        [
            one_line(first.function or "?"),
            where(first.file, first.line),
            str(count),
            duration(time),
            f"{time / total:.0%}",
        ]
        for time, count, first in found.functions[:limit]
    ]
    head = ["function", "at", "compiles", "time", "share"]
    lines += [[], *table(head, functions, width, numbers=(2, 3, 4), paths=(1,))]
    lines += _more(len(found.functions), len(functions), "function")
    if len(found.processes) > 1:
        lines.append([])
        slowest = found.processes[0]
        text = f"{who(trace, slowest.process)} (pid "
        text += f"{one_line(trace.processes[slowest.process].pid)}) compiles longest: "
        text += duration(slowest.total_us)
        if slowest.longest:
            longest = slowest.longest[0]
            text += f", {duration(time_of(longest))} of it in "
            text += f"{one_line(longest.function or '?')} {longest.compile_id or ''}"
        lines.append([(crop(text, width), "title")])
    return lines


def symbols(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """Dimensions that were specialised, and by which line."""
    rows = specialisations(trace)
    if not rows:
        return [[("No symbolic dimension was specialised.", "good")]]
    lines: list[Line] = []
    for row in rows[:limit]:
        text = f"{row.symbol} = {row.value or '?'}  {row.source or ''}"
        line: Line = [(crop(one_line(text), width // 2), "title")]
        place = where(row.file, row.line) or "place not told"
        line.append((f"  at {place}", ""))
        line.append((f"  {one_line(row.reason or '')}", "dim"))
        lines.append(line)
    return lines + _more(len(rows), len(rows[:limit]), "symbol")


def artifacts(trace: Trace, width: int, limit: int | None) -> list[Line]:
    """The records by name: how many, how large, and which nobody knows."""
    kinds = sorted(trace.kinds, key=lambda kind: -kind.payload_bytes)
    rows = [
        [
            one_line(kind.name or kind.record) + ("" if kind.known else " (unknown)"),
            f"{kind.records:,}",
            f"{kind.payload_bytes:,}",
        ]
        for kind in kinds[:limit]
    ]
    head = ["record", "number", "bytes"]
    lines = table(head, rows, width, numbers=(1, 2))
    return lines + _more(len(kinds), len(rows), "name")


def who(trace: Trace, process: int) -> str:
    """A process by its rank, else by its number."""
    row = trace.processes[process]
    return f"pid {one_line(row.pid)}" if row.rank is None else f"rank {row.rank}"


def where(file: str | None, line: int | None) -> str:
    """``model.py:7``, with as much of the folders as is printed."""
    if not file:
        return ""
    return one_line(file) + (f":{line}" if line else "")


def _function(one: _core.Compile) -> str:
    """What is compiled; the graphs of compiled autograd are of no function."""
    if one.function:
        return one_line(one.function)
    return "compiled autograd" if (one.compile_id or "").startswith("!") else "?"


def duration(us: int) -> str:
    """A time with a unit that suits it.

    >>> duration(950), duration(12_300), duration(2_500_000), duration(200_000_000)
    ('950 us', '12.3 ms', '2.50 s', '3 min 20 s')
    """
    if us < 1_000:
        return f"{us} us"
    if us < 1_000_000:
        return f"{us / 1_000:.1f} ms"
    if us < 120_000_000:
        return f"{us / 1_000_000:.2f} s"
    minutes, seconds = divmod(round(us / 1_000_000), 60)
    return f"{minutes} min {seconds} s"


def _guard(row: _core.TraceRecompile) -> str:
    text = one_line(row.guard) or "a guard failed"
    if row.failed_compile_id:
        text = f"{one_line(row.failed_compile_id)}: {text}"
    return text


def _ids(compiles: Sequence[_core.Compile]) -> str:
    ids = [one.compile_id or "?" for one in compiles[:6]]
    more = f" and {len(compiles) - 6} more" if len(compiles) > 6 else ""
    return one_line(", ".join(ids)) + more


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _more(total: int, shown: int, noun: str) -> list[Line]:
    if total <= shown:
        return []
    left = number(total - shown, noun)
    return [[(f"... and {left} more: --limit", "dim")]]


SECTIONS: dict[str, tuple[str, Section]] = {
    "compiles": ("Compiles", compiles),
    "breaks": ("Graph breaks", breaks),
    "recompiles": ("Recompiles", recompiles),
    "cache": ("Caches", cache),
    "time": ("Compile time", times),
    "symbols": ("Specialised dimensions", symbols),
    "artifacts": ("Records", artifacts),
}
