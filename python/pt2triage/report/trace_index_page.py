"""The first page of a trace: what was compiled, how it ended, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage import __version__
from pt2triage._traces.chains import specialisations
from pt2triage._traces.times import CompileTimes, cache_use, time_of
from pt2triage.report.context import read_passages
from pt2triage.report.page_rows import full_row
from pt2triage.report.reread import quotable
from pt2triage.report.templating import html_environment, script_hash
from pt2triage.report.trace_links import CHROMIUM
from pt2triage.report.trace_text import duration, heading, where
from pt2triage.report.trace_tree import stack_tree
from pt2triage.report.trace_why import breaks, failures, histories

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage import _core
    from pt2triage._traces.trace import Trace
    from pt2triage.report.page_rows import Row
    from pt2triage.report.trace_artifacts import Key
    from pt2triage.report.trace_links import Link, Pages

# Rows of the table of compiles, and of the other lists.
_COMPILES = 5000
_ROWS = 200
_BUFFER = 500


def index_pieces(
    trace: Trace, pages: Pages, outside: Sequence[Key], events: int
) -> Iterator[str]:
    """The page, piece by piece.

    Args:
        trace: Its tables.
        pages: Where the pages of compiles are.
        outside: Pages that are of no compile.
        events: Chromium events that were written.
    """
    first, *more = ("".join(words for words, _ in line) for line in heading(trace))
    ranks = sorted({p.rank for p in trace.processes if p.rank is not None})
    kinds = sorted(trace.kinds, key=lambda kind: (kind.known, -kind.payload_bytes))
    dimensions = specialisations(trace)
    stream = (
        html_environment()
        .get_template("trace_index.html.j2")
        .stream(
            version=__version__,
            policy=f"'sha256-{script_hash('trace_index.js')}'",
            heading=first,
            lines=more,
            first=_first(trace),
            processes=trace.processes[:_ROWS],
            more_processes=max(len(trace.processes) - _ROWS, 0),
            many=len(trace.processes) > 1,
            ranks=ranks,
            tree=stack_tree(trace.compiles, pages),
            compiles=_compiles(trace, pages),
            number=len(trace.compiles),
            more_compiles=max(len(trace.compiles) - _COMPILES, 0),
            outside=[pages.link(key) for key in outside[:_ROWS]],
            failures=failures(trace, pages),
            breaks=breaks(trace, pages),
            histories=histories(trace, pages),
            dimensions=dimensions,
            caches=cache_use(trace),
            times=CompileTimes(trace),
            ranks_text=_ranks_text(trace),
            kinds=kinds,
            chromium=CHROMIUM if events else "",
            events=events,
            rows=_ROWS,
            where=where,
            duration=duration,
            link=lambda one: pages.link((one.process, one.compile_id)),
        )
    )
    stream.enable_buffering(_BUFFER)
    yield from stream


def _first(trace: Trace) -> Row | None:
    """The finding to look at first, with the lines of the trace that prove it."""
    if not len(trace.report.findings):
        return None
    finding = trace.report.findings[0]
    read = read_passages(quotable(trace.report), finding.evidence[:1])
    return full_row(finding, "", read)


def _compiles(
    trace: Trace, pages: Pages
) -> Iterator[tuple[_core.Compile, Link, str, int]]:
    for one in trace.compiles[:_COMPILES]:
        link = pages.link((one.process, one.compile_id))
        yield one, link, where(one.file, one.line), time_of(one)


def _ranks_text(trace: Trace) -> Sequence[str] | None:
    """What the comparison of ranks says, line by line; None where there is none.

    The one place that gives it to the page. It reads the sources again.
    """
    from pt2triage._traces.ranks import compare_ranks
    from pt2triage.report.trace_ranks_text import render_ranks

    if len({p.rank for p in trace.processes if p.rank is not None}) < 2:
        return None
    lines = render_ranks(compare_ranks(trace))
    return ["".join(words for words, _ in line) for line in lines]
