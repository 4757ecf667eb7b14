"""Findings as annotations of GitHub Actions: commands on lines of output.

A command is a line that begins with ``::``. Only ours do: what a log holds stands
behind them, with its line breaks escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._notice import NOTICE
from pt2triage.report.checkout import relative, root_of
from pt2triage.report.layout import crop
from pt2triage.report.safe import printable
from pt2triage.report.top_text import what, where

if TYPE_CHECKING:
    from pt2triage.report._items import Item, Sheet

# Annotations of one kind that a step may make; the others would be dropped.
_SHOWN = 10
_COLUMNS = 200
_COMMAND = re.compile(r"(?:^|(?<=[\r\n]))(\s*):(?=:)")


def render_github(sheet: Sheet) -> str:
    """One command for each finding that matters, errors first."""
    # A name alone is no place in the checkout.
    root = None if sheet.confidential else root_of()
    lines = [
        _command("error", {"title": f"pt2triage: {gate}"}, text)
        for gate, text in sheet.budgets
    ]
    lines += [
        _command("error", {"title": "pt2triage: not read"}, f"{source}: {error}")
        for source, error in sheet.unreadable[:_SHOWN]
    ]
    for level in ("error", "warning"):
        items = [i for i in sheet.items if i.level == level and i.ignored is None]
        lines += [_annotation(item, root) for item in items[:_SHOWN]]
        left = len(items) - _SHOWN
        if left > 0:
            noun = "findings" if left > 1 else "finding"
            text = f"{left:,} more {noun}: GitHub shows {_SHOWN} of a kind"
            lines.append(_command("notice", {"title": "pt2triage"}, text))
    if sheet.confidential:
        lines.append(_command("notice", {"title": "pt2triage"}, NOTICE))
    return "".join(line + "\n" for line in lines)


def harmless(text: str) -> str:
    r"""Text for a job's log in which no line is a command.

    >>> harmless("  ::error::x\n##[add-mask]y")
    '  : :error::x\n## [add-mask]y'
    """
    return _COMMAND.sub(r"\1: ", text).replace("##[", "## [")


def _annotation(item: Item, root: str | None) -> str:
    one = item.cluster
    properties = {"title": f"{one.category}: {one.cause}"}
    file = None if root is None else relative(one.user_file or "", root)
    parts = [crop(what(one), _COLUMNS)]
    if file is not None:
        properties = {"file": file} | properties
        if one.user_line:
            properties = {"file": file, "line": str(one.user_line)} | properties
    elif one.user_file is not None:
        parts.append(f"in {where(one)}")
    if item.why is not None:
        parts.append(item.why)
    parts += [step.action for step in one.remedy[:1]]
    if one.place is not None:
        parts.append(f"{one.place.source}:{one.place.line}, {one.fingerprint}")
    level = "error" if item.failed else item.level
    return _command(level, properties, "\n".join(parts))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    shown = printable(text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
