"""What pt2triage knows of each category and cause: the tables of the core."""

from __future__ import annotations

import functools
from typing import TypedDict, cast

from pt2triage import _core


class Named(TypedDict):
    """A file of PyTorch (`path`) or a setting (`name`) and what it is."""

    what: str


class File(Named):
    path: str


class Setting(Named):
    name: str


class Variable(TypedDict):
    """A variable of the environment, and the value that it gets."""

    name: str
    value: str


class Recipe(TypedDict):
    """Settings of the environment, as a shell takes them, and what they show."""

    variables: list[Variable]
    command: str
    shows: str


class Play(TypedDict):
    """How to work on the failures of one category."""

    category: str
    title: str
    command: str
    recipes: list[Recipe]
    files: list[File]
    config: list[Setting]
    causes: list[str]
    fixes: list[str]
    artifacts: list[str]


class Cause(TypedDict):
    """What a cause means, and what proves it."""

    category: str
    cause: str
    about: str
    proof: str


@functools.cache
def play_of(category: str) -> Play | None:
    """The page of `category`; None for what is not PT2's."""
    for play in _core.playbook():
        if play["category"] == category:
            return cast("Play", play)
    return None


@functools.cache
def cause_of(category: str, cause: str) -> Cause | None:
    """The row of a cause."""
    for row in _core.causes():
        if row["category"] == category and row["cause"] == cause:
            return cast("Cause", row)
    return None
