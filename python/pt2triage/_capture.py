"""Capture: what PyTorch says while a block runs, and the report of it."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from pt2triage import _core
from pt2triage._errors import MissingTorchError, Pt2TriageError
from pt2triage._report import Report
from pt2triage._spool import Spool

if TYPE_CHECKING:
    from types import TracebackType

    from pt2triage._torch_logs import TorchLogs
    from pt2triage._traces.trace import Trace


def capture(*, trace: bool = True) -> Capture:
    """Turns PyTorch's logs and trace on for a block, and says what failed in it.

    ::

        with pt2triage.capture() as cap:
            model(x)
        print(cap.report.to_text())

    What PyTorch prints stays what it was, with and without ``TORCH_LOGS``. Captures
    may be nested and overlap in threads; each sees the whole process, and the last one
    out puts PyTorch's settings back.

    Args:
        trace: Capture what ``TORCH_TRACE`` would write too, from torch 2.4 on.
    """
    return Capture(trace=trace)


class Capture:
    """A context manager, to be entered once.

    An exception that leaves the block is part of the report, and is raised on.

    Attributes:
        lost: Records that could not be kept, for want of disk or above 1 GiB.
    """

    def __init__(self, *, trace: bool = True) -> None:
        self._log = Spool("<log>")
        self._trace = Spool("<trace>") if trace else None
        self._torch: TorchLogs | None = None
        self._entered = False
        self._lost = 0
        self._made: tuple[tuple[int, int], Report] | None = None

    @property
    def lost(self) -> int:
        return self._lost + self._log.lost + (self._trace.lost if self._trace else 0)

    @property
    def report(self) -> Report:
        """What failed in the block; while it runs: until now."""
        spools = [self._log]
        if self._trace is not None and self._trace.size:
            spools.append(self._trace)
        size = self._log.size, self._trace.size if self._trace else 0
        if self._made is None or self._made[0] != size:
            results = [spool.scan() for spool in spools]
            report = Report(_core.make_report(results))
            report._trace = lambda: self.trace
            self._made = size, report
        return self._made[1]

    @property
    def trace(self) -> Trace:
        """The tables of what ``TORCH_TRACE`` would write; while it runs: until now.

        Raises:
            Pt2TriageError: It is a capture without trace.
        """
        from pt2triage._traces.trace import trace_of_results

        if self._trace is None:
            raise Pt2TriageError("it is a capture without trace: capture(trace=True)")
        result = self._trace.scan(tables=True)
        return trace_of_results([result], self._trace.content())

    def add_exception(self, error: BaseException) -> None:
        """Adds an exception that something else caught, as Python prints it."""
        try:
            text = "".join(traceback.format_exception(error))
        except Exception:  # its own text fails
            self.on_lost()
        else:
            self._log.write(text)

    def on_log(self, text: str) -> None:
        """Takes a record of PyTorch's; it is called by PyTorch's loggers."""
        self._log.write(text)

    def on_lost(self) -> None:
        """Counts a record that has no text; it is called by PyTorch's loggers."""
        self._lost += 1

    def __enter__(self) -> Capture:
        if self._entered:
            raise RuntimeError("a capture is entered once; make a new one")
        try:
            from pt2triage._torch_logs import torch_logs

            torch = torch_logs()
            torch.add(self)
        except (ImportError, OSError) as error:
            raise MissingTorchError(
                f"pt2triage.capture() needs PyTorch, which cannot be imported: {error}"
            ) from error
        except AttributeError as error:
            raise Pt2TriageError(
                f"pt2triage.capture() does not know how this PyTorch logs: {error}"
            ) from error
        self._entered = True
        self._torch = torch
        if self._trace is not None:
            self._torch.trace.add(self._trace.write)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        if self._torch is not None:
            if self._trace is not None:
                self._torch.trace.remove(self._trace.write)
            self._torch.remove(self)
            self._torch = None
        # Others, such as SystemExit and pytest's skip, are no failures.
        if isinstance(error, (Exception, KeyboardInterrupt)):
            self.add_exception(error)

    def __repr__(self) -> str:
        state = "new"
        if self._entered:
            state = "done" if self._torch is None else "running"
        return f"<Capture {state}, {self._log.size:,} bytes of log>"
