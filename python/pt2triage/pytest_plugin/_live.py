"""What is kept with a test: its capture, and the report of it so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pt2triage._capture import Capture

if TYPE_CHECKING:
    from pt2triage._report import Report

CAPTURE = pytest.StashKey[Capture]()


class LiveReport:
    """The report of a test that runs; each attribute is as of now."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def __call__(self) -> Report:
        """The report of this phase of the test until now."""
        return self._item.stash[CAPTURE].report

    if TYPE_CHECKING:
        # A type checker sees the attributes of a report.
        @property
        def category(self) -> str | None: ...
    else:

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(self(), name)

    def __repr__(self) -> str:
        return repr(self())
