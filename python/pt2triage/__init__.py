"""Reads PyTorch logs and traces and says what failed.

import pt2triage

report = pt2triage.scan("run.log")
print(report.category)
for finding in report.findings:
    print(finding.cause, finding.message, finding.user_frame)
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of typing, without loading it
if TYPE_CHECKING:
    from pt2triage._batch import Scanned, scan_each
    from pt2triage._capture import Capture, capture
    from pt2triage._cluster import Cluster
    from pt2triage._cluster_paths import cluster
    from pt2triage._clusters import Clusters
    from pt2triage._core import (
        CATEGORIES,
        Artifact,
        ChainLink,
        Counts,
        Diagnostic,
        Evidence,
        Finding,
        GuardFailure,
        Remedy,
        Source,
        StackFrame,
        __version__,
    )
    from pt2triage._diff import Diff, diff
    from pt2triage._errors import OpenError, Pt2TriageError
    from pt2triage._explain import explain
    from pt2triage._limits import Limits
    from pt2triage._report import Report
    from pt2triage._scan import scan, scan_lines
    from pt2triage._table import Table
    from pt2triage._traces.diff import TraceDiff, diff_traces
    from pt2triage._traces.ranks import RankComparison, compare_ranks
    from pt2triage._traces.trace import Trace, read_trace
    from pt2triage.hud import load_hud, to_hud

__all__ = (
    "CATEGORIES",
    "Artifact",
    "Capture",
    "ChainLink",
    "Cluster",
    "Clusters",
    "Counts",
    "Diagnostic",
    "Diff",
    "Evidence",
    "Finding",
    "GuardFailure",
    "Limits",
    "OpenError",
    "Pt2TriageError",
    "RankComparison",
    "Remedy",
    "Report",
    "Scanned",
    "Source",
    "StackFrame",
    "Table",
    "Trace",
    "TraceDiff",
    "__version__",
    "capture",
    "cluster",
    "compare_ranks",
    "diff",
    "diff_traces",
    "explain",
    "load_hud",
    "read_trace",
    "scan",
    "scan_each",
    "scan_lines",
    "to_hud",
)


# Where the names are that are loaded when first asked for.
_HOMES = {
    "Artifact": "_core",
    "CATEGORIES": "_core",
    "Capture": "_capture",
    "ChainLink": "_core",
    "Cluster": "_cluster",
    "Clusters": "_clusters",
    "Counts": "_core",
    "Diagnostic": "_core",
    "Diff": "_diff",
    "Evidence": "_core",
    "Finding": "_core",
    "GuardFailure": "_core",
    "Limits": "_limits",
    "OpenError": "_errors",
    "Pt2TriageError": "_errors",
    "RankComparison": "_traces.ranks",
    "Remedy": "_core",
    "Report": "_report",
    "Scanned": "_batch",
    "Source": "_core",
    "StackFrame": "_core",
    "Table": "_table",
    "Trace": "_traces.trace",
    "TraceDiff": "_traces.diff",
    "__version__": "_core",
    "capture": "_capture",
    "cluster": "_cluster_paths",
    "compare_ranks": "_traces.ranks",
    "diff": "_diff",
    "diff_traces": "_traces.diff",
    "explain": "_explain",
    "load_hud": "hud",
    "load_ipython_extension": "_magic",
    "read_trace": "_traces.trace",
    "scan": "_scan",
    "scan_each": "_batch",
    "scan_lines": "_scan",
    "to_hud": "hud",
}

if not TYPE_CHECKING:  # to a type checker it would allow any name

    def __getattr__(name: str) -> object:
        if name == "_core":
            return _load_core()
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if home == "_core":
            value = getattr(_load_core(), name)
        else:
            value = getattr(__import__(f"{__name__}.{home}", fromlist=(name,)), name)
        globals()[name] = value
        return value

    def _load_core() -> object:
        """The extension; a program that only loads our pytest plugin needs none."""
        try:
            return __import__(f"{__name__}._core", fromlist=("_core",))
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}._core":
                raise
            raise ImportError(
                "The extension module pt2triage._core is not here: it was not built, "
                "or Python runs in the source tree. Install with: pip install ."
            ) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
