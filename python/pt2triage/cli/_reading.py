"""Reading all that a command line names, as its options say."""

from __future__ import annotations

import sys

from pt2triage._errors import OpenError
from pt2triage._outcomes import scan_inputs
from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import limits_of
from pt2triage.cli._progress import progress_bar
from pt2triage.cli._sources import files_of_state, find_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pt2triage._batch import Scanned
    from pt2triage._outcome import Outcome
    from pt2triage._state import State
    from pt2triage._types import Progress
    from pt2triage.cli._options import Arguments


class Reading:
    """The sources of a command line, read one after the other in constant memory.
    What cannot be read is told on stderr, and the others are read all the same.

    Attributes:
        errors: What could not be opened, or not be read to its end.
    """

    def __init__(self, args: Arguments, words: Iterable[str], *others: str) -> None:
        """Finds the sources.

        Args:
            args: What says how to read.
            words: Files, folders, globs, URLs or ``-``.
            others: Files in such folders that are no logs.

        Raises:
            OpenError: The list of names of ``--files-from`` cannot be read.
        """
        self.errors: list[OpenError] = []
        self._args = args
        self._inputs = find_sources(
            words,
            args.output,
            *others,
            *files_of_state(getattr(args, "state", None)),
            files_from=getattr(args, "files_from", None),
            null=getattr(args, "null", False),
        )
        self._results = 0
        self._unpacked = False

    @property
    def paths(self) -> list[str]:
        """The files and URLs that are read, in order."""
        return list(self._inputs.paths)

    def outcomes(
        self, *, judge: bool = False, tables: bool = False
    ) -> Iterator[Outcome]:
        """What each source gave, in order; with `judge`, for itself, and with
        `tables` of traces."""
        args = self._args
        if "stdin" in self._inputs.special.values() and not args.quiet:
            _tell_terminal()
        for error in self._inputs.errors:
            self.fail(error)
            if self._has_failed_enough():
                return
        with progress_bar(not args.quiet and not args.no_progress) as progress:
            for outcome in self._scan(progress, judge, tables):
                self._results += outcome.result is not None
                self._unpacked = self._unpacked or "!" in outcome.name
                yield outcome
                if outcome.error is not None:
                    self.fail(outcome.error)
                    if self._has_failed_enough():
                        return
        if not args.quiet:
            self._tell_skipped()

    def reports(self) -> Iterator[Scanned]:
        """A report for each source, in order."""
        from pt2triage._batch import scanned_of

        for error in self._inputs.errors:
            yield scanned_of(error)
        for outcome in self.outcomes(judge=True):
            scanned = scanned_of(outcome)
            if scanned.error is not None and outcome.error is None:
                self.fail(scanned.error)
            yield scanned

    def fail(self, error: OpenError) -> None:
        """Tells what cannot be read, and why."""
        self.errors.append(error)
        complain_of(error)

    def _scan(
        self, progress: Progress | None, judge: bool, tables: bool
    ) -> Iterator[Outcome]:
        args = self._args
        limits = limits_of(args)
        if args.scheduler is not None:
            from pt2triage import distributed

            with distributed.connect(args.scheduler) as client:
                yield from distributed.scan_inputs(
                    self._inputs,
                    client=client,
                    verify=args.verify,
                    limits=limits,
                    progress=progress,
                )
            return

        def here(state: State | None) -> Iterator[Outcome]:
            return scan_inputs(
                self._inputs,
                verify=args.verify,
                jobs=args.jobs,
                limits=limits,
                progress=progress,
                state=state,
                judge=judge,
                tables=tables,
            )

        if args.state is None:
            yield from here(None)
            return
        from pt2triage._state import State

        with State(args.state, f"verify={args.verify} {limits}") as state:
            yield from here(state)
        if state.problem is not None:
            self.fail(state.problem)
        if state.reused and not args.quiet:
            s = "s" * (state.reused != 1)
            complain(f"{state.reused} file{s} unchanged since an earlier scan")

    def _has_failed_enough(self) -> bool:
        most = self._args.max_errors
        if most is None or len(self.errors) < most:
            return False
        s = "s" * (most != 1)
        complain(f"stopped: {most} input{s} could not be read (--max-errors)")
        return True

    def _tell_skipped(self) -> None:
        """What of folders and archives was passed over, and that nothing was left."""
        kinds = sorted(self._inputs.skipped.items())
        skipped = ", ".join(f"{n} {kind}" for kind, n in kinds)
        if not self._results and not self.errors:
            why = f" (skipped: {skipped})" if skipped else ""
            complain(
                f"no logs here: there is no text file to read{why}; name a file, or a "
                "folder with the output of a run"
            )
        elif skipped:
            where = "folders and archives" if self._unpacked else "folders"
            complain(f"skipped in {where}: {skipped}")


def _tell_terminal() -> None:
    if sys.stdin is not None and console.is_terminal(sys.stdin):
        complain("reading from the terminal; Ctrl-D ends the input")
