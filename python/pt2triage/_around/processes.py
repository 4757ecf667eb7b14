"""Signals for a command and all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from types import FrameType

MARK = "PT2TRIAGE_RUN"
# What is passed on to the command. A terminal sends the first three to it itself.
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
_FORWARDED = (*_FROM_TERMINAL, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
# Seconds between asking a command to end and ending it.
PATIENCE = 5.0


def has_terminal() -> bool:
    """Whether a terminal controls us: its keys are then for the command too."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


class Family:
    """A command and its descendants.

    With a terminal the command stays in our process group, so that Ctrl-C, Ctrl-Z,
    reading and jobs work as ever; else it has one of its own. Descendants are known by
    a variable of their environment as well, for those that left the group.
    """

    def __init__(self) -> None:
        self.shares_terminal = has_terminal()
        self.mark = uuid.uuid4().hex
        self.timed_out = False
        self.signalled = False  # somebody wants us to end
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []  # signals that came before it
        self._over = threading.Event()
        self._watcher: threading.Thread | None = None

    def environment(self, variables: dict[str, str]) -> dict[str, str]:
        """`variables` with the mark. A run in a run has both marks."""
        outer = variables.get(MARK)
        return {**variables, MARK: f"{outer},{self.mark}" if outer else self.mark}

    def started(self, process: subprocess.Popen[bytes], timeout: float | None) -> None:
        """The command is there; the clock of `timeout` ticks."""
        self._process = process
        for early in self._early:
            self._forward(early)
        if timeout is not None:
            self._watcher = threading.Thread(target=self._watch, args=(timeout,))
            self._watcher.start()

    def over(self) -> None:
        """The command has ended. After a timeout, what is left of it is ended too."""
        self._over.set()
        if self._watcher is not None:
            self._watcher.join()

    @contextlib.contextmanager
    def forwarding(self) -> Iterator[None]:
        """While this is open, our signals are the command's."""
        before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        if threading.current_thread() is threading.main_thread():
            for name in _FORWARDED:
                if signal.getsignal(name) is not signal.SIG_IGN:  # as of nohup
                    before[name] = signal.signal(name, self._received)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        if number not in (signal.SIGUSR1, signal.SIGUSR2):
            self.signalled = True
        if self.shares_terminal and number in _FROM_TERMINAL:
            return  # it has it already
        if self._process is None:
            self._early.append(number)
        else:
            self._forward(number)

    def _forward(self, number: int) -> None:
        process = self._process
        if process is None or self._over.is_set():
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.shares_terminal:
                process.send_signal(number)
            else:
                os.killpg(process.pid, number)

    def _watch(self, timeout: float) -> None:
        """Ends everybody when time is up: asks first."""
        if self._over.wait(timeout):
            return
        self.timed_out = True
        self._everybody(signal.SIGTERM)
        self._over.wait(PATIENCE)
        for _ in range(3):  # one may have started another meanwhile
            if not self._everybody(signal.SIGKILL):
                return

    def _everybody(self, number: int) -> int:
        """Sends a signal to the command and all descendants; how many there were."""
        self._forward(number)
        pids = list(_marked(self.mark.encode()))
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        return len(pids)


def _marked(mark: bytes) -> Iterator[int]:
    """The processes with `mark` in their environment; none where there is no /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if mark in file.read():
                yield int(name)
