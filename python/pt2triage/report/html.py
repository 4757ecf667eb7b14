"""Small HTML for notebooks: no scripts, everything escaped, rows capped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pt2triage.report.safe import printable
from pt2triage.report.text import nothing_heading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pt2triage._report import Report

_MAX_ROWS = 50
_MAX_CELL = 300


def report_html(report: Report) -> str:
    """A heading and the table of findings."""
    heading = nothing_heading(report)
    if report.category is not None:
        heading = f"{report.category}: look at finding {report.finding} first"
    names = ", ".join(source.name for source in report.sources[:5])
    if len(report.sources) > 5:
        names += f" and {len(report.sources) - 5} more"
    html = f"<p><b>{_text(heading)}</b><br>{_text(names)}</p>"
    if report.findings:
        rows = [
            {key: record[key] for key in _SHOWN}
            for record in report.findings.to_dicts()
        ]
        html += table_html("findings", rows)
    return html


def table_html(name: str, rows: Sequence[Mapping[str, object]]) -> str:
    """A table with the first rows, and how many there are."""
    if not rows:
        return f"<p>{_text(name)}: none</p>"
    head = "".join(f"<th>{_text(key)}</th>" for key in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row.values()) + "</tr>"
        for row in rows[:_MAX_ROWS]
    )
    caption = f"{name}: {len(rows)}"
    if len(rows) > _MAX_ROWS:
        caption += f", the first {_MAX_ROWS} shown"
    return (
        f"<table><caption>{_text(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


_SHOWN = ("category", "cause", "severity", "count", "message", "user_file", "user_line")


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = str(value)
    if len(text) > _MAX_CELL:
        text = text[:_MAX_CELL] + " ..."
    return _text(text).replace("\n", "<br>")


def _text(text: str) -> str:
    return escape(printable(text))
