"""Results that outlive a scan, so that the next one reads only what is new."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import time
from typing import TYPE_CHECKING

from pt2triage import __version__, _core
from pt2triage._errors import OpenError
from pt2triage._outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Self, TypeAlias

    # What tells whether a file is the one that it was: device, inode, size, time.
    Identity: TypeAlias = tuple[int, int, int, int]

# "pt2t": how the file tells that it is ours.
_APPLICATION = 0x70743274
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL,      -- absolute
    name BLOB NOT NULL,      -- as given
    settings TEXT NOT NULL,
    identity TEXT NOT NULL,
    UNIQUE (path, name, settings)
);
CREATE TABLE IF NOT EXISTS results (
    source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
    place INTEGER NOT NULL,  -- among the members of an archive
    name BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (source, place)
);
"""
# Not if another scan, which reads the same file, has begun it anew.
_KEEP = (
    "INSERT INTO results SELECT ?, ?, ?, ? "
    "WHERE EXISTS (SELECT 1 FROM sources WHERE id = ?)"
)
_MATCHES = "path = ? AND sources.name = ? AND settings = ?"
# What is held before it is written, in seconds and in bytes: what a killed scan has to
# read again.
_COMMIT = 0.2
_HELD = 8 << 20
# Seconds to wait for another scan that writes.
_PATIENCE = 10.0


