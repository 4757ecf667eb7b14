"""Scanning many sources one by one: a report for each, in constant memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._inputs import Inputs, find_inputs
from pt2triage._outcome import packed_error
from pt2triage._outcomes import scan_inputs as scan_outcomes
from pt2triage._report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pt2triage._limits import Limits
    from pt2triage._outcome import Outcome
    from pt2triage._scan import PathInput
    from pt2triage._types import Progress


class Scanned(NamedTuple):
    """What came of one source.

    Attributes:
        name: The source as named in its report.
        report: Its report; None if it cannot be read.
        error: Why it cannot be read, or not to its end.
    """

    name: str
    report: Report | None
    error: OpenError | None

    def confidential(self) -> Scanned:
        """The same without code, folders of paths and secrets."""
        from pt2triage._confidential import clean, file_name

        error = self.error and OpenError(
            self.error.errno, clean(str(self.error.strerror)), file_name(self.name)
        )
        report = self.report and self.report.confidential()
        return Scanned(file_name(self.name), report, error)


def scan_each(
    paths: Iterable[PathInput],
    *,
    verify: bool = False,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[Scanned]:
    """Scans many sources, each for itself: a source that cannot be read is one
    result among the others.

    Args:
        paths: Files, folders, archives and URLs, as for `scan`.
        verify: Check the MD5 sums of trace payloads.
        jobs: Sources to read at the same time; all cores if not given.
        limits: What compressed data may become.
        progress: Called about 20 times a second with the bytes done and the
            bytes in all (None if unknown). What it raises stops the scan.

    Yields:
        One `Scanned` for each source, in the order of the paths; members of an
        archive are sources of their own.
    """
    inputs = find_inputs([os.fsdecode(path) for path in paths])
    return scan_inputs(
        inputs, verify=verify, jobs=jobs, limits=limits, progress=progress
    )


def scan_inputs(
    inputs: Inputs,
    *,
    verify: bool = False,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[Scanned]:
    """Scans what was found, as `scan_each` does."""
    for error in inputs.errors:
        yield scanned_of(error)
    for outcome in scan_outcomes(
        inputs, verify=verify, jobs=jobs, limits=limits, progress=progress, judge=True
    ):
        yield scanned_of(outcome)


def scanned_of(outcome: Outcome | OpenError) -> Scanned:
    """The report on one source, or why there is none."""
    if isinstance(outcome, OpenError):
        return Scanned(str(outcome.filename), None, outcome)
    report = None
    error = outcome.error
    if outcome.result is not None:
        report = Report(_core.make_report([outcome.result]))
        error = error or packed_error(report._core)
    return Scanned(outcome.name, report, error)
