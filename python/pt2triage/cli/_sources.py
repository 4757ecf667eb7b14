"""What the words of a command line that name sources stand for."""

from __future__ import annotations

import os

from pt2triage._inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = frozenset("*?[")


def find_sources(
    words: Iterable[str], output: str | None, *others: str
) -> tuple[Inputs, int | None]:
    """The inputs, and the place among them at which stdin (``-``) was named.

    Args:
        words: Files, folders, globs or ``-``.
        output: The file that is written, which is no input; None is stdout.
        others: More files that are no input of folders and globs.
    """
    inputs = Inputs()
    for name in (output, *others):
        inputs.leave_out(name)
    stdin_at: int | None = None
    for word in words:
        if word == "-":
            stdin_at = len(inputs) if stdin_at is None else stdin_at
        elif not os.path.lexists(word) and _GLOB.intersection(word):
            inputs.add_glob(word)
        else:
            inputs.add(word)
    return inputs, stdin_at
