"""One stream of a command: read from it, kept in a file, and shown."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import termios
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt2triage._around.log_file import LogFile
    from pt2triage._around.log_filter import LogFilter

_CHUNK = 1 << 16
# Seconds of silence after which a held beginning of a line is shown.
QUIET = 0.05


class Channel:
    """Takes what a command writes to one of its streams.

    The command gets a terminal where ours is one, so that it writes what it would
    write without us, and a pipe else.
    """

    def __init__(
        self, log: LogFile, shown_on: int | None, keep: LogFilter | None = None
    ) -> None:
        """Makes the two ends.

        Args:
            log: Gets everything.
            shown_on: Our descriptor on which it is shown; None to show nothing.
            keep: Takes out what is not to be shown.
        """
        self._log = log
        self._shown_on = shown_on
        self._filter = keep
        self._is_terminal = shown_on is not None and os.isatty(shown_on)
        self._size: tuple[int, int] | None = None
        if self._is_terminal:
            self.fd, self.child_fd = os.openpty()
            _keep_bytes(self.child_fd)
            self.resize()
        else:
            self.fd, self.child_fd = os.pipe()
        self.open = True
        self._latest = 0.0  # when something came

    def started(self) -> None:
        """The command has its end now: ours of it is closed."""
        os.close(self.child_fd)
        self.child_fd = -1

    def copy(self) -> None:
        """Takes what is there. At the end, `open` becomes False."""
        try:
            data = os.read(self.fd, _CHUNK)
        except OSError as error:
            if error.errno != errno.EIO:  # what a terminal says at its end
                raise
            data = b""
        if not data:
            self.close()
            return
        self._latest = time.monotonic()
        self._log.write(data)
        self._show(self._filter.feed(data) if self._filter else data)

    def idle(self) -> None:
        """If nothing has come for a while, what is held is shown."""
        if self._filter is not None and time.monotonic() > self._latest + QUIET:
            self._show(self._filter.idle())
        self.resize()

    def resize(self) -> None:
        """Gives the command's terminal the size of ours."""
        if not self._is_terminal or self._shown_on is None:
            return
        with contextlib.suppress(OSError, termios.error):
            size = termios.tcgetwinsize(self._shown_on)
            if size != self._size:
                termios.tcsetwinsize(self.fd, size)
                self._size = size

    def close(self) -> None:
        """Shows what is held and closes all that is ours."""
        if not self.open:
            return
        self.open = False
        if self._filter is not None:
            self._show(self._filter.end())
        os.close(self.fd)
        if self.child_fd >= 0:
            self.started()

    def _show(self, data: bytes) -> None:
        if self._shown_on is None:
            return
        try:
            _write(self._shown_on, data)
        except OSError:
            # Nobody reads it any more. The command is told as it would be without
            # us: by the end of its own stream.
            self._shown_on = None
            self._filter = None
            self.close()


def fill_standard_streams() -> None:
    """Puts nothing where a standard stream of ours is closed.

    Else the next file that is opened would be in its place.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free


def _write(fd: int, data: bytes) -> None:
    """Writes all of `data`, also where `fd` does not wait for its reader."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            select.select((), (fd,), ())


def _keep_bytes(terminal: int) -> None:
    """Ours changes newlines already: that of the command must not."""
    modes = termios.tcgetattr(terminal)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
