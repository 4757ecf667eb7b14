"""Which variables a run of the command gets: the playbook's recipes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import _core
from pt2triage._around.log_settings import extended, items
from pt2triage._playbook import play_of

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTO = "auto"
# Cheap records that most answers need; a trace has the rest.
_AUTO_LOGS = "graph_breaks,recompiles"


class Recipe(NamedTuple):
    """Variables that make a failure tell more.

    Attributes:
        name: The category that it is for, or ``auto``.
        variables: Names and values.
        shows: What they show, in a few words.
    """

    name: str
    variables: dict[str, str]
    shows: str


class Environment(NamedTuple):
    """What a command runs with.

    Attributes:
        variables: The whole environment.
        ours: The variables that were set or changed, with their values.
        kept: Variables of the recipe that the user has set otherwise.
        own_logs: TORCH_LOGS as the user has it.
        trace: The folder for traces.
    """

    variables: dict[str, str]
    ours: dict[str, str]
    kept: list[str]
    own_logs: str
    trace: str


def recipes_of(name: str) -> list[Recipe]:
    """The recipes of a category, the cheapest first; one for ``auto``."""
    if name == AUTO:
        logs = {"TORCH_LOGS": _AUTO_LOGS}
        return [Recipe(AUTO, logs, "graph breaks, recompiles, and a trace")]
    play = play_of(name)
    if play is None:
        return []
    found = []
    for recipe in play["recipes"]:
        variables = {row["name"]: row["value"] for row in recipe["variables"]}
        found.append(Recipe(name, variables, recipe["shows"]))
    return found


def names() -> list[str]:
    """What ``--recipe`` takes."""
    return [AUTO, *(play["category"] for play in _core.playbook())]


def environment(recipe: Recipe, folder: str, base: Mapping[str, str]) -> Environment:
    """The environment of a run whose files go to `folder`.

    What the user has set stays: TORCH_LOGS gets more entries, others win over ours.
    """
    wanted = dict(recipe.variables)
    wanted.setdefault("TORCH_TRACE", os.path.join(folder, "trace"))
    # Costs nothing until a signal strikes; then it is the only one to say where.
    wanted.setdefault("PYTHONFAULTHANDLER", "1")
    if any("REPRO" in name for name in wanted):  # the minifier writes a folder
        wanted.setdefault("TORCH_COMPILE_DEBUG_DIR", os.path.join(folder, "debug"))
    own_logs = base.get("TORCH_LOGS", "")
    ours: dict[str, str] = {}
    kept: list[str] = []
    for name, value in wanted.items():
        if name == "TORCH_LOGS" and not _asks_for_help(own_logs):
            value = extended(own_logs, value)
        elif base.get(name):
            if base[name] != value:
                kept.append(name)
            continue
        if value != base.get(name):
            ours[name] = value
    variables = {**base, **ours}
    return Environment(variables, ours, kept, own_logs, variables["TORCH_TRACE"])


def adds(recipe: Recipe, done: Mapping[str, str]) -> bool:
    """Whether `recipe` sets anything that a run with `done` had not."""
    for name, value in recipe.variables.items():
        if name == "TORCH_LOGS":
            if not set(items(value)) <= set(items(done.get(name, ""))):
                return True
        elif not done.get(name):
            return True
    return False


def _asks_for_help(logs: str) -> bool:
    return logs.strip() in ("help", "+help")
