"""Runs a command of the user's, with its output kept and shown."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._around.log_file import LogFile
from pt2triage._around.processes import Family
from pt2triage._around.streams import Shown, Streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._around.recipes import Environment

# Bytes of one stream that are kept: the first and the last.
LIMIT = 512 << 20
NOT_FOUND = 127
NOT_STARTED = 126
TIMED_OUT = 124


class Ended(NamedTuple):
    """How a command ended.

    Attributes:
        status: The exit status as shells count it: 128 + n for signal n.
        timed_out: It was ended because its time was up.
        seconds: How long it ran.
        dropped: Bytes of output that were not kept.
        error: Why it could not be started.
        unwritten: Why not all of its output is kept.
        interrupted: A signal to us came meanwhile: the user wants it to end.
    """

    status: int
    timed_out: bool = False
    seconds: float = 0.0
    dropped: int = 0
    error: str | None = None
    unwritten: str | None = None
    interrupted: bool = False


def run_child(
    command: Sequence[str],
    environment: Environment,
    folder: str,
    *,
    shown: Shown,
    timeout: float | None = None,
) -> Ended:
    """Runs `command` without a shell until it ends.

    Its output goes to ``stdout.log`` and ``stderr.log`` in `folder`.

    Raises:
        OSError: A file in `folder` cannot be written.
    """
    logs = [LogFile(os.path.join(folder, f"std{x}.log"), LIMIT) for x in ("out", "err")]
    family = Family()
    streams = Streams(logs, environment, shown)
    start = time.monotonic()
    try:
        with family.forwarding():
            try:
                process = streams.start(command, family, environment)
            except OSError as error:
                missing = isinstance(error, FileNotFoundError)
                status = NOT_FOUND if missing else NOT_STARTED
                return Ended(status, error=error.strerror or str(error))
            family.started(process, timeout)
            try:
                streams.pump(process)
                status = process.wait()
            finally:
                family.over()
    finally:
        streams.close()
        for log in logs:
            log.close()
    status = status if status >= 0 else 128 - status
    seconds = time.monotonic() - start
    dropped = sum(log.dropped for log in logs)
    unwritten = logs[0].error or logs[1].error
    if family.timed_out:
        status = TIMED_OUT
    return Ended(
        status,
        family.timed_out,
        seconds,
        dropped=dropped,
        unwritten=unwritten,
        interrupted=family.signalled,
    )
