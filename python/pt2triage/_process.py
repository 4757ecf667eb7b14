"""Runs a command of the user's with bounds: on time, and on its output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

_CHUNK = 1 << 16
# Seconds that the output may stay open after the command itself has ended.
_GRACE = 2.0
# Seconds between two looks at a command that is silent.
_TICK = 0.2


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes:
        status: Its exit status as shells count it: 128 + n for signal n.
        timed_out: It was ended because its time was up.
        dropped: Bytes of output that were not kept.
    """

    status: int
    timed_out: bool
    dropped: int


def run_bounded(
    command: Sequence[str],
    output: BinaryIO,
    *,
    limit: int,
    timeout: float,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Runs `command` in a process group of its own, until it ends or time is up.

    Args:
        command: The program and its arguments; no shell is involved.
        output: Gets stdout and stderr while they come.
        limit: Bytes of output that are kept; what follows is read and dropped.
        timeout: Seconds.
        cwd: The folder to run in.
        env: The environment.

    Raises:
        OSError: It cannot be started, or `output` cannot be written.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )
    try:
        timed_out, dropped = _pump(process, output, limit, time.monotonic() + timeout)
    finally:
        _end_group(process)
    status = process.returncode
    return Outcome(status if status >= 0 else 128 - status, timed_out, dropped)


def _pump(
    process: subprocess.Popen[bytes], output: BinaryIO, limit: int, deadline: float
) -> tuple[bool, int]:
    """Copies output until its end, or the command's, or the deadline."""
    assert process.stdout is not None
    kept = dropped = 0
    ended: float | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now > deadline:
                return process.poll() is None, dropped
            if ended is None and process.poll() is not None:
                ended = now
            if ended is not None and now > ended + _GRACE:
                return False, dropped  # a child of it holds the pipe
            if not selector.select(min(_TICK, max(deadline - now, 0))):
                continue
            chunk = os.read(process.stdout.fileno(), _CHUNK)
            if not chunk:
                return not _ends_until(process, deadline), dropped
            room = min(limit - kept, len(chunk))
            output.write(chunk[:room])
            kept += room
            dropped += len(chunk) - room


def _ends_until(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends the command and all that it started and that is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    process.wait()
