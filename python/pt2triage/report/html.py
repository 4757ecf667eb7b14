"""Small HTML for notebooks: no scripts, everything escaped, rows capped.

The colours are those of the notebook, so that it fits light and dark themes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage._notice import notices
from pt2triage.report.page_rows import full_row
from pt2triage.report.templating import html_environment
from pt2triage.report.text import nothing_heading, read_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pt2triage._core import Finding
    from pt2triage._report import Report

# Rows of a table that are shown; characters of a cell.
MAX_ROWS = 50
_MAX_CELL = 300
_SHOWN = ("category", "cause", "severity", "count", "message", "user_file", "user_line")


def report_html(report: Report) -> str:
    """A heading and the table of findings."""
    heading, rows = nothing_heading(report), []
    if report.category is not None:
        heading = f"{report.category}: look at finding {report.finding} first"
        rows = [
            {key: record[key] for key in _SHOWN}
            for record in report.findings[:MAX_ROWS].to_dicts()
        ]
    caption = _caption("findings", len(report.findings)) if rows else ""
    return _render(
        heading=heading,
        note=" ".join(
            (f"Read {read_line(report.sources)}", *notices(report.is_confidential))
        ),
        caption=caption,
        rows=_cells(rows),
    )


def finding_html(finding: Finding) -> str:
    """One finding with all that is known of it."""
    row = full_row(finding, "")
    return _render(
        heading=f"{finding.category}: {finding.cause}",
        severity=finding.severity,
        note=row.notes,
        one=row,
    )


def table_html(name: str, rows: Sequence[Mapping[str, object]], total: int) -> str:
    """A table with the first rows, and how many there are."""
    return _render(caption=_caption(name, total), rows=_cells(rows))


def _render(**values: object) -> str:
    empty = dict.fromkeys(("heading", "severity", "note", "one", "caption", "rows"))
    template = html_environment().get_template("notebook.html.j2")
    return template.render(empty | values)


def _caption(name: str, total: int) -> str:
    if not total:
        return f"{name}: none"
    shown = f", the first {MAX_ROWS} shown" if total > MAX_ROWS else ""
    return f"{name}: {total:,}{shown}"


def _cells(rows: Sequence[Mapping[str, object]]) -> list[dict[str, str]]:
    return [
        {key: _cell(value) for key, value in row.items()} for row in rows[:MAX_ROWS]
    ]


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]} ..."
