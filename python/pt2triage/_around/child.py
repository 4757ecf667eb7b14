"""Runs a command of the user's, with its output kept and shown."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._around.channel import QUIET, Channel
from pt2triage._around.log_file import LogFile
from pt2triage._around.log_filter import LogFilter
from pt2triage._around.processes import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._around.recipes import Environment

# Bytes of one stream that are kept: the first and the last.
LIMIT = 512 << 20
# Seconds that streams stay open after the command has ended: while they are silent,
# and in all. A descendant may hold them for ever.
_SILENCE = 2.0
_LONGEST = 10.0

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


class Shown(NamedTuple):
    """What of the command's output is shown while it runs.

    Attributes:
        streams: Its stdout and stderr are shown on ours, and stdin is ours.
        records: Log records that our variables cause are shown, too.
    """

    streams: bool = True
    records: bool = False


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
    streams = _Streams(logs, environment, shown)
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
                streams.pump(process, family)
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


class _Streams:
    """The streams of one command."""

    def __init__(
        self, logs: Sequence[LogFile], environment: Environment, shown: Shown
    ) -> None:
        self._shown = shown
        places = [fd if shown.streams else None for fd in (1, 2)]
        keep = None
        if not shown.records and places[1] is not None:
            merged = environment.variables.get("TORCH_LOGS", "")
            keep = LogFilter(environment.own_logs, merged)
        self._channels = (
            Channel(logs[0], places[0]),
            Channel(logs[1], places[1], keep),
        )

    def start(
        self, command: Sequence[str], family: Family, environment: Environment
    ) -> subprocess.Popen[bytes]:
        """Starts the command.

        Raises:
            OSError: It cannot be started.
        """
        out, err = self._channels
        process = subprocess.Popen(
            command,
            stdin=None if self._shown.streams else subprocess.DEVNULL,
            stdout=out.child_fd,
            stderr=err.child_fd,
            env=family.environment(environment.variables),
            process_group=None if family.shares_terminal else 0,
        )
        out.started()
        err.started()
        return process

    def pump(self, process: subprocess.Popen[bytes], family: Family) -> None:
        """Copies output until all streams end, or soon after the command has ended."""
        ended = latest = 0.0
        with selectors.DefaultSelector() as selector, _exit_of(process) as exit_fd:
            for channel in self._channels:
                selector.register(channel.fd, selectors.EVENT_READ, channel)
            if exit_fd is not None:
                selector.register(exit_fd, selectors.EVENT_READ)
            while any(channel.open for channel in self._channels):
                ready = [key for key, _ in selector.select(QUIET) if key.data]
                now = time.monotonic()
                latest = now if ready else latest
                if not ended and process.poll() is not None:
                    ended = latest = now
                    if exit_fd is not None:
                        selector.unregister(exit_fd)
                if ended and now > min(latest + _SILENCE, ended + _LONGEST):
                    return
                for key in ready:
                    key.data.copy()
                for channel in self._channels:
                    if channel.open:
                        channel.idle()
                    elif channel.fd in selector.get_map():
                        selector.unregister(channel.fd)

    def close(self) -> None:
        for channel in self._channels:
            channel.close()


@contextlib.contextmanager
def _exit_of(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that is ready when the process has ended, where there are any."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)
