"""Finds the sample that stands for a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.skeleton import (
    accuracy,
    backend,
    breaks,
    crashes,
    internal,
    recompiles,
)

if TYPE_CHECKING:
    from pt2triage._core import Finding
    from pt2triage.skeleton.sample import Sample

SAMPLES: tuple[Sample, ...] = (
    *breaks.SAMPLES,
    *recompiles.SAMPLES,
    *internal.SAMPLES,
    *accuracy.SAMPLES,
    *crashes.SAMPLES,
    *backend.SAMPLES,
)


def sample_for(finding: Finding) -> Sample | None:
    """The row that is nearest; None for what is not a failure of PT2.

    Rows of the same cause come first, then those of export or not, then those
    that raise the class that the finding names.
    """
    rows = [row for row in SAMPLES if row.category == finding.category]
    fitting = [row for row in rows if row.cause == finding.cause]
    candidates = fitting or [row for row in rows if row.cause == "other"]
    if not candidates:
        return None
    export = (finding.compile_mode or "").startswith("export")
    name = _short(finding.exception or "")
    return min(
        candidates,
        key=lambda row: (row.export != export, _short(row.raises) != name),
    )


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1]
