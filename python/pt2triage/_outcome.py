"""What came of one source, and what all scans of one call share."""

from __future__ import annotations

import errno
import os

from pt2triage import _core
from pt2triage._errors import OpenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pt2triage._limits import Limits
    from pt2triage._streams import Member
    from pt2triage._types import Progress


# How is counted what is passed over because pt2triage wrote it.
OWN = "reports of pt2triage"


class Outcome:
    """What came of one source.

    Attributes:
        name: Its name, with that of the archive that it is in.
        result: What it gave; None if it cannot be opened.
        error: Why it cannot be opened, or not be read to its end.
    """

    __slots__ = ("error", "name", "result")

    def __init__(
        self, name: str, result: _core.Result | None, error: OpenError | None = None
    ) -> None:
        self.name = name
        self.result = result
        self.error = error

    @classmethod
    def of(cls, name: str, result: _core.Result) -> Outcome:
        """With the reason as an error if it was not read to its end."""
        why = result.unread
        return cls(name, result, OpenError(errno.EIO, why, name) if why else None)

    @classmethod
    def failed(cls, error: OpenError) -> Outcome:
        return cls(str(error.filename), None, error)


class Settings:
    """What all sources of one scan share.

    Attributes:
        verify: Check the MD5 sums of trace payloads.
        jobs: Sources to read at the same time.
        meter: Counts bytes for those who watch; None if nobody does.
        skip: Told of what is passed over: kind and number.
        judge: Whether files are judged one by one by the threads that read them.
        tables: Whether tables of traces are made.
        scanner: What the bytes of a stream are given to; None for the core's.
        unpacked: Bytes that came out of the input that is read, as far as this
            thread unpacks them.
    """

    __slots__ = (
        "_limits",
        "jobs",
        "judge",
        "meter",
        "scanner",
        "skip",
        "tables",
        "unpacked",
        "verify",
    )

    def __init__(
        self,
        *,
        verify: bool = False,
        jobs: int | None = None,
        limits: Limits | None = None,
        meter: Meter | None = None,
        skip: Callable[[str, int], None] = lambda kind, number: None,
    ) -> None:
        if jobs is not None and jobs < 1:
            raise ValueError("jobs must be at least 1")
        self.verify = verify
        self.jobs = _default_jobs() if jobs is None else jobs
        self.meter = meter
        self.skip = skip
        self.judge = False
        self.tables = False
        self.scanner: Callable[[Member], Any] | None = None
        self.unpacked = 0
        self._limits = limits

    @property
    def limits(self) -> Limits:
        if self._limits is None:  # what no archive needs is not loaded
            from pt2triage._limits import Limits

            self._limits = Limits()
        return self._limits

    @property
    def is_full(self) -> bool:
        """Whether more came out of the input than is allowed."""
        return self.unpacked > self.limits.max_archive_bytes

    @property
    def limits_of_core(self) -> tuple[int, int, int] | None:
        return None if self._limits is None else self._limits.of_core


class Meter:
    """Tells the bytes of several scans, one after the other, as one number."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        self._progress = progress
        self._total = total
        self._pool = 0  # read by the pool of threads
        self._here = 0  # read by this thread

    def __call__(self, done: int) -> None:
        """What the pool has done until now."""
        self._pool = done
        self._tell()

    def add(self, size: int) -> None:
        self._here += size
        self._tell()

    def of_pool(self) -> Callable[[int], None]:
        """The same for another pool, which counts from 0."""
        before = 0

        def tell(done: int) -> None:
            nonlocal before
            self.add(done - before)
            before = done

        return tell

    def _tell(self) -> None:
        done = self._pool + self._here
        if self._total is not None:  # what was unpacked may be more
            done = min(done, self._total)
        self._progress(done, self._total)


def _default_jobs() -> int:
    try:
        return len(os.sched_getaffinity(0))  # what this process may use
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def out_of_memory(name: str) -> OpenError:
    """Says which source was too much."""
    return OpenError(errno.ENOMEM, "Out of memory", name)


def encode(text: str) -> bytes:
    """The bytes that `text` was decoded from, as far as can be known."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def open_error(path: str, error: OSError | ValueError) -> OpenError:
    """An ``OpenError`` with what `error` says about `path`."""
    if isinstance(error, ValueError):  # a NUL in the name
        return OpenError(errno.EINVAL, str(error), path)
    return OpenError(error.errno, error.strerror or str(error), path)


def packed_error(report: _core.Report) -> OpenError | None:
    """The first source that is packed in a way that is not read."""
    for at in report.diagnostics:
        if at.kind == "binary" and "decompress it first" in at.message:
            return OpenError(errno.EIO, at.message, at.source)
    return None
