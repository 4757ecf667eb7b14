"""Records of traces with what they carry: graphs, code, chromium events."""

from __future__ import annotations

import json
import queue
import threading

from pt2triage import _core
from pt2triage._outcome import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pt2triage._errors import OpenError
    from pt2triage._inputs import Inputs
    from pt2triage._limits import Limits
    from pt2triage._streams import Problem
    from pt2triage._types import Progress


class Record:
    """One record of a trace.

    Attributes:
        source: Name of its source.
        process: Place of its process in ``Trace.processes``.
        rank: Its rank; None without one.
        compile_id: Its compile without the attempt, ``0/1``; None outside compiles.
        attempt: The attempt, from 0; None outside compiles.
        record: Its name, for example ``artifact``.
        name: That of an artifact; None for other records.
        payload: What it carries, exactly as PyTorch gave it; None for nothing.
        checksum: The MD5 sum of the payload that the trace states.
        line: Its line in the source.
        offset: Its byte offset in the source, decompressed.
    """

    __slots__ = ("_full", "_process", "source")

    def __init__(self, full: _core.FullRecord, source: str, process: int) -> None:
        self._full = full
        self.source = source
        self._process = process

    @property
    def process(self) -> int:
        return self._process

    @property
    def rank(self) -> int | None:
        return self._full.rank

    @property
    def compile_id(self) -> str | None:
        return self._full.compile_id

    @property
    def attempt(self) -> int | None:
        return self._full.attempt

    @property
    def record(self) -> str:
        return self._full.record

    @property
    def name(self) -> str | None:
        return self._full.name

    @property
    def title(self) -> str:
        """The name of an artifact, else that of the record."""
        return self._full.name or self._full.record

    @property
    def payload(self) -> bytes | None:
        return self._full.payload

    @property
    def text(self) -> str:
        """The payload as text; what is not UTF-8 becomes U+FFFD."""
        return (self._full.payload or b"").decode("utf-8", "replace")

    @property
    def is_cut(self) -> bool:
        """Whether the end of the payload is missing, since it was too long."""
        return self._full.too_long

    @property
    def checksum(self) -> str | None:
        return self._full.checksum

    @property
    def md5(self) -> str | None:
        """The MD5 sum of the payload as it is."""
        return self._full.md5

    @property
    def is_intact(self) -> bool | None:
        """Whether the payload has its checksum; None if there is none."""
        if self._full.payload is None or self._full.checksum is None:
            return None
        return self._full.md5 == self._full.checksum

    @property
    def metadata(self) -> object:
        """What the record says itself, usually a dict; None where it is damaged."""
        try:
            parsed: object = json.loads(self._full.metadata)
        except (ValueError, RecursionError):
            return None
        return parsed

    @property
    def stack(self) -> tuple[_core.StackFrame, ...]:
        """The stack of the record, its files by name, where it is told."""
        return self._full.stack

    @property
    def pid(self) -> str:
        return self._full.pid

    @property
    def time(self) -> str:
        """As printed, without a year: ``1129 15:16:46.099000``."""
        return self._full.time

    @property
    def line(self) -> int:
        return self._full.line

    @property
    def offset(self) -> int:
        return self._full.offset

    def __repr__(self) -> str:
        size = "" if self.payload is None else f", {len(self.payload)} bytes"
        return f"<Record {self.title} {self.compile_id or '-'}{size}>"


def push_records(
    source: Sequence[str] | bytes | Inputs,
    take: Callable[[Record], object],
    names: Sequence[str] = (),
    *,
    without: Sequence[str] = (),
    limits: Limits | None = None,
    max_payload: int = 0,
    progress: Progress | None = None,
    failed: Callable[[OpenError], object] | None = None,
) -> None:
    """Reads all records of `source`, in order, and hands each to `take`.

    Args:
        source: Paths, as `scan` takes them, what they stand for, or content.
        take: What it raises ends the reading.
        names: Of records or artifacts; none for all.
        without: Names that are not wanted.
        limits: What compressed data may become.
        max_payload: Bytes of a payload after which it is cut; 0 for 256 MiB.
        progress: Called with the bytes done and the bytes in all.
        failed: Told what cannot be read; without it, that is raised.
    """
    from pt2triage._inputs import Inputs, find_inputs
    from pt2triage._outcomes import outcomes_of_streams
    from pt2triage._streams import Member

    settings = Settings(limits=limits)
    feeds: list[_Feed] = []  # the last one

    def scanner_of(member: Member) -> _Feed:
        # Also of a source that could not be read to its end.
        first = feeds.pop().next_process if feeds else 0
        core = _core.RecordFeed(names, max_payload, without)
        feeds.append(_Feed(member.name, take, core, first))
        return feeds[0]

    settings.scanner = scanner_of
    if isinstance(source, bytes):
        feed = scanner_of(Member("<bytes>"))
        feed.feed(source)
        feed.finish()
        return
    inputs = source if isinstance(source, Inputs) else find_inputs(source)
    for error in inputs.errors:
        _fail(error, failed)
    for outcome in outcomes_of_streams(inputs, settings, progress):
        if outcome.error is not None:
            _fail(outcome.error, failed)


def read_records(
    source: Sequence[str] | bytes, names: Sequence[str] = ()
) -> Iterator[Record]:
    """The records of `source`, in order, at most a few ahead of what was taken."""
    ahead: queue.Queue[Record | BaseException | None] = queue.Queue(maxsize=64)
    stopped = threading.Event()

    def put(item: Record | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                ahead.put(item, timeout=0.1)
            except queue.Full:
                continue
            return
        raise _Stopped

    def work() -> None:
        try:
            push_records(source, put, names)
            put(None)
        except _Stopped:
            pass
        except BaseException as error:
            ahead.put(error)

    thread = threading.Thread(target=work, name="pt2triage-records", daemon=True)
    thread.start()
    try:
        while (item := ahead.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stopped.set()
        thread.join()


class _Stopped(Exception):
    """Nobody takes the records any more."""


class _Fed:
    """Stands for the result of a source whose records were handed out."""

    def __init__(self, unread: str | None) -> None:
        self.unread = unread


class _Feed:
    """What a source's bytes are fed to, in place of a scanner."""

    def __init__(
        self,
        name: str,
        take: Callable[[Record], object],
        feed: _core.RecordFeed,
        first: int,
    ) -> None:
        self._name = name
        self._take = take
        self._feed = feed
        self._first = first

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        self._hand_out(self._feed.feed(data))

    def finish(self, problem: Problem | None = None, warning: str = "") -> _Fed:
        self._hand_out(self._feed.finish())
        return _Fed(problem[1] if problem else None)

    @property
    def next_process(self) -> int:
        """The number of the first process of the next source."""
        return self._first + self._feed.processes

    def _hand_out(self, records: list[_core.FullRecord]) -> None:
        for full in records:
            process = self._first + full.process
            self._take(Record(full, self._name, process))


def _fail(error: OpenError, failed: Callable[[OpenError], object] | None) -> None:
    if failed is None:
        raise error
    failed(error)
