"""Reads PyTorch logs and traces and says what failed.

import pt2triage

report = pt2triage.scan("run.log")
print(report.category)
for finding in report.findings:
    print(finding.cause, finding.message, finding.user_frame)
"""

from __future__ import annotations

try:
    from pt2triage._core import (
        CATEGORIES,
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
except ModuleNotFoundError as error:
    if error.name != "pt2triage._core":
        raise
    raise ImportError(
        "The extension module pt2triage._core is not here: it was not built, or "
        "Python runs in the source tree. Install with: pip install ."
    ) from error

from pt2triage._errors import OpenError, Pt2TriageError
from pt2triage._explain import explain
from pt2triage._report import Report, Table
from pt2triage._scan import scan, scan_lines

__all__ = (
    "CATEGORIES",
    "ChainLink",
    "Counts",
    "Diagnostic",
    "Evidence",
    "Finding",
    "GuardFailure",
    "OpenError",
    "Pt2TriageError",
    "Remedy",
    "Report",
    "Source",
    "StackFrame",
    "Table",
    "__version__",
    "explain",
    "scan",
    "scan_lines",
)
