"""Scanning everything that a command line names, one source at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage import _core
from pt2triage._batch import Scanned, scan_inputs
from pt2triage._errors import OpenError
from pt2triage._report import Report
from pt2triage.cli import scan
from pt2triage.cli._console import complain
from pt2triage.cli._progress import progress_bar
from pt2triage.cli._sources import find_sources
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from pt2triage._clusters import Clusters
    from pt2triage._inputs import Inputs
    from pt2triage._types import Progress
    from pt2triage.cli._options import Arguments

# The options of `scan` that say what is read, and how.
READING = ("--jobs", "--verify", "--no-progress", "--quiet")


def add_options(
    parser: argparse._ActionsContainer, *more: str, reading: bool = True
) -> None:
    """Adds options of `scan`: those that say how sources are read, and `more`."""
    wanted = {*more, *(READING if reading else ())}
    for flags, settings in scan.OPTIONS:
        if wanted.intersection(flags):
            parser.add_argument(*flags, **settings)


def sweep(
    args: Arguments, clusters: Clusters, words: Sequence[str], *others: str
) -> bool:
    """Scans all that is named into `clusters`; whether all of it could be read.

    What cannot be read is told on stderr.

    Args:
        args: What says how to read.
        clusters: Takes in what is found.
        words: Files, folders, globs or ``-``.
        others: Files in such folders that are no logs.
    """
    inputs, stdin_at = find_sources(words, args.output, *others)
    fine = True
    with progress_bar(not args.quiet and not args.no_progress) as progress:
        for one in _each(inputs, stdin_at, args, progress):
            error = one.error or _compressed(one)
            if error is not None:
                fine = False
                reason = one_line(str(error.strerror))
                complain(f"{one_line(one.name)}: {reason}")
                clusters.add_unreadable(one.name, reason)
            if one.report is not None:
                clusters.add(one.report)
    if not args.quiet:
        anything = bool(clusters.sources or clusters.unreadable)
        scan._tell_skipped(inputs, anything)
    return fine


def _each(
    inputs: Inputs, stdin_at: int | None, args: Arguments, progress: Progress | None
) -> Iterator[Scanned]:
    """The sources in order, stdin before or after all others."""
    if stdin_at == 0:
        yield _stdin(args, progress)
    yield from scan_inputs(
        inputs, verify=args.verify, jobs=args.jobs, progress=progress
    )
    if stdin_at:
        yield _stdin(args, progress)


def _stdin(args: Arguments, progress: Progress | None) -> Scanned:
    result = scan._scan_stdin(args, progress)
    if isinstance(result, OpenError):
        return Scanned("<stdin>", None, result)
    return Scanned("<stdin>", Report(_core.make_report([result])), None)


def _compressed(one: Scanned) -> OpenError | None:
    """The error of a source with compressed data, which is not read."""
    for diagnostic in one.report.diagnostics if one.report is not None else ():
        if "decompress it first" in diagnostic.message:
            return OpenError(0, diagnostic.message, one.name)
    return None
