"""What a value of TORCH_LOGS lets through, as PyTorch reads it."""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import Any, NamedTuple

# Levels as both forms of PyTorch's prefix write them.
_LEVELS = {"V": 10, "I": 20, "W": 30, "E": 40, "C": 50}
_LEVELS |= {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_SIGNS = {"+": 10, "-": 40}
_UNSET = 30  # what loggers let through that nobody has set
_UNKNOWN = 50  # shown in any case


class Origin(NamedTuple):
    """Who wrote a record.

    Attributes:
        module: The module, as in ``torch._dynamo.guards``.
        level: A letter or word of a level.
        artifact: The artifact, without underscores; empty for plain records.
    """

    module: str
    level: str
    artifact: str


class LogSettings:
    """A parsed value of TORCH_LOGS.

    >>> LogSettings("graph_breaks").wants(Origin("torch._dynamo.x", "V", "guards"))
    False
    >>> LogSettings("+dynamo").wants(Origin("torch._dynamo.x", "V", "guards"))
    True
    """

    def __init__(self, text: str) -> None:
        self._levels: dict[str, int] = {}
        self._artifacts: set[str] = set()
        for item in items(text):
            name = item.lstrip("+-")
            if name in _table("artifacts"):
                self._artifacts.add(name)
                continue
            entry = _table("aliases").get(name, {"loggers": [name]})
            loggers = ["torch"] if name == "all" else entry["loggers"]
            self._levels.update(
                dict.fromkeys(loggers, _SIGNS.get(item[0], _LEVELS["I"]))
            )

    def wants(self, origin: Origin) -> bool:
        """Whether a record is let through."""
        if origin.artifact:
            if origin.artifact in self._artifacts:
                return True
            entry = _table("artifacts").get(origin.artifact, {})
            if entry.get("off_by_default", False):
                return False
        level = _LEVELS.get(origin.level, _UNKNOWN)
        return level >= min(self._level(origin.module), _UNSET)

    def _level(self, module: str) -> int:
        """The level of the logger of `module`, its own or an ancestor's."""
        while module:
            if module in self._levels:
                return self._levels[module]
            module = module.rpartition(".")[0]
        return _UNSET


def items(text: str) -> list[str]:
    """The entries of a value of TORCH_LOGS."""
    return [item for part in text.split(",") if (item := "".join(part.split()))]


def extended(own: str, ours: str) -> str:
    """The user's value with our entries added.

    PyTorch lets the last entry of a logger win. So ours stand where they can add
    records, but never take any away: those that ask for everything last.

    >>> extended("+dynamo,guards", "dynamic,+inductor,guards")
    'dynamic,+dynamo,guards,+inductor'
    """
    known = items(own)
    added = [item for item in items(ours) if item not in known]
    loud = [item for item in added if item.startswith("+")]
    quiet = [item for item in added if item not in loud]
    return ",".join([*quiet, *known, *loud])


@functools.cache
def _table(name: str) -> dict[str, Any]:
    text = files("pt2triage.knowledge").joinpath(f"{name}.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table
