"""Spool: text that grows while a program runs, and is scanned when asked for."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from typing import TYPE_CHECKING

from pt2triage import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bytes that are held in memory; more go to a temporary file without a name.
MEMORY = 4 << 20
# Bytes that are kept at all.
LIMIT = 1 << 30
_CHUNK = 1 << 18


class Spool:
    """Lines of one source. Any thread may write and scan at any time.

    Attributes:
        name: The name of the source in a report.
        size: Bytes that were written.
        lost: Records that could not be kept: the disk or the limit is full.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.size = 0
        self.lost = 0
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115
        self._lock = threading.Lock()
        self._process = os.getpid()
        weakref.finalize(self, self._file.close)

    def write(self, text: str) -> None:
        """Adds a record. It never raises: what runs is somebody else's program."""
        if os.getpid() != self._process:
            return  # a fork shares the file, and its place in it
        data = text.encode("utf-8", "backslashreplace")
        if not data.endswith(b"\n"):
            data += b"\n"
        with self._lock:
            if self.size + len(data) > LIMIT:
                self.lost += 1
                return
            try:
                self._file.seek(self.size)
                self._file.write(data)
            except (OSError, ValueError):
                self.lost += 1  # the next record is written over what came of this
            else:
                self.size += len(data)

    def scan(self, *, tables: bool = False) -> _core.Result:
        """What was written until now, scanned; with the tables of a trace."""
        scanner = _core.Scanner(self.name.encode(), False, tables=tables)
        for chunk in self._chunks():
            scanner.feed(chunk)
        return scanner.finish()

    def content(self) -> bytes:
        """What was written until now."""
        return b"".join(self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        at, end = 0, self.size
        while at < end:
            with self._lock:
                self._file.seek(at)
                chunk = self._file.read(min(_CHUNK, end - at))
            if not chunk:
                return
            at += len(chunk)
            yield chunk
