"""The chromium events of all processes as one trace for Perfetto or chrome://tracing."""

from __future__ import annotations

import json
import math
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pt2triage._traces.records import Record

NAME = "chromium_event"

# What an event must have for a viewer to place it.
_PHASES = frozenset("BEXiIMCbensft")

# An event as PyTorch prints nearly all of them. What fits is valid JSON and has all
# that a viewer needs, so that only the number of its process is put in its place.
_TEXT = rb'"[ !#-\[\]-~]*"'
_NUMBER = rb"-?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?"
_VALUE = rb"(?:%b|%b|null|true|false)" % (_TEXT, _NUMBER)
_FIELD = rb"\n%b: %b" % (_TEXT, _VALUE)
_USUAL = re.compile(
    rb'\{\n"name": %b,\n"ts": %b,\n"args": \{%b(?:,%b)*\n\},\n"ph": "[BEXiIMCbensft]",'
    rb'\n"cat": %b,\n"tid": %b,\n"pid": (%b)(?:,\n"s": "p")?\n\}'
    % (_TEXT, _NUMBER, _FIELD, _FIELD, _TEXT, _NUMBER, _NUMBER)
)


class ChromiumFile:
    """A trace that is written event by event. Each process has a track of its own,
    named after its rank.

    Attributes:
        events: Events written.
        skipped: Events that are none: damaged, or without a time.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.events = 0
        self.skipped = 0
        self._write = write
        self._processes: set[int] = set()
        self._begun = False

    def add(self, record: Record) -> None:
        """Takes the payload of a ``chromium_event``."""
        payload = record.payload or b""
        usual = _USUAL.fullmatch(payload)
        if usual is None:
            self._add_unusual(record, payload)
            return
        process = record.process
        if process not in self._processes:
            self._name(record)
        self.events += 1
        begin, end = usual.span(1)
        self._write(b",\n%b%d%b" % (payload[:begin], process, payload[end:]))

    def _add_unusual(self, record: Record, payload: bytes) -> None:
        event = _event_of(payload)
        if event is None:
            self.skipped += 1
            return
        if record.process not in self._processes:
            self._name(record)
        event["pid"] = record.process
        self.events += 1
        self._write(b",\n" + json.dumps(event).encode())

    def finish(self) -> None:
        self._write(b"" if self._begun else b'{"traceEvents": [')
        self._write(b"\n]}\n")

    def _name(self, record: Record) -> None:
        """Begins a process: two events name its track and sort it by rank."""
        self._processes.add(record.process)
        rank = record.rank
        name = f"process {record.pid}" if rank is None else f"rank {rank}"
        place = record.process if rank is None else rank
        for what, args in (
            ("process_name", {"name": name}),
            ("process_sort_index", {"sort_index": place}),
        ):
            between = b",\n" if self._begun else b'{"traceEvents": [\n'
            self._begun = True
            event = {"name": what, "ph": "M", "pid": record.process, "args": args}
            self._write(between + json.dumps(event).encode())


def _event_of(payload: bytes | None) -> dict[str, object] | None:
    """The event, if it is one that a viewer can place."""
    try:
        event: object = json.loads(payload or b"", parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    phase = event.get("ph")
    if not isinstance(phase, str) or phase not in _PHASES:
        return None
    time = event.get("ts", 0 if phase == "M" else None)
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        return None
    return event if math.isfinite(time) else None


def _refuse(constant: str) -> object:
    """NaN and Infinity are no JSON, and break the readers of the file."""
    raise ValueError(constant)
