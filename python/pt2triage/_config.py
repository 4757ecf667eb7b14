"""The settings of a project: `[tool.pt2triage]` of its pyproject.toml."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage import CATEGORIES
from pt2triage._errors import Pt2TriageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pt2triage._cluster import Cluster

NAME = "pyproject.toml"


class ConfigError(Pt2TriageError):
    """Settings that are wrong; the text names the file and the key."""


class Ignore(NamedTuple):
    """A rule that leaves findings out: those that match each of its globs.

    Attributes:
        reason: Why they are left out.
        fingerprint: Glob of fingerprints; None matches all, here and below.
        cause: Glob of causes, ``scalar-value`` or ``recompilation/scalar-*``.
        file: Glob of the user's file, or of the end of its path.
        message: Glob of the message or reason.
        test: Glob that all tests match.
    """

    reason: str
    fingerprint: str | None = None
    cause: str | None = None
    file: str | None = None
    message: str | None = None
    test: str | None = None

    def matches(self, one: Cluster) -> bool:
        texts: tuple[tuple[str | None, tuple[str, ...]], ...] = (
            (self.fingerprint, (one.fingerprint,)),
            (self.cause, (one.cause, f"{one.category}/{one.cause}")),
            (self.file, _tails(one.user_file)),
            (self.message, tuple(filter(None, (one.message, one.reason)))),
        )
        for glob, values in texts:
            if glob is not None and not any(fnmatchcase(v, glob) for v in values):
                return False
        return self.test is None or (
            bool(one.tests)
            and not one.more_tests
            and all(fnmatchcase(test, self.test) for test in one.tests)
        )


class Config(NamedTuple):
    """The settings; None is what is not set.

    Attributes:
        path: The file that they are from.
        ignore: Rules that leave findings out.
        fail_on: Categories that a gate fails on.
        max_graph_breaks: Graph breaks that are allowed.
        max_recompiles: Recompiles that are allowed.
    """

    path: str | None = None
    ignore: tuple[Ignore, ...] = ()
    fail_on: tuple[str, ...] | None = None
    max_graph_breaks: int | None = None
    max_recompiles: int | None = None

    def reason_to_ignore(self, one: Cluster) -> str | None:
        """Why a cluster is left out; None if it is not."""
        return next((rule.reason for rule in self.ignore if rule.matches(one)), None)


def find_config(folder: str | None = None) -> Config:
    """The settings of the first pyproject.toml with any, from `folder` upwards.

    Raises:
        ConfigError: Something in it is wrong.
    """
    folder = os.path.abspath(folder or os.curdir)
    while True:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            found = read_config(path)
            if found is not None:
                return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return Config()
        folder = parent


def read_config(path: str) -> Config | None:
    """The settings in a file; None if it has no ``[tool.pt2triage]``.

    Raises:
        ConfigError: The file cannot be read, or something in it is wrong.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: it is no TOML: {error}") from error
    tool = document.get("tool")
    table = tool.get("pt2triage") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.pt2triage: it must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        read = _KEYS.get(key)
        if read is None:
            raise ConfigError(
                f"{path}: tool.pt2triage.{key}: there is no such key; choose from "
                f"{', '.join(_KEYS)}"
            )
        try:
            values[key.replace("-", "_")] = read(value)
        except ValueError as error:
            raise ConfigError(f"{path}: tool.pt2triage.{key}{error}") from error
    return Config(path=path, **values)


def _tails(path: str | None) -> tuple[str, ...]:
    """A path, and what follows each slash of it."""
    if path is None:
        return ()
    parts = path.replace("\\", "/").split("/")
    return tuple("/".join(parts[index:]) for index in range(len(parts)))


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f": {value!r} is no number of 0 or more")
    return value


def _categories(value: object) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        raise ValueError(": it must be a list of categories")
    for index, name in enumerate(names):
        if name not in CATEGORIES:
            raise ValueError(
                f"[{index}]: there is no category {name!r}; choose from "
                f"{', '.join(CATEGORIES)}"
            )
    return tuple(names)


def _ignore(value: object) -> tuple[Ignore, ...]:
    if not isinstance(value, list):
        raise ValueError(": it must be a list of tables with a fingerprint and reason")
    return tuple(_rule(index, row) for index, row in enumerate(value))


def _rule(index: int, row: object) -> Ignore:
    if not isinstance(row, dict):
        raise ValueError(
            f"[{index}]: it must be a table, such as "
            '{ fingerprint = "f3a91c0be2d4", reason = "why" }'
        )
    for key, value in row.items():
        if key not in Ignore._fields:
            known = ", ".join(sorted(Ignore._fields))
            raise ValueError(f"[{index}].{key}: no such key; choose from {known}")
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"[{index}].{key}: it must be a text that says something")
    if "reason" not in row:
        raise ValueError(f"[{index}]: it has no reason")
    if len(row) == 1:
        raise ValueError(f"[{index}]: it has a reason, but nothing to ignore")
    return Ignore(**row)


_KEYS: dict[str, Callable[[object], object]] = {
    "ignore": _ignore,
    "fail-on": _categories,
    "max-graph-breaks": _number,
    "max-recompiles": _number,
}
