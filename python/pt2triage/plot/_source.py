"""Where the compiles of a report are from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._errors import Pt2TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._report import Report
    from pt2triage.plot._compiles import Compile


def compiles_of(report: Report) -> Sequence[Compile]:
    """The compiles in the traces that `report` was made of, which are read again.

    Raises:
        Pt2TriageError: There is a trace, which cannot be read again.
    """
    traces = [source.name for source in report.sources if source.trace_records]
    if traces:
        raise Pt2TriageError("the compiles of a trace cannot be read yet")
    return ()
