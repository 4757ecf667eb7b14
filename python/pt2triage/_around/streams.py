"""The streams of a command, from its start until they end."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._around.channel import QUIET, Channel
from pt2triage._around.log_filter import LogFilter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._around.log_file import LogFile
    from pt2triage._around.processes import Family
    from pt2triage._around.recipes import Environment

# Seconds that streams stay open after the command has ended: while they are silent,
# and in all. A descendant may hold them for ever.
_SILENCE = 2.0
_LONGEST = 10.0
# Reads after which nothing of the command itself is left in pipes of a usual size.
_MOST_COPIES = 32


class Shown(NamedTuple):
    """What of the command's output is shown while it runs.

    Attributes:
        streams: Its stdout and stderr are shown on ours, and stdin is ours.
        records: Log records that our variables cause are shown, too.
    """

    streams: bool = True
    records: bool = False


class Streams:
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

    def pump(self, process: subprocess.Popen[bytes]) -> None:
        """Copies output until all streams end, or soon after the command has ended."""
        drain = _Drain()
        with selectors.DefaultSelector() as selector, _exit_of(process) as exit_fd:
            for channel in self._channels:
                selector.register(channel.fd, selectors.EVENT_READ, channel)
            if exit_fd is not None:
                selector.register(exit_fd, selectors.EVENT_READ)
            while any(channel.open for channel in self._channels):
                ready = [key for key, _ in selector.select(QUIET) if key.data]
                if not drain.begun and process.poll() is not None:
                    drain.begin()
                    if exit_fd is not None:
                        selector.unregister(exit_fd)
                if drain.is_done(len(ready)):
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


class _Drain:
    """When to stop reading what a command has left in its streams.

    What it wrote itself is read in any case, however slow our own reader is.
    """

    def __init__(self) -> None:
        self.begun = 0.0  # when the command ended
        self._latest = 0.0
        self._copies = 0

    def begin(self) -> None:
        self.begun = self._latest = time.monotonic()

    def is_done(self, ready: int) -> bool:
        """Whether to stop, now that so many streams have something to read."""
        if not self.begun:
            return False
        now = time.monotonic()
        if not ready:
            return now > min(self._latest + _SILENCE, self.begun + _LONGEST)
        self._latest = now
        self._copies += ready
        return self._copies > _MOST_COPIES and now > self.begun + _LONGEST


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
