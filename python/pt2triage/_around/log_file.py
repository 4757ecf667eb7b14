"""A file for output of any length: its beginning and its end are kept."""

from __future__ import annotations

import contextlib
import os


class LogFile:
    """Keeps the first bytes that are written, and the last.

    What goes beyond `limit` is put into further files, of which the last two are
    kept, each of half the limit: a failure is told at the end.
    """

    def __init__(self, path: str, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._part = 0  # 0: the beginning
        self._file = open(path, "wb")  # noqa: SIM115  it is closed by close()
        self._room = limit
        self.dropped = 0
        self.error: str | None = None  # why nothing more is kept
        self._sizes: dict[int, int] = {}

    def write(self, data: bytes) -> None:
        """Writes all of `data`. Where the disk is full, the command goes on."""
        if self.error is not None:
            return
        try:
            self._write(data)
        except OSError as error:
            self.error = error.strerror or str(error)

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self.error = error.strerror or str(error)

    def _write(self, data: bytes) -> None:
        while data:
            if not self._room:
                self._next()
            piece, data = data[: self._room], data[self._room :]
            self._file.write(piece)
            self._room -= len(piece)

    def _next(self) -> None:
        """Goes on in another file; the one before the last two goes."""
        self._file.close()
        self._part += 1
        self._room = self._limit // 2
        self._sizes[self._part] = self._room
        old = self._part - 2
        if old > 0:
            with contextlib.suppress(OSError):
                os.unlink(self._name(old))
            self.dropped += self._sizes.pop(old)
        self._file = open(self._name(self._part), "wb")  # noqa: SIM115

    def _name(self, part: int) -> str:
        stem, suffix = os.path.splitext(self._path)
        return f"{stem}.{part}{suffix}"
