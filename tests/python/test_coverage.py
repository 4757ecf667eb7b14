"""docs/coverage.md is true, and nothing in it is covered by nothing."""

import re

import pytest

import wordings
from cases import all_cases
from wordings import GROUPS, PAGE, Wording, covered

ALL = [wording for group in GROUPS.values() for wording in group]


def test_page_is_up_to_date() -> None:
    """If this fails: python tests/wordings.py > docs/coverage.md."""
    assert PAGE.read_text(encoding="utf-8") == wordings.render()


@pytest.mark.parametrize("wording", ALL, ids=lambda wording: wording.name)
def test_wording_is_covered_or_says_why_not(wording: Wording) -> None:
    found = any(covered(wording).values())
    assert found != bool(wording.missing)


def test_every_failing_case_covers_something() -> None:
    """A case without a listed wording is one whose wording nobody listed."""
    for case in all_cases():
        if case.expect["category"] in (None, "other"):
            continue
        text = wordings.texts()[case.version, case.scenario]
        assert any(re.search(wording.pattern, text) for wording in ALL), case.id
