"""``pt2triage trace --html``: pages of a trace in a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pt2triage.cli._console import complain
from pt2triage.cli._inputs import UsageError, limits_of
from pt2triage.cli._options import Arguments
from pt2triage.cli._progress import progress_bar
from pt2triage.cli._reading import Reading
from pt2triage.cli._sources import find_sources
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._traces.trace import Trace
    from pt2triage.report.trace_pages import Written


def write_html(args: Arguments) -> tuple[Trace, Reading]:
    """Writes the pages into the folder that is named; the tables, and what could not
    be read.

    Raises:
        OpenError: The folder cannot be written, or is in use.
    """
    from pt2triage._traces.trace import trace_of_results
    from pt2triage.report.trace_pages import write_pages

    if "-" in args.paths or args.files_from == "-":
        raise UsageError("stdin can be read only once; --html needs a file")
    _check_inputs(args)
    # The other reader shows the progress.
    silent = Arguments(**{**vars(args), "no_progress": True})
    reading = Reading(silent, args.paths, args.html)
    read: list[Trace] = []

    def tables() -> Trace:
        results = [
            outcome.result
            for outcome in reading.outcomes(tables=True)
            if outcome.result is not None
        ]
        read.append(trace_of_results(results, reading.paths))
        return read[0]

    inputs = find_sources(
        args.paths, args.html, files_from=args.files_from, null=args.null
    )
    with progress_bar(not args.quiet and not args.no_progress) as progress:
        written = write_pages(
            inputs,
            args.html,
            tables,
            overwrite=args.overwrite,
            limits=limits_of(args),
            progress=progress,
            failed=lambda _: None,  # told by the reader of the tables
        )
    if not args.quiet:
        _tell(written, args.html)
    return read[0], reading


def _check_inputs(args: Arguments) -> None:
    """Refuses to replace a folder that an input lies in."""
    folder = os.path.realpath(args.html)
    for path in args.paths:
        if f"{os.path.realpath(path)}{os.sep}".startswith(f"{folder}{os.sep}"):
            raise UsageError(f"{one_line(path)} lies in the folder of --html")


def _tell(written: Written, folder: str) -> None:
    s = "s" * (written.pages != 1)
    index = one_line(os.path.join(folder, "index.html"))
    complain(f"{written.pages:,} page{s} of compiles; open {index}")
    if written.left:
        complain(f"{written.left:,} more compiles have no page: there are too many")
    if written.files.damaged:
        complain(
            f"{written.files.damaged:,} payloads do not have the MD5 sum that the "
            "trace states; they are marked as damaged"
        )
