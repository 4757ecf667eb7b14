"""``pt2triage runs``: the runs that ``pt2triage run`` has kept."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import UsageError, add_confidential_option
from pt2triage.cli._output import OutputError
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._around.store import Stored
    from pt2triage.cli._options import Arguments

NAME = "runs"
HELP = "list, show, compare and delete what run has kept"

_DESCRIPTION = """\
What `pt2triage run` has kept: the latest 20 runs, and no more than 2 GiB, under
$PT2TRIAGE_HOME, $XDG_DATA_HOME/pt2triage or ~/.local/share/pt2triage. A RUN is a
number of the list, `last`, -2 for the one before the last, or the folder of
`run -o`."""

_EPILOG = """\
exit status:
  0  done, whatever has changed
  2  wrong usage, or there is no such run

examples:
  pt2triage runs list
  pt2triage runs show last
  pt2triage runs compare 3 4         # before my fix, after my fix
  pt2triage runs compare -2 last
  pt2triage runs delete 1 2
  pt2triage runs delete --all"""

_ACTIONS = {
    "list": "one line for each run; the default",
    "show": "what is known of a run, the last if none is named, and its report",
    "compare": "what is new, fixed, more and fewer in the second run; if none are "
    "named, in the last one against the one before",
    "delete": "delete runs, with all of their logs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.set_defaults(which=[], all=False, confidential=False)
    actions = parser.add_subparsers(metavar="ACTION", dest="action_given")
    for name, about in _ACTIONS.items():
        sub = actions.add_parser(name, help=about, description=about)
        if name != "list":
            sub.add_argument("which", nargs="*", metavar="RUN", help="which run")
        if name != "delete":
            add_confidential_option(sub)
        if name in ("show", "compare"):
            sub.add_argument("--format", choices=("text", "json"), default="text")
            console.add_color_option(sub)
        if name == "delete":
            sub.add_argument("--all", action="store_true", help="all runs")


def run(args: Arguments) -> int:
    from pt2triage._around.store import UnknownRunError, find_run, stored_runs
    from pt2triage._errors import OpenError
    from pt2triage.cli import _runs_shown as shown

    action: str = args.action_given or "list"
    try:
        chosen = [find_run(word) for word in _words(action, args)]
        if action == "list":
            shown.list_runs(stored_runs())
        elif action == "delete":
            return _delete(stored_runs() if args.all else chosen)
        elif action == "show":
            shown.show(chosen[0], args)
        else:
            shown.compare(chosen[0], chosen[1], args)
    except (UnknownRunError, UsageError, OutputError) as error:
        complain(one_line(str(error)))
        return console.FAILED
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    return console.OK


def _words(action: str, args: Arguments) -> list[str]:
    """The runs that are named, or meant.

    Raises:
        UsageError: There are too many or too few.
    """
    which: list[str] = args.which
    if action == "delete":
        if args.all == bool(which):
            raise UsageError("which runs? Name them, or give --all and name none")
    elif action == "show":
        which = which or ["last"]
        if len(which) != 1:
            raise UsageError("show takes one RUN")
    elif action == "compare":
        which = which or ["-2", "last"]
        if len(which) != 2:
            raise UsageError("compare takes two RUNs: before and after")
    return which


def _delete(runs: list[Stored]) -> int:
    from pt2triage._around.store import delete_run

    for run in runs:
        if run.record.is_running:
            complain(f"run {run.number} has not ended yet: it stays")
            continue
        try:
            delete_run(run)
        except OSError as error:
            complain(f"{one_line(run.folder)}: {error.strerror or error}")
            return console.FAILED
    return console.OK
