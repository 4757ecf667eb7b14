"""What every command does with its output: where it goes, colour, errors."""

from __future__ import annotations

import os
import sys

from pt2triage.report.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
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


def complain(message: str) -> None:
    """Prints one line on stderr, after the name of the program."""
    try:
        print(f"pt2triage: {message}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return  # stderr is closed or full


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_color(choice: str, to_file: bool) -> bool:
    """What ``--color`` means here and now."""
    if choice != "auto":
        return choice == "always"
    return (
        not to_file
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and is_terminal(sys.stdout)
    )


def output_width(to_file: bool) -> int:
    if to_file or not is_terminal(sys.stdout):
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


class OutputError(Exception):
    """The output cannot be written; the text says why, in one line."""


def check_output(path: str | None, inputs: Iterable[str] = ()) -> None:
    """Finds out before a long scan that its output could not be written.

    Raises:
        OutputError: `path` is a folder, or in none, or one of `inputs`.
    """
    if path is None or path == "-":
        return
    for name in inputs:
        if (
            os.path.isfile(name)
            and os.path.exists(path)
            and os.path.samefile(name, path)
        ):
            raise OutputError(f"cannot write {one_line(path)}: it is one of the inputs")
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise OutputError(f"cannot write {one_line(path)}: it is a folder")
    if not os.path.isdir(folder):
        raise OutputError(
            f"cannot write {one_line(path)}: there is no folder {one_line(folder)}"
        )


def write_output(text: str, path: str | None, *, utf8: bool) -> None:
    """Writes the whole text to a file, or to stdout.

    A reader that stops early, as ``head`` does, is no error.

    Args:
        text: What to write.
        path: The file; None or ``-`` for stdout.
        utf8: Write UTF-8 whatever the encoding of stdout is.

    Raises:
        OutputError: It cannot be written.
    """
    if path is None or path == "-":
        try:
            _write_stdout(text, utf8)
        except BrokenPipeError:
            _drop_stdout()
        except (OSError, ValueError) as error:
            _drop_stdout()
            raise OutputError(f"cannot write to stdout: {_reason(error)}") from error
        return
    try:
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise OutputError(f"cannot write {one_line(path)}: {_reason(error)}") from error


def _write_stdout(text: str, utf8: bool) -> None:
    stream = sys.stdout
    if stream is None:
        raise OSError("it is closed")
    encoding = "utf-8" if utf8 else (stream.encoding or "utf-8")
    data = text.encode(encoding, "backslashreplace")
    buffer = getattr(stream, "buffer", None)
    stream.flush()
    if buffer is None:  # replaced by something that takes text only
        stream.write(data.decode(encoding))
    else:
        buffer.write(data)
    stream.flush()


def _drop_stdout() -> None:
    """Keeps the interpreter from writing what is left when it exits."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        return


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error))
