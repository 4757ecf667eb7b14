"""Findings as JUnit XML, which every CI knows: a test case for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from pt2triage.report.layout import crop
from pt2triage.report.safe import printable
from pt2triage.report.top_text import what, where

if TYPE_CHECKING:
    from pt2triage._cluster import Cluster
    from pt2triage.report._items import Item, Sheet

_COLUMNS = 200
# What `printable` leaves and XML has no form for.
_NO_XML = re.compile("[\ufffe\uffff]")


def render_junit(sheet: Sheet) -> str:
    """One suite; what fails a build is a failure, what is ignored is skipped."""
    suite = ElementTree.Element("testsuite", name="pt2triage")
    if sheet.confidential:
        properties = ElementTree.SubElement(suite, "properties")
        ElementTree.SubElement(
            properties, "property", name="confidential", value="true"
        )
    for source, error in sheet.unreadable:
        case = _case(suite, "pt2triage.input", source)
        _tell(case, "error", error, error)
    for gate, text in sheet.budgets:
        _tell(_case(suite, "pt2triage.budget", gate), "failure", text, text)
    for item in sheet.items:
        _finding(suite, item)
    if suite.find("testcase") is None:
        read = f"{sheet.sources:,} source{'s' * (sheet.sources != 1)}"
        _case(suite, "pt2triage", f"nothing failed in {read}")
    numbers = {
        "tests": str(len(suite.findall("testcase"))),
        "failures": str(len(suite.findall("testcase/failure"))),
        "errors": str(len(suite.findall("testcase/error"))),
        "skipped": str(len(suite.findall("testcase/skipped"))),
        "time": "0",
    }
    suite.attrib.update(numbers)
    suites = ElementTree.Element("testsuites", {"name": "pt2triage"} | numbers)
    suites.append(suite)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _finding(suite: ElementTree.Element, item: Item) -> None:
    one = item.cluster
    name = f"{one.cause}: {crop(what(one), _COLUMNS)} [{one.fingerprint}]"
    case = _case(suite, f"pt2triage.{one.category}", name)
    if one.user_file is not None:
        case.set("file", _text(one.user_file))
        if one.user_line is not None:
            case.set("line", str(one.user_line))
    if item.ignored is not None:
        _tell(case, "skipped", item.ignored)
    elif item.failed:
        kind = one.exception or f"{one.category}/{one.cause}"
        message = item.why or crop(what(one), _COLUMNS)
        _tell(case, "failure", message, _details(one), kind)
    else:
        ElementTree.SubElement(case, "system-out").text = _text(_details(one))


def _details(one: Cluster) -> str:
    parts = [one.message or one.reason or ""]
    parts += [f"guard failed: {guard}" for guard in one.guards]
    if one.user_file is not None:
        parts.append(f"where: {where(one)}")
    parts += [f"next: {step.action}" for step in one.remedy]
    parts += [f"evidence: {place.source}:{place.line}" for place in one.places]
    return "\n".join(part for part in parts if part)


def _case(suite: ElementTree.Element, owner: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=_text(owner), name=_text(name), time="0"
    )


def _tell(
    case: ElementTree.Element,
    kind: str,
    message: str,
    details: str | None = None,
    of: str | None = None,
) -> None:
    told = ElementTree.SubElement(case, kind, message=_text(message))
    if of is not None:
        told.set("type", _text(of))
    if details is not None:
        told.text = _text(details)


def _text(text: str) -> str:
    """`text` in characters that XML has."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
