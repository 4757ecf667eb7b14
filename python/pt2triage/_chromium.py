"""The chromium events of all processes as one trace for Perfetto or chrome://tracing."""

from __future__ import annotations

import json
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pt2triage._trace_records import Record

NAME = "chromium_event"

# What an event must have for a viewer to place it.
_PHASES = frozenset("BEXiIMCbensft")


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
        event = _event_of(record.payload)
        if event is None:
            self.skipped += 1
            return
        if record.process not in self._processes:
            self._processes.add(record.process)
            self._name(record)
        event["pid"] = record.process
        self.events += 1
        self._put(event)

    def finish(self) -> None:
        self._write(b"" if self._begun else b'{"traceEvents": [')
        self._write(b"\n]}\n")

    def _name(self, record: Record) -> None:
        """Two events that name the track and sort it by rank."""
        rank = record.rank
        name = f"process {record.pid}" if rank is None else f"rank {rank}"
        place = record.process if rank is None else rank
        for what, args in (
            ("process_name", {"name": name}),
            ("process_sort_index", {"sort_index": place}),
        ):
            self._put({"name": what, "ph": "M", "pid": record.process, "args": args})

    def _put(self, event: dict[str, object]) -> None:
        between = b",\n" if self._begun else b'{"traceEvents": [\n'
        self._begun = True
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
