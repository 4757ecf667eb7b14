"""Plots of reports and of compiles, by matplotlib: `report.plot`.

Each plot returns the figure that it is in. Nothing is shown by itself, and the state
of pyplot is neither used nor changed. matplotlib is loaded by the first plot.
"""

from __future__ import annotations

from pt2triage.plot._compiles import Compile
from pt2triage.plot._namespaces import CompilePlots, ReportPlots

__all__ = ("Compile", "CompilePlots", "ReportPlots")
