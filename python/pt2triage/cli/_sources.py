"""What the words of a command line that name sources stand for."""

from __future__ import annotations

import errno
import os
import sys

from pt2triage._errors import OpenError
from pt2triage._inputs import Inputs, is_url
from pt2triage._outcome import encode, open_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = frozenset("*?[")


def find_sources(
    words: Iterable[str],
    output: str | None,
    *others: str,
    files_from: str | None = None,
    null: bool = False,
) -> Inputs:
    """The inputs that the words of a command line stand for.

    Args:
        words: Files, folders, globs, URLs or ``-`` for stdin.
        output: The file that is written, which is no input; None is stdout.
        others: More files that are no input of folders and globs.
        files_from: A file with one more name a line, taken literally; ``-`` is stdin.
        null: Its names end with NULs, not newlines.
    """
    inputs = Inputs()
    for name in (output, *others):
        inputs.leave_out(name)
    for word in words:
        if word == "-":
            inputs.add_stdin()
        elif (
            _GLOB.intersection(word) and not is_url(word) and not os.path.lexists(word)
        ):
            inputs.add_glob(word)
        else:
            inputs.add(word)
    if files_from is not None:
        for name in _read_names(files_from, null):
            inputs.add(name)
    return inputs


def files_of_state(path: str | None) -> list[str]:
    """The files of ``--state``, which may lie among the logs: SQLite keeps a journal
    beside it while a scan writes."""
    return [] if path is None else [path, f"{path}-journal"]


def _read_names(path: str, null: bool) -> list[str]:
    try:
        if path == "-":
            if sys.stdin is None:
                raise OpenError(errno.EBADF, "It is closed", "<stdin>")
            data = getattr(sys.stdin, "buffer", sys.stdin).read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise open_error("<stdin>" if path == "-" else path, error) from error
    if isinstance(data, str):
        data = encode(data)
    names = (
        data.split(b"\0")
        if null
        else [line.removesuffix(b"\r") for line in data.split(b"\n")]
    )
    return [os.fsdecode(name) for name in names if name]
