"""What ``pt2triage run`` prints on stderr once the command has ended."""

from __future__ import annotations

import contextlib
import shlex
import signal
import sys
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._around.session import Session
    from pt2triage.cli._options import Arguments


def tell(args: Arguments, session: Session) -> None:
    """Prints how the command ended, and the triage, on stderr."""
    ended = session.ended
    complain(f"{one_line(shlex.join(args.command_words))[:200]}: {_how(session)}")
    if ended.dropped:
        complain(f"{ended.dropped:,} bytes from the middle of its output are not kept")
    if ended.unwritten is not None:
        complain(f"not all of its output is kept: {one_line(ended.unwritten)}")
    for name in session.environment.kept:
        complain(f"your own {name} was kept, so the recipe shows less")
    print_report(args, session)


def print_report(args: Arguments, session: Session) -> None:
    from pt2triage.report.github import harmless
    from pt2triage.report.text import render_lines

    width = console.output_width(False, sys.stderr)
    color = console.wants_color(args.color, False, sys.stderr)
    report = session.report
    if args.confidential:
        report = report.confidential()
    lines = render_lines(report, width=width)
    console.say(harmless(console.paint(lines, color)))


def _how(session: Session) -> str:
    """How the command ended, in a few words."""
    ended = session.ended
    if ended.timed_out:
        return f"ended after {ended.seconds:.1f} s (--timeout)"
    text = f"exit status {ended.status}"
    if ended.status > 128:
        with contextlib.suppress(ValueError):
            text += f" ({signal.Signals(ended.status - 128).name})"
    return f"{text} after {ended.seconds:.1f} s"
