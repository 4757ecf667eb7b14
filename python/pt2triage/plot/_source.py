"""Where the compiles of a report are from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from pt2triage._errors import Pt2TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage import _core
    from pt2triage._report import Report
    from pt2triage._traces.trace import Trace
    from pt2triage.plot._compiles import Compile


_ID = re.compile(r"(?:!(\d+))?/?(?:(\d+)/(\d+))?")


class Row:
    """A compile of a trace, as the plots ask for it; other columns are the row's."""

    def __init__(self, row: _core.Compile, pid: str) -> None:
        self._row = row
        self.process = pid
        self.session = row.process
        match = _ID.match(row.compile_id or "")
        parts = match.groups() if match else (None, None, None)
        autograd, frame, compile = (None if p is None else int(p) for p in parts)
        self.compiled_autograd_id = autograd
        self.frame_id = frame
        self.frame_compile_id = compile
        self.compile_id = row.compile_id or ""
        self.function = row.function or ""
        self.file = row.file or ""
        self.restarts: Sequence[str] = row.restart_reasons
        self.cache: str | None = row.aot_cache or row.fx_cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


def rows_of(trace: Trace) -> tuple[Compile, ...]:
    """The compiles of a trace, in order."""
    pids = [process.pid for process in trace.processes]
    rows = [Row(row, pids[row.process]) for row in trace.compiles]
    return cast("tuple[Compile, ...]", tuple(rows))


def compiles_of(report: Report) -> Sequence[Compile]:
    """The compiles in the traces that `report` was made of, which are read again.

    Raises:
        Pt2TriageError: There is a trace, which cannot be read again.
    """
    if report._trace is not None:
        return rows_of(report._trace())
    traces = [source.name for source in report.sources if source.trace_records]
    if not traces:
        return ()
    from pt2triage._traces.trace import read_trace

    try:
        return rows_of(read_trace(traces))
    except OSError as error:
        raise Pt2TriageError(
            f"the compiles are read from the trace again, which failed: {error}; use "
            "pt2triage.read_trace(path).plot"
        ) from error
