"""The whole command line, for argparse."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Protocol

from pt2triage import __version__
from pt2triage.cli import (
    _completion,
    check,
    diff,
    env,
    explain,
    extract,
    mcp,
    minify,
    run,
    runs,
    scan,
    top,
    trace,
)
from pt2triage.cli import _console as console
from pt2triage.cli._completion import tell_and_end
from pt2triage.cli._console import FAILED, complain
from pt2triage.cli._options import Arguments
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from typing import NoReturn


class Command(Protocol):
    """What a module of this folder is."""

    @property
    def NAME(self) -> str: ...
    @property
    def HELP(self) -> str: ...
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: Arguments) -> int: ...


COMMANDS: tuple[Command, ...] = (
    scan,
    top,
    diff,
    check,
    trace,
    extract,
    explain,
    env,
    minify,
    run,
    runs,
    mcp,
)


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
        "--version",
        action="version",
        version=f"pt2triage {__version__}",
        help="print the version and end; with -v all that it is built of and runs on",
    )
    parser.add_argument(
        "--print-completion",
        action=_completion.PrintCompletion,
        default=argparse.SUPPRESS,
        choices=_completion.SHELLS,
        metavar="SHELL",
        help=f"{_completion.HELP}: {', '.join(_completion.SHELLS)}",
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


def parse(words: list[str]) -> Arguments:
    """What the words say; `run` is what does it.

    Raises:
        SystemExit: All is said already: help, the version, or what is wrong.
    """
    if "--version" in words and set(words) <= {"--version", "-v", "--verbose"}:
        _tell_version(verbose=len(words) > 1)
    parser = make_parser()
    if words and _is_path_without_command(words[0]):
        meant = f"pt2triage scan {' '.join(words)}"
        parser.error(f"'{words[0]}' is no command; did you mean: {meant}")
    words, command_words = _split_command(words)
    args, unknown = parser.parse_known_args(
        words, Arguments(command_words=command_words)
    )
    if unknown:
        _refuse(parser, args.command, unknown)
    return args


def _refuse(
    parser: argparse.ArgumentParser, command: str, unknown: list[str]
) -> NoReturn:
    """Tells of words that nobody knows, by the parser whose help lists those that are.

    argparse itself leaves them to the parser of all commands.
    """
    from difflib import get_close_matches

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parser = action.choices[command]
    word = unknown[0].partition("=")[0]
    close = get_close_matches(word, parser._option_string_actions, 1, 0.6)
    advice = f"; did you mean {close[0]}?" if close else ""
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")


def _tell_version(*, verbose: bool) -> NoReturn:
    text = f"pt2triage {__version__}\n"
    if verbose:
        from pt2triage._about import rows

        text += console.columns(rows())
    tell_and_end(text)


def _split_command(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of ours, and those of a command to run: all that follow ``--``."""
    if words[:1] != [run.NAME] or "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _is_path_without_command(word: str) -> bool:
    known = {command.NAME for command in COMMANDS}
    return word not in known and not word.startswith("-") and os.path.exists(word)
