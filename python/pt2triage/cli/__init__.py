"""The command line: one module for each command, each with ``NAME``, ``HELP``,
``add_arguments`` and ``run``."""

from __future__ import annotations

import sys

from pt2triage.cli._console import DONE_BY_SIGNAL, FAILED, complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage.cli._options import Arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        args = _read_scan(words)
        if args is None:
            from pt2triage.cli._parser import parse

            args = parse(words)
        status = args.run(args)
    except KeyboardInterrupt:
        complain("interrupted")
        return DONE_BY_SIGNAL
    except MemoryError:
        complain("out of memory")
        return FAILED
    return status


def _read_scan(words: list[str]) -> Arguments | None:
    """The arguments of a plain ``scan``, the command that has to start quickly."""
    if words[:1] != ["scan"]:
        return None
    from pt2triage.cli import scan
    from pt2triage.cli._options import read

    args = read(words[1:], scan.OPTIONS)
    if args is not None:
        args.run = scan.run
    return args
