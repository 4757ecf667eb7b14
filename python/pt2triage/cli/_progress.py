"""A progress bar on stderr, for long work on a terminal."""

from __future__ import annotations

import sys
import time

from pt2triage.cli._console import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from pt2triage._types import Progress

# Seconds of work before the bar shows: short work needs none.
_DELAY = 0.5


class _Bar:
    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: RichProgress | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < _DELAY:
                return
            self._bar = self._make(total)
        task = self._bar.tasks[0]
        self._bar.update(task.id, completed=done, total=total)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _make(self, total: int | None) -> RichProgress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        bar = Progress(
            TextColumn("scanning"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task("scanning", total=total)
        bar.start()
        return bar


class progress_bar:
    """A callback that shows progress, to be used in a `with`; None where nobody
    looks."""

    def __init__(self, wanted: bool) -> None:
        self._bar = _Bar() if wanted and is_terminal(sys.stderr) else None

    def __enter__(self) -> Progress | None:
        return self._bar

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
