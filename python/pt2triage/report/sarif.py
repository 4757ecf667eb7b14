"""Findings as SARIF 2.1.0, which code hosts show on the lines of a change."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pt2triage import __version__, knowledge
from pt2triage.report.checkout import relative, root_of
from pt2triage.report.layout import crop
from pt2triage.report.safe import printable
from pt2triage.report.top_text import what

if TYPE_CHECKING:
    from pt2triage._cluster import Cluster
    from pt2triage.report._items import Item, Sheet

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# What the paths of a checkout are relative to; a reader knows where it is.
_ROOT = "SRCROOT"
_COLUMNS = 200


def render_sarif(sheet: Sheet) -> str:
    """One run: a rule for each cause, a result for each finding."""
    names = list(dict.fromkeys(_rule_id(item.cluster) for item in sheet.items))
    # A name alone is no place in the checkout.
    root = None if sheet.confidential else root_of()
    run = {
        "tool": {
            "driver": {
                "name": "pt2triage",
                "semanticVersion": __version__,
                "rules": [_rule(name) for name in names],
            }
        },
        "invocations": [_invocation(sheet)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The checkout."}}},
        "columnKind": "unicodeCodePoints",
        **({"properties": {"confidential": True}} if sheet.confidential else {}),
        "results": [
            _result(item, names.index(_rule_id(item.cluster)), root)
            for item in sheet.items
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule_id(one: Cluster) -> str:
    return f"{one.category}/{one.cause}"


def _rule(name: str) -> dict[str, Any]:
    """What the knowledge tables say of a cause."""
    rule: dict[str, Any] = {"id": name, "properties": {"tags": ["torch.compile"]}}
    known = [one for one in knowledge.explain(name) if one.kind == "cause"]
    if not known:
        rule["shortDescription"] = {"text": printable(name)}
        return rule
    about = known[0].about
    help_text = "\n".join([about, *known[0].steps, *known[0].commands])
    return rule | {
        "shortDescription": {"text": re.split(r"(?<=\.)\s", about, maxsplit=1)[0]},
        "fullDescription": {"text": about},
        "help": {"text": help_text},
    }


def _invocation(sheet: Sheet) -> dict[str, Any]:
    notes = [f"{source}: {error}" for source, error in sheet.unreadable]
    notes += [f"{gate}: {text}" for gate, text in sheet.budgets]
    return {
        "executionSuccessful": not sheet.unreadable,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": printable(note)}} for note in notes
        ],
    }


def _result(item: Item, rule: int, root: str | None) -> dict[str, Any]:
    one = item.cluster
    result: dict[str, Any] = {
        "ruleId": _rule_id(one),
        "ruleIndex": rule,
        "level": item.level,
        "message": {"text": _message(item)},
        "locations": [_location(one, root)],
        "partialFingerprints": {"pt2triage/v1": one.fingerprint},
        "occurrenceCount": max(one.count, 1),
        "properties": {
            "severity": one.severity,
            "sources": one.sources,
            "exception": printable(one.exception or ""),
            "compileMode": one.compile_mode or "",
            "ranks": list(one.ranks),
            "tests": [printable(test) for test in one.tests],
            "command": printable(one.next_command or ""),
        },
    }
    if one.places:
        result["relatedLocations"] = [
            _place(place.source, place.line) | {"message": {"text": "in the log"}}
            for place in one.places
        ]
    if item.state is not None:
        result["baselineState"] = item.state
    if item.ignored is not None:
        result["suppressions"] = [
            {"kind": "external", "justification": printable(item.ignored)}
        ]
    return result


def _message(item: Item) -> str:
    one = item.cluster
    parts = [crop(what(one), _COLUMNS) or _rule_id(one)]
    parts += [item.why] if item.why is not None else []
    parts += [f"Next: {step.action}" for step in one.remedy[:1]]
    return printable("\n".join(parts))


def _location(one: Cluster, root: str | None) -> dict[str, Any]:
    """The user's line; the first line of the log where that is not known."""
    if one.user_file is None or one.user_file.startswith("<"):
        place = one.place
        return _place(place.source, place.line) if place is not None else {}
    file = None if root is None else relative(one.user_file, root)
    if file is None:
        location = _place(one.user_file, one.user_line)
    else:
        location = _place(file, one.user_line)
        location["physicalLocation"]["artifactLocation"]["uriBaseId"] = _ROOT
    if one.user_function:
        name = printable(one.user_function)
        location["logicalLocations"] = [{"name": name, "kind": "function"}]
    return location


def _place(path: str, line: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(path)}}
    if line is not None and line > 0:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}


def uri(path: str) -> str:
    """A path as a URI reference.

    >>> uri("/a b/c.py"), uri("C:\\\\x.py"), uri("src/x.py"), uri("a:b")
    ('file:///a%20b/c.py', 'file:///C:/x.py', 'src/x.py', 'a%3Ab')
    """
    path = path.replace("\\", "/")
    drive = re.match(r"[A-Za-z]:/", path)
    quoted = quote(path.encode("utf-8", "replace"), safe="/")
    if drive is not None:
        return f"file:///{quoted.replace('%3A', ':', 1)}"
    return f"file://{quoted}" if path.startswith("/") else quoted
