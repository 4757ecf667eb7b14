"""The pages that are made from cases and tables are what they give now."""

from pathlib import Path

import pytest

import causes_page
import confusion
from cases import ROOT, RunScan, case

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


def test_the_sample_of_the_readme(run_scan: RunScan, tmp_path: Path) -> None:
    log = case("2.13.0/fullgraph_unsupported").log.read_bytes()
    (tmp_path / "run.log").write_bytes(log)
    shown = run_scan("run.log").stdout.decode()
    assert f"$ pt2triage scan run.log\n{shown}```" in (ROOT / "README.md").read_text()
