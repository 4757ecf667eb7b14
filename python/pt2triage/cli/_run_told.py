"""What ``pt2triage run`` prints on stderr once the command has ended."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import sys
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._around.session import Session
    from pt2triage.cli._options import Arguments

# What stands for a command that the report does not know.
_SCRIPT = "python your_script.py"
_PYTHON = re.compile(r"python(\d+(\.\d+)?)?")


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
    if ended.status and not ended.timed_out and session.report.category is None:
        complain("it failed, but nothing in its output says why")


def print_report(args: Arguments, session: Session) -> None:
    from pt2triage.report.github import harmless
    from pt2triage.report.text import render_lines

    width = console.output_width(False, sys.stderr)
    color = console.wants_color(args.color, False, sys.stderr)
    report = session.report
    if args.confidential:
        report = report.confidential()
    lines = render_lines(report, width=width)
    if not args.confidential:
        lines = [
            [(_with_command(text, args.command_words), style) for text, style in line]
            for line in lines
        ]
    console.say(harmless(console.paint(lines, color)))


def _with_command(text: str, words: Sequence[str]) -> str:
    """`text` with the command that was run where it stands for it, to be pasted."""
    whole = one_line(shlex.join(words))
    if not words or not _PYTHON.fullmatch(os.path.basename(words[0])):
        return text.replace(_SCRIPT, whole)
    script = words[1] if len(words) > 1 else ""
    for short in (_SCRIPT, f"python {script}", f"python {os.path.abspath(script)}"):
        if text.endswith(short):
            return text.removesuffix(short) + whole
    return text


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
