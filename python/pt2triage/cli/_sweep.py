"""Scanning everything that a command line names, one source at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.cli import scan
from pt2triage.cli._console import complain
from pt2triage.cli._inputs import READING_OPTIONS
from pt2triage.cli._reading import Reading
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pt2triage._clusters import Clusters
    from pt2triage._report import Report
    from pt2triage.cli._options import Arguments

# The options of `scan` that say how sources are read.
READING = {
    *("--jobs", "--verify", "--no-progress", "--quiet"),
    *(flag for flags, _ in READING_OPTIONS for flag in flags),
}
# What names sources.
SOURCES = ("paths", "--files-from", "--null")


def add_options(
    parser: argparse._ActionsContainer, *more: str, reading: bool = True
) -> None:
    """Adds options of `scan`: those that say how sources are read, and `more`."""
    wanted = {*more, *(READING if reading else ())}
    for flags, settings in scan.OPTIONS:
        if wanted.intersection(flags):
            parser.add_argument(*flags, **settings)


def sweep(
    args: Arguments,
    clusters: Clusters,
    words: Sequence[str],
    *others: str,
    seen: Callable[[Report], object] | None = None,
) -> bool:
    """Scans all that is named into `clusters`; whether all of it could be read.

    What cannot be read is told on stderr.

    Args:
        args: What says how to read.
        clusters: Takes in what is found.
        words: Files, folders, globs, URLs or ``-``.
        others: Files in such folders that are no logs.
        seen: Is given each report.

    Raises:
        OpenError: A list of names, or the state, cannot be read.
    """
    reading = Reading(args, words, *others)
    for one in reading.reports():
        if one.error is not None:
            clusters.add_unreadable(one.name, one_line(str(one.error.strerror)))
        if one.report is not None:
            clusters.add(one.report)
            if seen is not None:
                seen(one.report)
    return not reading.errors


def load_saved(path: str) -> Clusters:
    """What an earlier run found; tells if not all of that is in the file.

    Raises:
        OpenError: It cannot be read, or holds something else.
    """
    from pt2triage._saved import load

    saved = load(path)
    if saved.omitted:
        complain(
            f"{one_line(path)}: not all that was found then is in it; the rest counts "
            "as new"
        )
    warn_if_as_one(path, saved)
    return saved


def warn_if_as_one(path: str, saved: Clusters) -> None:
    """Tells that what was saved was not read as it is now."""
    if saved.as_one:
        complain(
            f"{one_line(path)}: scan read its {saved.sources} sources as one run, so "
            "some may seem new or fixed; top --format json reads each for itself"
        )
