"""The Jinja environment of all templates.

Nothing is escaped by itself, since most templates are Markdown and Python: every
value goes through a filter that says what it is. A test holds templates to it.
HTML is escaped by itself too.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

# Columns of a text on one line.
_LINE = 400


@functools.cache
def environment() -> jinja2.Environment:
    """The environment with the filters of report/escape.py."""
    import jinja2

    from pt2triage.report import escape
    from pt2triage.report.layout import crop
    from pt2triage.report.safe import one_line, printable
    from pt2triage.report.top_text import number

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("pt2triage.report"),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "cell": escape.cell,
        "code": escape.code,
        "comment": escape.comment,
        "fence": escape.fence,
        "line": lambda value: crop(one_line(value), _LINE),
        "number": number,
        "raw": str,  # our own words
        "raw_line": escape.ascii_line,
        "shown": lambda value: printable(str(value)),  # HTML escapes the rest
        "text": escape.text,
    }
    return made


@functools.cache
def html_environment() -> jinja2.Environment:
    """The same for pages: what is special in HTML is escaped everywhere."""
    return environment().overlay(autoescape=True)
