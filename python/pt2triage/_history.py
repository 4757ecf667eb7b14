"""A folder of tables that scans are appended to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pt2triage._parts import Part
from pt2triage._tables import TABLES, Stamp, TableFile

if TYPE_CHECKING:
    from types import TracebackType

    from pt2triage._batch import Scanned

_SUFFIXES = {"parquet": ".parquet", "arrow": ".arrows"}


class HistoryWriter:
    """Appends one scan to a folder: a new file for each table.

    As a context manager it publishes the files at the end, and removes them if
    there was an error. Files of other scans are never touched, so that any number
    of programs may append at the same time.

    >>> import tempfile, pt2triage
    >>> from pt2triage._batch import Scanned
    >>> folder = tempfile.mkdtemp()
    >>> with HistoryWriter(folder) as writer:
    ...     writer.add(Scanned("empty", pt2triage.scan(b""), None))
    >>> sorted(os.listdir(folder))
    ['findings', 'guard_failures', 'sources']
    """

    def __init__(
        self,
        folder: str,
        *,
        form: str = "parquet",
        stamp: Stamp | None = None,
        by_date: bool = False,
        confidential: bool = False,
    ) -> None:
        """Begins the files.

        Args:
            folder: Is made where it is not there.
            form: ``parquet``, or ``arrow`` for IPC streams.
            stamp: Date and time of the scan; now if not given.
            by_date: Whether files go to a folder of their date, ``date=2026-11-29``.
            confidential: What the files say of themselves.
        """
        stamp = stamp or Stamp.now()
        self._parts: list[Part] = []
        self._files: list[TableFile] = []
        day = [f"date={stamp.date.isoformat()}"] if by_date else []
        without = ("date",) if by_date else ()
        try:
            for table in TABLES:
                part = Part(os.path.join(folder, table, *day), _SUFFIXES[form])
                self._parts.append(part)
                self._files.append(
                    TableFile(
                        *(table, part.file, form, stamp, without),
                        confidential=confidential,
                    )
                )
        except BaseException:
            self._discard()
            raise

    def add(self, scanned: Scanned) -> None:
        """Adds what came of one source."""
        error = None if scanned.error is None else str(scanned.error.strerror)
        for file in self._files:
            if scanned.report is not None:
                file.add(scanned.report, error)
            elif error is not None:
                file.add_error(scanned.name, error)

    def __enter__(self) -> HistoryWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for file in self._files:
                    file.close()
                for part in self._parts:
                    part.publish()
        finally:
            self._discard()

    def _discard(self) -> None:
        """Removes what is not published."""
        for file in self._files:
            file.abandon()
        for part in self._parts:
            part.discard()
