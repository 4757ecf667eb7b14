"""``pt2triage minify``: runs torch's minifier on its launcher, and reads the result."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._inputs import add_confidential_option
from pt2triage.cli._output import write_output
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._launcher import Launcher
    from pt2triage._process import Outcome
    from pt2triage.cli._options import Arguments

NAME = "minify"
HELP = "run torch's minifier on its launcher, and say what is left"

_DESCRIPTION = """\
Recognises a program that torch's minifier wrote (minifier_launcher.py, repro.py,
a checkpoint) by its content, runs `LAUNCHER minify`, then the small program that
this leaves, and says what failed in both. The launcher is a program: give only
one that you trust. pt2triage never runs one because a log names it."""

_EPILOG = """\
exit status:
  0    a small program is there, and it fails as wanted
  1    it is there, and does not fail any more
  2    wrong usage, or LAUNCHER is no program of the minifier
  124  time was up
  else the status of the minifier, which left no program

examples:
  pt2triage minify torch_compile_debug/run_.../minifier/minifier_launcher.py
  pt2triage minify --dry-run repro.py"""

# Bytes of output of one command that are kept.
_OUTPUT = 256 << 20
_TIMED_OUT = 124


class _Plan(NamedTuple):
    """The commands, and the folder in which all that they write will be."""

    launcher: Launcher
    folder: str
    python: str
    confidential: bool

    @property
    def repro(self) -> str:
        """Where the minifier copies what is left."""
        return os.path.join(self.folder, "repro.py")

    @property
    def minify(self) -> list[str]:
        return [self.python, os.path.abspath(self.launcher.path), "minify"]

    @property
    def run(self) -> list[str]:
        return [self.python, os.path.abspath(self.repro), "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "launcher", metavar="LAUNCHER", help="a program of torch's minifier"
    )
    parser.add_argument(
        "--timeout",
        type=console.seconds,
        default=3600.0,
        metavar="S",
        help="seconds for each of the two commands (default: 3600)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would be run"
    )
    parser.add_argument(
        "-o",
        "--output",
        default="minified",
        metavar="DIR",
        help="folder for what the commands write (default: minified)",
    )
    console.add_python_option(parser)
    add_confidential_option(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="only the result and errors"
    )


def run(args: Arguments) -> int:
    from pt2triage._launcher import NotALauncherError, read_launcher

    try:
        launcher = read_launcher(args.launcher)
    except NotALauncherError as error:
        complain(f"{one_line(args.launcher)}: {one_line(str(error))}")
        return console.FAILED
    python = os.path.abspath(args.python) if os.sep in args.python else args.python
    plan = _Plan(launcher, args.output, python, args.confidential)
    if not args.quiet or args.dry_run:
        _say(_describe(plan))
    if args.dry_run:
        return console.OK
    try:
        os.makedirs(plan.folder, exist_ok=True)
        return _work(plan, args.timeout)
    except OSError as error:
        name = one_line(str(error.filename or plan.folder))
        complain(f"{name}: {one_line(error.strerror or str(error))}")
        return console.FAILED


def _work(plan: _Plan, timeout: float) -> int:
    """Minifies, runs what is left, and says what failed in both."""
    before = _stamp(plan.repro)
    minified = _step(plan, "minify", plan.minify, timeout)
    if _stamp(plan.repro) in (None, before):
        if minified.timed_out:
            return _TIMED_OUT
        complain(
            "the minifier left no program: the failure does not show in its graph, "
            f"or see {one_line(os.path.join(plan.folder, 'minify.log'))}"
        )
        return minified.status or console.GATE
    left = _step(plan, "run", plan.run, timeout)
    _say([f"The small program: {one_line(plan.repro)}"])
    if minified.timed_out or left.timed_out:
        return _TIMED_OUT
    if left.status == 0:
        complain("the small program does not fail any more")
        return console.GATE
    return console.OK


def _step(plan: _Plan, name: str, command: list[str], timeout: float) -> Outcome:
    """Runs one command into a log of its own, and triages that."""
    from pt2triage import scan
    from pt2triage._process import run_bounded
    from pt2triage.report.text import render

    path = os.path.join(plan.folder, f"{name}.log")
    with open(path, "wb") as output:
        outcome = run_bounded(
            command, output, limit=_OUTPUT, timeout=timeout, cwd=plan.folder
        )
    if outcome.timed_out:
        complain(f"{name}: ended after {timeout:g} s (--timeout)")
    if outcome.dropped:
        complain(f"{name}: {outcome.dropped:,} bytes of output were not kept")
    _say([f"== {name}: exit status {outcome.status}", ""])
    width = console.output_width(False)
    report = scan(path)
    if plan.confidential:
        report = report.confidential()
    write_output(render(report, width=width) + "\n", None, utf8=False)
    return outcome


def _describe(plan: _Plan) -> list[str]:
    from pt2triage._launcher import KINDS

    launcher = plan.launcher
    lines = [
        f"{one_line(launcher.path)}: {KINDS[launcher.kind]}",
        f"  hunts     {launcher.hunts}",
    ]
    if launcher.backend:
        lines.append(f"  backend   {one_line(launcher.backend)}")
    if launcher.check_str:
        lines.append(f"  error     must hold {one_line(launcher.check_str)}")
    if launcher.torch_version:
        lines.append(f"  written   by torch {one_line(launcher.torch_version)}")
    if launcher.save_dir:
        gone = "" if os.path.isdir(launcher.save_dir) else " (not here: random inputs)"
        lines.append(f"  inputs    {one_line(launcher.save_dir)}{gone}")
    folder = shlex.quote(plan.folder)
    lines.append(f"  commands  mkdir -p {one_line(folder)} && cd {one_line(folder)}")
    for command in (plan.minify, plan.run):
        lines.append(f"            {one_line(shlex.join(command))}")
    return lines


def _say(lines: list[str]) -> None:
    write_output("\n".join(map(console.cleaned, lines)) + "\n", None, utf8=False)


def _stamp(path: str) -> tuple[int, int] | None:
    """What tells a file from the one that was there before."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_ino
