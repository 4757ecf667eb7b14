"""What has plots: reports, and tables of compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.plot._source import compiles_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage._report import Report
    from pt2triage.plot._compiles import Compile


class CompilePlots:
    """Plots of compiles: when, how long, and how they hang together.

    Every method draws into `ax`, or into a figure of its own, and returns the figure.
    It raises a ``ModuleNotFoundError`` without matplotlib.
    """

    __slots__ = ("_rows",)

    def __init__(self, compiles: Sequence[Compile]) -> None:
        self._rows = compiles

    def timeline(self, ax: Axes | None = None) -> Figure:
        """The compiles of each process over time, in seconds since the first one."""
        from pt2triage.plot._timeline import timeline

        return timeline(self._compiles(), ax)

    def time_by_phase(self, top: int = 30, ax: Axes | None = None) -> Figure:
        """How long each of the `top` longest compiles was in which part of PyTorch."""
        from pt2triage.plot._phases import time_by_phase

        return time_by_phase(self._compiles(), top, ax)

    def compile_ids(self, ax: Axes | None = None) -> Figure:
        """The compile ids as a tree: frames, their recompiles, attempts of each."""
        from pt2triage.plot._tree import compile_ids

        return compile_ids(self._compiles(), ax)

    def _compiles(self) -> Sequence[Compile]:
        return self._rows

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"<{type(self).__name__}: {', '.join(names)}>"


class ReportPlots(CompilePlots):
    """Plots of a report; those of compiles read the traces of the report again."""

    __slots__ = ("_report",)

    def __init__(self, report: Report) -> None:
        super().__init__(())
        self._report = report

    def breaks_by_line(self, top: int = 20, ax: Axes | None = None) -> Figure:
        """Graph breaks by line of the user's code, most first, coloured by cause."""
        from pt2triage.plot._breaks import breaks_by_line

        return breaks_by_line(self._report, top, ax)

    def recompiles_by_guard(self, top: int = 20, ax: Axes | None = None) -> Figure:
        """Recompiles by the guard that failed, most first, coloured by cause."""
        from pt2triage.plot._recompiles import recompiles_by_guard

        return recompiles_by_guard(self._report, top, ax)

    def _compiles(self) -> Sequence[Compile]:
        return compiles_of(self._report)
