"""Explanations of categories and causes, which the C++ core defines."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pt2triage import _core
from pt2triage.knowledge._model import Explanation, command
from pt2triage.knowledge._tables import table

# What stands for the holes of a remedy where there is no finding to fill them.
_HOLES = {
    "where": "the line that the report names",
    "function": "the compiled function",
    "exception": "the error that the report names",
    "op": "the operator",
    "callee": "the function called",
    "backend": "the backend",
}
_HOLE = re.compile(r"\{(\w+)\}")

# Not of the playbook, as it is no failure of the compiler.
_OTHER = (
    "An error that is not the compiler's: an exception of the program itself, a "
    "full device, a lost worker, a missing package. It stands first in a report "
    "only if nothing of PT2 failed."
)


@cache
def _playbook() -> dict[str, dict[str, Any]]:
    return {str(play["category"]): play for play in _core.playbook()}


@cache
def _causes() -> dict[tuple[str, str], dict[str, Any]]:
    return {(str(row["category"]), str(row["cause"])): row for row in _core.causes()}


def categories() -> tuple[str, ...]:
    return _core.CATEGORIES


def causes() -> tuple[tuple[str, str], ...]:
    """Category and cause of every cause."""
    return tuple(_causes())


def category(name: str) -> Explanation:
    play = _playbook().get(name)
    its_causes = tuple(cause for owner, cause in causes() if owner == name)
    if play is None:
        return Explanation("category", name, _OTHER, related=its_causes)
    variables = [
        f"{one['name']}={one['value']}: {one['shows']}" for one in play["variables"]
    ]
    return Explanation(
        "category",
        name,
        f"{play['title']}.",
        facts={
            "why it happens": tuple(play["causes"]),
            "variables": tuple(variables),
            "read": tuple(f"{one['path']}: {one['what']}" for one in play["files"]),
            "options": tuple(f"{one['name']}: {one['what']}" for one in play["config"]),
            "look at": tuple(play["artifacts"]),
        },
        steps=tuple(play["fixes"]),
        commands=commands(name),
        related=its_causes,
    )


def cause(owner: str, name: str) -> Explanation:
    row = _causes()[owner, name]
    return Explanation(
        "cause",
        name,
        row["about"],
        facts={"category": (owner,), "proof": (row["proof"],)},
        steps=(_fill(row["remedy"]),),
        commands=commands(owner),
        related=(owner, *_named(row["remedy"])),
    )


def commands(category: str) -> tuple[str, ...]:
    """The first command to run for failures of this category."""
    play = _playbook().get(category)
    return () if play is None else (command(play["command"]),)


def categories_with(part: str, name: str) -> tuple[str, ...]:
    """Categories whose playbook names `name` in "variables", "config" or "files"."""
    key = "path" if part == "files" else "name"
    return tuple(
        category
        for category, play in _playbook().items()
        if any(one[key] == name for one in play[part])
    )


def categories_logging(name: str) -> tuple[str, ...]:
    """Categories whose playbook turns an artifact or alias of TORCH_LOGS on."""
    found = [
        category
        for category, play in _playbook().items()
        for one in play["variables"]
        if one["name"] == "TORCH_LOGS" and name in re.findall(r"\w+", one["value"])
    ]
    return tuple(dict.fromkeys(found))


def _fill(remedy: str) -> str:
    text = _HOLE.sub(lambda hole: _HOLES.get(hole[1], f"the {hole[1]}"), remedy)
    return text[:1].upper() + text[1:]


def _named(remedy: str) -> tuple[str, ...]:
    """Options and variables that a remedy names and that can be explained."""
    words = re.findall(r"[\w.]+\w", remedy)
    return tuple(w for w in words if w in table("config") or w in table("variables"))
