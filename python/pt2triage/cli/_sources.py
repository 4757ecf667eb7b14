"""What the words of a command line that name sources stand for."""

from __future__ import annotations

import os

from pt2triage._inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = frozenset("*?[")


def find_sources(words: Iterable[str], output: str | None) -> tuple[Inputs, int | None]:
    """The inputs, and the place among them at which stdin (``-``) was named.

    Args:
        words: Files, folders, globs or ``-``.
        output: The file that is written, which is no input; None is stdout.
    """
    inputs = Inputs()
    inputs.leave_out(output)
    stdin_at: int | None = None
    for word in words:
        if word == "-":
            stdin_at = len(inputs) if stdin_at is None else stdin_at
        elif not os.path.lexists(word) and _GLOB.intersection(word):
            inputs.add_glob(word)
        else:
            inputs.add(word)
    return inputs, stdin_at
