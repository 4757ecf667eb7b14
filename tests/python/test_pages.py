"""The pages that are made from cases and tables are what they give now."""

from pathlib import Path

import pytest

import causes_page
import confusion

PAGE = Path(__file__).parents[2] / "docs" / "confusion.md"


def test_page_is_up_to_date() -> None:
    """If this fails: python tests/confusion.py > docs/confusion.md."""
    assert PAGE.read_text(encoding="utf-8") == confusion.render()


def test_no_case_is_judged_wrongly() -> None:
    assert [case for case in confusion.judged() if case[1] != case[2]] == []


def test_page_of_causes_is_up_to_date() -> None:
    """If this fails: python tests/causes_page.py > docs/causes.md."""
    page = PAGE.with_name("causes.md").read_text(encoding="utf-8")
    assert page == causes_page.render()


def test_page_of_tables_is_up_to_date() -> None:
    """If this fails: python tests/tables_page.py > docs/tables.md."""
    pytest.importorskip("pyarrow")
    import tables_page

    page = PAGE.with_name("tables.md").read_text(encoding="utf-8")
    assert page == tables_page.render()
