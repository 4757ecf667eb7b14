"""The Jinja environment of all templates.

Nothing is escaped by itself, since most templates are Markdown and Python: every
value goes through a filter that says what it is. A test holds templates to it.
HTML is escaped by itself too.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

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
        auto_reload=False,  # they do not change while we run
    )
    made.filters |= {
        "cell": escape.cell,
        "code": escape.code,
        "comment": escape.comment,
        "fence": escape.fence,
        "line": lambda value: crop(one_line(value), _LINE),
        "number": number,
        "ready": _escaped_already,
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


@functools.cache
def script_hash(name: str) -> str:
    """The hash of a script, by which the policy of its page allows it."""
    script = html_environment().get_template(name).render()
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _escaped_already(text: Markup) -> Markup:
    """Text that was escaped when it was made, to be used in several pages."""
    if not hasattr(text, "__html__"):
        raise TypeError("not escaped")
    return text