class State:
    """The results of files already scanned, in a SQLite file.

    A file is scanned again if it is another one, its size or time changed, it could
    not be read to its end, or another version or other settings read it. What is in
    the file is data only: to open one that somebody else wrote runs nothing.

    No transaction is open between two calls, so that a scan that waits for a slow
    source keeps no other one from writing. Once the file cannot be read or written,
    nothing more is: the report is what somebody waited for, and it needs no state.

    Attributes:
        reused: Number of files that needed no scan.
        problem: Why nothing is kept any more.
    """

    def __init__(self, path: str, settings: str) -> None:
        """Opens or makes the file.

        Args:
            path: The file.
            settings: What else the results depend on.

        Raises:
            OpenError: It cannot be opened, or is something else.
        """
        self.reused = 0
        self.problem: OpenError | None = None
        self._path = path
        self._settings = f"{__version__} {settings}"
        # Of the files that are to be scanned, before they are.
        self._identities: dict[str, Identity] = {}
        self._written = time.monotonic()
        self._held: list[tuple[str, tuple[object, ...]]] = []
        self._held_bytes = 0
        _require_place(path)
        with self._errors():
            self._data = sqlite3.connect(
                path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
        try:
            with self._errors():
                self._prepare()
        except OpenError:
            self._data.close()
            raise

    def knows(self, path: str) -> bool:
        """Whether a file was scanned and is as it was then."""
        identity = _identity(path)
        if identity is None:
            return False
        found = self._rows(
            f"SELECT 1 FROM sources WHERE {_MATCHES} AND identity = ?",
            (*self._key(path), repr(identity)),
        )
        if not found:
            self._identities[path] = identity
        return bool(found)

    def read(self, path: str) -> Iterator[Outcome] | None:
        """What a file gave that is known; None if that is damaged."""
        rows = self._rows(
            "SELECT results.name, data FROM sources JOIN results ON source = id "
            f"WHERE {_MATCHES} ORDER BY place",
            self._key(path),
        )
        try:
            outcomes = [
                Outcome(_decode(name), _core.Result.from_bytes(data))
                for name, data in rows
            ]
        except (AttributeError, TypeError, ValueError):
            return None
        if not outcomes:
            return None
        self.reused += 1
        return iter(outcomes)

    def keep(self, path: str, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The outcomes of a file that are not known, which are kept if all of
        them could be read to their end."""
        identity = self._identities.pop(path, None)
        source = None if identity is None else self._begin(path)
        place = 0
        for outcome in outcomes:
            if outcome.error is not None or outcome.result is None:
                source = None
            if source is not None:
                assert outcome.result is not None
                data = outcome.result.to_bytes()
                row = source, place, _encode(outcome.name), data, source
                self._write(_KEEP, row, len(data))
                place += 1
            yield outcome
        if place > 0 and source is not None and identity == _identity(path):
            self._write(
                "UPDATE sources SET identity = ? WHERE id = ?", (repr(identity), source)
            )

    def close(self) -> None:
        """Writes what is left."""
        self._commit()
        with self._errors():
            self._data.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:  # that one is told
            with contextlib.suppress(OpenError):
                self.close()

    def _prepare(self) -> None:
        one = self._data.execute
        (application,) = one("PRAGMA application_id").fetchone()
        (tables,) = one("SELECT count(*) FROM sqlite_master").fetchone()
        if application != _APPLICATION and tables > 0:
            raise sqlite3.DatabaseError("a database of another program")
        one("PRAGMA foreign_keys = ON")
        one("PRAGMA synchronous = NORMAL")
        if tables == 0:
            one(f"PRAGMA application_id = {_APPLICATION}")
            self._data.executescript(_SCHEMA)

    def _begin(self, path: str) -> int:
        """A new source, of an identity that no file has until all of it is there. Its
        number is drawn, so that it is known before it is written."""
        key = self._key(path)
        source = secrets.randbits(62)
        self._write(f"DELETE FROM sources WHERE {_MATCHES}", key)
        self._write(
            "INSERT INTO sources (id, path, name, settings, identity) "
            "VALUES (?, ?, ?, ?, '')",
            (source, *key),
        )
        return source

    def _rows(
        self, question: str, values: tuple[object, ...]
    ) -> list[tuple[bytes, bytes]]:
        """What is in the file; nothing once it cannot be read."""
        if self.problem is not None:
            return []
        try:
            with self._errors():
                return self._data.execute(question, values).fetchall()
        except OpenError as error:
            self.problem = error
        return []

    def _write(self, statement: str, values: tuple[object, ...], size: int = 0) -> None:
        if self.problem is not None:
            return
        self._held.append((statement, values))
        self._held_bytes += size
        late = time.monotonic() - self._written > _COMMIT
        if late or self._held_bytes > _HELD:
            self._commit()

    def _commit(self) -> None:
        held, self._held, self._held_bytes = self._held, [], 0
        if self.problem is not None or not held:
            return
        try:
            with self._errors():
                self._data.execute("BEGIN IMMEDIATE")
                for statement, values in held:
                    self._data.execute(statement, values)
                self._data.execute("COMMIT")
        except OpenError as error:
            self.problem = error
            with contextlib.suppress(sqlite3.Error):
                self._data.rollback()
        self._written = time.monotonic()

    def _key(self, path: str) -> tuple[bytes, bytes, str]:
        return os.fsencode(os.path.abspath(path)), _encode(path), self._settings

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Names the file in what SQLite says."""
        try:
            yield
        except sqlite3.Error as error:
            raise OpenError(errno.EIO, _why(str(error)), self._path) from error


def _why(said: str) -> str:
    """What SQLite says, for somebody who does not know that it is SQLite."""
    if "locked" in said:
        return "Another scan writes to it; wait for that one, or name another file"
    if "readonly" in said:
        return "It cannot be written; name another file"
    if "full" in said:
        return "The disk is full; name another file"
    if "unable to open" in said:
        return "It cannot be opened; name another file"
    if "database" in said:
        return f"It is no state of pt2triage ({said}); name another file"
    return said


def _require_place(path: str) -> None:
    """Raises OpenError if a file cannot be at `path`."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise OpenError(errno.EISDIR, "It is a folder; name a file", path)
    if not os.path.isdir(folder):
        raise OpenError(errno.ENOENT, f"There is no folder {folder}", path)


def _encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _identity(path: str) -> Identity | None:
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns
