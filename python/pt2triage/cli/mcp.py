"""``pt2triage mcp``: a server for coding assistants."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._inputs import add_confidential_option
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage.cli._options import Arguments

NAME = "mcp"
HELP = "serve triage to coding assistants (Model Context Protocol)"

_DESCRIPTION = """\
Serves the tools scan, explain, evidence, diff and next_command over stdin and stdout,
for assistants that speak the Model Context Protocol. Read-only: only files in the
FOLDERs are read, links are resolved first, no address is fetched and nothing is run.
Needs pip install 'pt2triage[mcp]'."""

_EPILOG = """\
exit status:
  0  the client has ended
  2  wrong usage, a FOLDER is none, or the package mcp is not installed

examples:
  pt2triage mcp logs/
  pt2triage mcp --confidential logs/ /tmp/trace"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "folders",
        nargs="*",
        default=["."],
        metavar="FOLDER",
        help="what may be read (default: the current folder)",
    )
    add_confidential_option(parser)


def run(args: Arguments) -> int:
    from pt2triage._mcp._desk import Desk
    from pt2triage._mcp._folders import Folders, RefusedError

    try:
        from pt2triage._mcp._server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp.server.mcpserver"):
            raise
        complain("it needs the package mcp, 2 or later: pip install 'pt2triage[mcp]'")
        return console.FAILED
    try:
        folders = Folders(args.folders)
    except RefusedError as error:
        complain(one_line(str(error)))
        return console.FAILED
    if sys.stdin is None or sys.stdout is None:
        complain("a client speaks over stdin and stdout, of which one is closed")
        return console.FAILED
    make_server(Desk(folders, confidential=args.confidential)).run("stdio")
    return console.OK
