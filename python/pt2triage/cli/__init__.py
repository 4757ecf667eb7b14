"""The command line: one module for each command, each with ``NAME``, ``HELP``,
``add_arguments`` and ``run``."""

from __future__ import annotations

import atexit
import os
import sys

from pt2triage.cli._console import DONE_BY_SIGNAL, FAILED, complain, set_confidential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage.cli._options import Arguments


def program() -> int:
    """The installed program: `main` with the arguments of the process."""
    status = main()
    if _nothing_is_left():
        os._exit(status)
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    set_confidential(False)
    try:
        args = _read_scan(words)
        if args is None:
            from pt2triage.cli._parser import parse

            args = parse(words)
        set_confidential(getattr(args, "confidential", False))
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


def _nothing_is_left() -> bool:
    """Whether the process may end here, without Python taking itself apart.

    That frees every object and module, which the system does in no time. Nothing
    else is lost: the output is flushed here, files are closed by those who opened
    them, the threads of the core are joined and it holds nothing that must be
    written. Whoever wants to be asked at the end, or to look at what is left, is: a
    function of atexit, another thread, a debugger, profiler or any other caller but
    the script itself.
    """
    if (
        sys.implementation.name != "cpython"
        or sys._getframe(2).f_back is not None
        or atexit._ncallbacks()
        or len(sys._current_frames()) > 1
        or sys.gettrace() is not None
        or sys.getprofile() is not None
        or sys.flags.inspect
        or sys.flags.dev_mode
    ):
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False  # Python has its own words and exit status for it
    return True
