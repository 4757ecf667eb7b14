"""The command line: one module for each command, each with ``NAME``, ``HELP``,
``add_arguments`` and ``run``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Protocol

from pt2triage import __version__
from pt2triage.cli import env, explain, minify, scan
from pt2triage.cli._console import DONE_BY_SIGNAL, FAILED, complain
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


class Command(Protocol):
    """What a module of this folder is."""

    @property
    def NAME(self) -> str: ...
    @property
    def HELP(self) -> str: ...
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace) -> int: ...


COMMANDS: tuple[Command, ...] = (scan, explain, env, minify)


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line, and where the help is."""

    def error(self, message: str) -> NoReturn:
        complain(one_line(message))
        print(f"Try '{self.prog} --help'.", file=sys.stderr)
        raise SystemExit(FAILED)


def make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pt2triage",
        description="Reads PyTorch logs and traces and says what failed.",
        epilog="pt2triage COMMAND --help tells more about a command.",
    )
    parser.add_argument(
        "--version", action="version", version=f"pt2triage {__version__}"
    )
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.NAME,
            help=command.HELP,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = make_parser()
    if arguments and _is_path_without_command(arguments[0]):
        parser.error(
            f"'{arguments[0]}' is no command; did you mean: "
            f"pt2triage scan {' '.join(arguments)}"
        )
    try:
        args = parser.parse_args(arguments)
        status: int = args.run(args)
    except KeyboardInterrupt:
        complain("interrupted")
        return DONE_BY_SIGNAL
    except MemoryError:
        complain("out of memory")
        return FAILED
    return status


def _is_path_without_command(word: str) -> bool:
    known = {command.NAME for command in COMMANDS}
    return word not in known and not word.startswith("-") and os.path.exists(word)
