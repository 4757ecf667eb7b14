"""The rows of a trace's tables by compile, for the pages of compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, TypeVar

    from pt2triage._traces.trace import Trace
    from pt2triage.report.trace_artifacts import Key

    class _Row(Protocol):
        @property
        def process(self) -> int: ...
        @property
        def compile_id(self) -> str | None: ...

    R = TypeVar("R", bound=_Row)


class Rows:
    """The tables of a trace, by compile; metrics are too many to be kept."""

    def __init__(self, trace: Trace) -> None:
        self.compiles = _by_compile(trace.compiles)
        self.breaks = _by_compile(trace.graph_breaks)
        self.recompiles = _by_compile(trace.recompiles)
        self.cache_events = _by_compile(trace.cache_events)
        self.symbols = _by_compile(trace.symbols)
        self.collectives = _by_compile(trace.collectives)


def _by_compile(rows: Iterable[R]) -> dict[Key, list[R]]:
    found: dict[Key, list[R]] = {}
    for row in rows:
        found.setdefault((row.process, row.compile_id), []).append(row)
    return found
