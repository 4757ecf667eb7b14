"""The latest scans, so that a fingerprint is enough to ask on."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from pt2triage._mcp._folders import RefusedError
from pt2triage.report.reread import files_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._mcp._folders import Folders
    from pt2triage._report import Report
    from pt2triage.report.reread import SourceFile

_KEPT = 8


class Scans:
    """Reports by the paths that were scanned. Safe to use from several threads."""

    def __init__(self) -> None:
        self._reports: OrderedDict[tuple[str, ...], Report] = OrderedDict()
        self._lock = Lock()

    def keep(self, paths: Sequence[str], report: Report) -> None:
        """Takes a report in; the oldest goes."""
        with self._lock:
            self._reports[tuple(paths)] = report
            self._reports.move_to_end(tuple(paths))
            while len(self._reports) > _KEPT:
                self._reports.popitem(last=False)

    def __iter__(self) -> Iterator[Report]:
        """The reports, the latest first."""
        with self._lock:
            reports = list(self._reports.values())
        return reversed(reports)

    def find(self, fingerprint: str) -> tuple[Report, int] | None:
        """The report and the place in it of a finding."""
        for report in self:
            for index, finding in enumerate(report.findings):
                if finding.fingerprint == fingerprint:
                    return report, index
        return None

    def source(self, name: str, folders: Folders) -> SourceFile | None:
        """A file that was scanned, if it may be read again.

        It may have become a link since then.
        """
        for report in self:
            for source in files_of(report.sources):
                if source.name == name:
                    try:
                        real = folders.resolve(source.path)
                    except RefusedError:
                        return None
                    return source if real == source.path else None
        return None
