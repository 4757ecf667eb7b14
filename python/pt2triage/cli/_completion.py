"""Scripts by which shells complete our words: ``--print-completion SHELL``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, cast

from pt2triage._core import CATEGORIES
from pt2triage.cli._console import FAILED, OK, complain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

SHELLS = ("bash", "zsh", "fish")
HELP = "print a script by which a shell completes our words"

# What the placeholder of an option or argument stands for.
_FILES = ("FILE", "PATH", "BEFORE", "AFTER", "LAUNCHER", "EXE")
_FOLDERS = ("DIR", "FOLDER")
_CATEGORIES = "C[,...]"
_WORD = "WORD"


class PrintCompletion(argparse.Action):
    """Prints and ends; what writes the script is only loaded then."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        tell_and_end(script(parser, cast("str", args[1])) + "\n")


def tell_and_end(text: str) -> NoReturn:
    """Prints what was asked for instead of a command, and ends."""
    from pt2triage.cli._output import OutputError, write_output

    try:
        write_output(text, None, utf8=False)
    except OutputError as error:
        complain(str(error))
        raise SystemExit(FAILED) from None
    raise SystemExit(OK)


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for a shell, by all options of all commands."""
    import shtab

    from pt2triage import knowledge

    known = [word for kind in knowledge.KINDS for word in knowledge.words(kind)]
    for action in _actions(parser):
        metavar = action.metavar
        if metavar == _CATEGORIES:
            action.choices = CATEGORIES
        elif metavar == _WORD:
            action.choices = sorted({word for word in known if " " not in word})
        elif metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return shtab.complete(parser, shell=shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
