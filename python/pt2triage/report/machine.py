"""The formats for machines by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt2triage.report._items import Sheet

FORMATS = ("sarif", "github", "junit")


def render_machine(sheet: Sheet, format_name: str) -> str:
    """The document in one of `FORMATS`."""
    if format_name == "sarif":
        from pt2triage.report.sarif import render_sarif

        return render_sarif(sheet)
    if format_name == "github":
        from pt2triage.report.github import render_github

        return render_github(sheet)
    from pt2triage.report.junit import render_junit

    return render_junit(sheet)
