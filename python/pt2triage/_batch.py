"""Scanning many sources one by one: a report for each, in constant memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._inputs import Inputs, find_inputs
from pt2triage._report import Report
from pt2triage._scan import scan_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pt2triage._scan import PathInput
    from pt2triage._types import Progress

# Sources that are in memory at the same time.
_WINDOW = 64


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


def scan_each(
    paths: Iterable[PathInput],
    *,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Scanned]:
    """Scans many sources, each for itself: a source that cannot be read is one
    result among the others.

    Args:
        paths: Files and folders, as for `scan`.
        verify: Check the MD5 sums of trace payloads.
        jobs: Sources to read at the same time; all cores if not given.
        progress: Called about 20 times a second with the bytes done and the
            bytes in all (None if unknown). What it raises stops the scan.

    Yields:
        One `Scanned` for each source, in the order of the paths.
    """
    inputs = find_inputs([os.fsdecode(path) for path in paths])
    return scan_inputs(inputs, verify=verify, jobs=jobs, progress=progress)


def scan_inputs(
    inputs: Inputs,
    *,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Scanned]:
    """Scans what was found, as `scan_each` does."""
    for error in inputs.errors:
        yield Scanned(str(error.filename), None, error)
    for start in range(0, len(inputs.paths), _WINDOW):
        names = inputs.paths[start : start + _WINDOW]
        results = scan_files(names, verify=verify, jobs=jobs, progress=progress)
        for name, result in zip(names, results, strict=True):
            if isinstance(result, OpenError):
                yield Scanned(name, None, result)
            else:
                yield Scanned(name, Report(_core.make_report([result])), None)
