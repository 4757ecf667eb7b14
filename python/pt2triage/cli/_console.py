"""What every command does with its output: where it goes, colour, errors."""

from __future__ import annotations

import os
import sys

from pt2triage.report.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import TextIO

    from pt2triage.cli._options import Option
    from pt2triage.report.layout import Line

# Exit statuses: all is well, a gate failed, wrong usage or unreadable input.
OK = 0
GATE = 1
FAILED = 2
DONE_BY_SIGNAL = 130  # Ctrl-C, as shells count it

# Columns where there is no terminal; fixed, so that piped output is stable.
PIPE_WIDTH = 100

STYLES = {
    "error": "bold red",
    "warning": "yellow",
    "title": "bold",
    "good": "green",
    "label": "cyan",
    "message": "bold",
    "code": "magenta",
    "dim": "dim",
}


OUTPUT_OPTION: Option = (
    ("-o", "--output"),
    {"metavar": "FILE", "help": "write to FILE"},
)
COLOR_OPTION: Option = (
    ("--color",),
    {
        "choices": ("auto", "always", "never"),
        "default": "auto",
        "help": "colours: auto means on a terminal and without NO_COLOR",
    },
)


def add_output_option(parser: argparse.ArgumentParser) -> None:
    flags, settings = OUTPUT_OPTION
    parser.add_argument(*flags, **settings)


def add_color_option(parser: argparse.ArgumentParser) -> None:
    flags, settings = COLOR_OPTION
    parser.add_argument(*flags, **settings)


def add_python_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="EXE",
        help="the Python that has torch (default: this one)",
    )


def complain_of(error: OSError) -> None:
    """Tells which file an error is about, and why."""
    complain(f"{one_line(str(error.filename))}: {one_line(str(error.strerror))}")


_clean: Callable[[str], str] | None = None


def set_confidential(wanted: bool) -> None:
    """Whether `cleaned` leaves out code, folders and secrets."""
    global _clean
    _clean = None
    if wanted:
        from pt2triage._confidential import clean

        _clean = clean


def cleaned(text: str) -> str:
    """`text` as it may be printed: without what ``--confidential`` leaves out."""
    return text if _clean is None else _clean(text)


def complain(message: str) -> None:
    """Prints one line on stderr, after the name of the program."""
    message = cleaned(message)
    try:
        # In a job of GitHub Actions "##[" begins a command anywhere in a line.
        message = message.replace("##[", "## [")
        print(f"pt2triage: {message}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return  # stderr is closed or full


def say(text: str) -> None:
    """Prints text on stderr."""
    try:
        # In a job of GitHub Actions "##[" begins a command anywhere in a line.
        text = text.replace("##[", "## [")
        data = text.encode(sys.stderr.encoding or "utf-8", "backslashreplace")
        sys.stderr.buffer.write(data)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return  # stderr is closed, full, or replaced by something else


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_color(choice: str, to_file: bool, stream: TextIO | None = None) -> bool:
    """What ``--color`` means here and now; `stream` is stdout if not given."""
    if choice != "auto":
        return choice == "always"
    return (
        not to_file
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and is_terminal(stream or sys.stdout)
    )


def output_width(to_file: bool, stream: TextIO | None = None) -> int:
    if to_file or not is_terminal(stream or sys.stdout):
        return PIPE_WIDTH
    import shutil

    return shutil.get_terminal_size().columns


def paint(lines: list[Line], color: bool) -> str:
    """The lines as text, with colours if wanted."""
    if not color:
        from pt2triage.report.layout import plain

        return plain(lines)
    import io

    from rich.console import Console
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
        width=10**6,  # the lines are wrapped already
        highlight=False,
        emoji=False,
    )
    for line in lines:
        text = Text.assemble(*((part, STYLES.get(style, "")) for part, style in line))
        console.print(text, soft_wrap=True)
    return buffer.getvalue()


def columns(rows: list[tuple[str, str]]) -> str:
    """A line for each label and its value, which may come from anywhere."""
    width = max(len(label) for label, _ in rows)
    return "".join(
        f"{one_line(label):<{width}}  {one_line(value)}\n" for label, value in rows
    )


def bad_value(message: str) -> Exception:
    """What a type of argparse raises."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(message)


def seconds(word: str) -> float:
    """A type of argparse: a time that is longer than nothing."""
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise bad_value(f"'{word}' is no number of seconds")
    return number


def number(word: str) -> int:
    """The value of an option that counts something."""
    if not word.isdecimal() or int(word) < 1:
        raise bad_value(f"'{word}' is no number of 1 or more")
    return int(word)
