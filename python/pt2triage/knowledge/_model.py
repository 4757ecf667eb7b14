"""What an explanation holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# The versions of PyTorch whose sources were read; nothing is claimed of others.
VERSIONS = ("2.2", "2.4", "2.6", "2.8", "2.10", "2.13")

# The kinds of words, in the order in which they are listed, and what each is.
KINDS: dict[str, str] = {
    "category": "kind of failure",
    "cause": "cause of a failure",
    "graph-break": "graph-break id",
    "exception": "exception class",
    "artifact": "log artifact of TORCH_LOGS",
    "alias": "log alias of TORCH_LOGS",
    "variable": "environment variable",
    "option": "config option",
    "file": "source file of torch",
}


class Explanation(NamedTuple):
    """One meaning of a word.

    Attributes:
        kind: One of `KINDS`.
        name: The word as PyTorch, or pt2triage, writes it in full.
        about: What it is and what to do about it.
        versions: Those of `VERSIONS` that have it; None where that is not known
            or where it is no word of PyTorch.
        facts: More of it by label, such as "default" or "values".
        steps: What to do, in order.
        commands: Shell commands that show more; `your_script.py` stands for
            what failed.
        related: Words to look up next; each can be explained.
        origin: Where this comes from, if not from our own reading.
    """

    kind: str
    name: str
    about: str
    versions: tuple[str, ...] | None = None
    facts: Mapping[str, tuple[str, ...]] = {}
    steps: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    origin: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain containers, for JSON."""
        return self._asdict()


def command(assignments: str) -> str:
    """The shell command that runs a script with these variables set."""
    return f"{assignments} python your_script.py"
