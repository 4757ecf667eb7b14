"""``pt2triage run``: runs a command, and says what failed in it."""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._inputs import add_confidential_option
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._around.session import Session
    from pt2triage.cli._options import Arguments

NAME = "run"
HELP = "run a command, and say what failed in it"

_DESCRIPTION = """\
Runs CMD with the variables that make PyTorch tell what goes wrong, and says on
stderr what failed, once it has ended. Your own TORCH_LOGS is extended, other
variables that you have set stay. stdin and stdout are those of CMD, unchanged;
from its stderr only the log records are taken out that you have not asked for.
No shell is involved. Logs and traces of all processes of CMD are kept: see
`pt2triage runs`."""

_EPILOG = """\
exit status:
  that of CMD, 128 + n if signal n ended it, but:
  2    wrong usage, or the folder for the logs cannot be written
  124  time was up (--timeout)
  126  CMD cannot be started
  127  there is no CMD

examples:
  pt2triage run -- python train.py
  pt2triage run --recipe recompilation -- torchrun --nproc-per-node 2 train.py
  pt2triage run --escalate 2 --timeout 600 -- pytest -k compile
  pt2triage run --show-logs -o logs -- python train.py
  pt2triage runs compare -2 last"""


def _count(word: str) -> int:
    if not word.isdecimal() or int(word) > 20:
        raise console.bad_value(f"'{word}' is no number from 0 to 20")
    return int(word)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from pt2triage._around.recipes import names

    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.usage = "pt2triage run [OPTIONS] -- CMD [ARGUMENT ...]"
    # What follows "--" never comes here: see split_command.
    parser.add_argument("stray", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument(
        "--recipe",
        choices=names(),
        default="auto",
        help="which variables to set: those of the playbook for a category, or auto "
        "(the default): graph breaks, recompiles and a trace",
    )
    parser.add_argument(
        "--escalate",
        type=_count,
        default=0,
        metavar="N",
        help="while the answer can still get sharper, run CMD again with the next "
        "recipe, at most N times; only logs are kept of these runs (default: 0)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="an empty or new folder for logs and traces, in place of the store",
    )
    parser.add_argument(
        "--timeout",
        type=console.seconds,
        metavar="S",
        help="seconds after which CMD and all of its processes are ended",
    )
    parser.add_argument(
        "--show-logs", action="store_true", help="show all of the records of stderr"
    )
    add_confidential_option(parser)
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    if not args.command_words:
        words = " ".join(args.stray) or "python train.py"
        complain(f"no command is given; it stands after --: pt2triage run -- {words}")
        return console.FAILED
    if args.stray:
        complain(f"'{one_line(args.stray[0])}' is no option; CMD stands after --")
        return console.FAILED
    from pt2triage._around.channel import fill_standard_streams
    from pt2triage._around.store import new_folder, prune

    fill_standard_streams()
    if args.output is not None:
        return _work(args, _own_folder(args.output), 0)
    try:
        number, folder = new_folder()
    except OSError as error:
        complain(f"this run is not kept: {_told(error)}")
        with tempfile.TemporaryDirectory(prefix="pt2triage-") as folder:
            return _work(args, folder, 0)
    try:
        return _work(args, folder, number)
    finally:
        prune(keep=number)


def _own_folder(path: str) -> str | None:
    """The folder of -o, as a whole path; None where it will not do."""
    try:
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            complain(f"{one_line(path)}: it is not empty; name a new folder")
            return None
    except OSError as error:
        complain(_told(error))
        return None
    return os.path.abspath(path)


def _work(args: Arguments, folder: str | None, number: int) -> int:
    """Runs the command and says what failed; its exit status."""
    from pt2triage._around.recipes import recipes_of
    from pt2triage._around.session import run_session
    from pt2triage._around.store import Stored, delete_run
    from pt2triage._around.streams import Shown
    from pt2triage.cli._run_told import tell

    if folder is None:
        return console.FAILED
    try:
        session = run_session(
            args.command_words,
            recipes_of(args.recipe)[0],
            folder,
            os.environ,
            shown=Shown(records=args.show_logs),
            timeout=args.timeout,
        )
    except OSError as error:
        complain(_told(error))
        return console.FAILED
    if session.ended.error is not None:
        name = one_line(args.command_words[0])
        complain(f"cannot run {name}: {one_line(session.ended.error)}")
        if number:
            delete_run(Stored(number, folder, session.record))
        return session.ended.status
    tell(args, session)
    if args.escalate:
        _escalate(args, session)
    where = f"run {number}" if number else one_line(folder)
    complain(f"kept as {where}")
    return session.ended.status


def _escalate(args: Arguments, session: Session) -> None:
    """Runs the command again where that can tell more, and prints what it told."""
    from pt2triage._around.session import write_text
    from pt2triage.cli._again import run_again
    from pt2triage.cli._run_told import print_report

    best = run_again(session, args.escalate, args.timeout)
    try:
        session.record.write(session.folder)
        if best is not session:
            write_text(best.report, session.folder)
    except OSError as error:
        complain(_told(error))
    if best is not session:
        print_report(args, best)


def _told(error: OSError) -> str:
    name = one_line(str(error.filename or ""))
    reason = one_line(error.strerror or str(error))
    return f"{name}: {reason}" if name else reason
