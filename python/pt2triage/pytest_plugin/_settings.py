"""Settings: what the options, the ini file and pyproject.toml say."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pt2triage import CATEGORIES
from pt2triage._config import Config, ConfigError, find_config

BUDGETS = ("max_graph_breaks", "max_recompiles")
_TOP = 10


class Settings(NamedTuple):
    """What the user has set.

    Attributes:
        every_test: All tests; else those that ask with a marker or the fixture.
        top: Failures that the summary lists.
        report: Path of the JSON file; empty for none.
        fail_on: Categories that a test must not have.
        budgets: What is allowed to each test that has no marker for it; None is any
            number.
        config: `[tool.pt2triage]`, of which the plugin takes what to ignore.
    """

    every_test: bool
    top: int
    report: str
    fail_on: tuple[str, ...]
    budgets: dict[str, int | None]
    config: Config

    @classmethod
    def of(cls, config: pytest.Config, *, every_test: bool) -> Settings:
        """The settings of a run.

        Raises:
            pytest.UsageError: One of them is wrong.
        """
        names = tuple(
            name.strip() for name in _value(config, "fail_on").split(",") if name
        )
        for name in names:
            if name not in CATEGORIES:
                raise pytest.UsageError(
                    f"pt2triage_fail_on: there is no category {name!r}; choose from "
                    f"{', '.join(CATEGORIES)}"
                )
        # Without --pt2triage only what a test says itself holds for it.
        budgets = {
            name: _number(config, name) if every_test else None for name in BUDGETS
        }
        top = _number(config, "top")
        top = _TOP if top is None else top
        try:
            project = find_config(str(config.rootpath))
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from error
        report = _value(config, "report")
        return cls(every_test, top, report, names, budgets, project)


def _value(config: pytest.Config, name: str) -> str:
    given = config.getoption(f"pt2triage_{name}")
    return str(config.getini(f"pt2triage_{name}") if given is None else given)


def _number(config: pytest.Config, name: str) -> int | None:
    value = _value(config, name)
    if not value:
        return None
    if not value.isascii() or not value.isdigit():
        raise pytest.UsageError(
            f"pt2triage_{name}: {value!r} is no number of 0 or more"
        )
    return int(value)
