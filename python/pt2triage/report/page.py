"""The report as one page of HTML that needs no network and no other file.

All of it is text in the page, so that it can be read, searched and printed without
the script; that only filters. The policy in the page allows no other script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage import CATEGORIES, __version__
from pt2triage._clusters import Clusters
from pt2triage._notice import notices
from pt2triage.report import text
from pt2triage.report.context import read_passages
from pt2triage.report.page_groups import (
    GROUPS,
    breaks_by_line,
    first_anchors,
    recompiles_by_function,
    shared_clusters,
)
from pt2triage.report.page_rows import full_row, short_row
from pt2triage.report.reread import quotable
from pt2triage.report.templating import html_environment, script_hash
from pt2triage.report.top_text import what, where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pt2triage._core import Finding
    from pt2triage._report import Report
    from pt2triage.report.context import Key, Passage
    from pt2triage.report.layout import Line
    from pt2triage.report.page_rows import Row

# Findings that are told with all their parts, and those of whose places the lines
# are read again; the others are told as `scan` prints them.
_FULL = 500
_READ = 200
_READ_PLACES = 2
# Sources, and places that could not be read, that are listed; compile ids that are
# proposed.
_SOURCES = 500
_DIAGNOSTICS = 200
_COMPILES = 500
# Pieces of the template that are written at once.
_BUFFER = 500
_LONG = 1 << 20


def render_page(report: Report) -> str:
    """The page as one text."""
    return "".join(page_pieces(report))


def page_pieces(report: Report) -> Iterator[str]:
    """The page, piece by piece."""
    made = html_environment()
    findings = report.findings
    anchors = _anchors(findings)
    read = _passages(report)
    clusters = Clusters()
    clusters.add(report)
    stream = made.get_template("report.html.j2").stream(
        version=__version__,
        script_hash=script_hash("report.js"),
        heading=_heading(report),
        read_line=text.read_line(report.sources),
        counts=_words(text.count_lines(report, _LONG)),
        notes=[
            *notices(report.is_confidential),
            *_words(text.unread_lines(report, _LONG)),
        ],
        first=next(_rows(report, anchors, read), None),
        rows=_rows(report, anchors, read),
        number=len(findings),
        breaks=breaks_by_line(findings, anchors),
        histories=recompiles_by_function(findings, anchors),
        clusters=[(one, what(one), where(one)) for one in shared_clusters(clusters)],
        cluster_anchors=first_anchors(findings, anchors),
        groups=GROUPS,
        categories=[c for c in CATEGORIES if any(f.category == c for f in findings)],
        has_ranks=any(finding.ranks for finding in findings),
        compiles=_compiles(findings),
        sources=report.sources[:_SOURCES],
        more_sources=max(len(report.sources) - _SOURCES, 0),
        diagnostics=report.diagnostics[:_DIAGNOSTICS],
        more_diagnostics=max(len(report.diagnostics) - _DIAGNOSTICS, 0),
    )
    stream.enable_buffering(_BUFFER)
    yield from stream


def _heading(report: Report) -> str:
    if report.findings:
        first = report.findings[0]
        return f"{first.category}: {first.cause}"
    if report.omitted_findings:
        return "No finding of the categories asked for"
    return text.nothing_heading(report)


def _anchors(findings: Iterable[Finding]) -> list[str]:
    """An id for each finding: its fingerprint, with a number if it has that twice."""
    seen: dict[str, int] = {}
    anchors: list[str] = []
    for finding in findings:
        name = finding.fingerprint
        seen[name] = seen.get(name, 0) + 1
        anchors.append(f"f-{name}" + (f"-{seen[name]}" if seen[name] > 1 else ""))
    return anchors


def _passages(report: Report) -> dict[Key, Passage]:
    """What stands at the places of the first findings."""
    return read_passages(
        quotable(report),
        (
            place
            for finding in report.findings[:_READ]
            for place in finding.evidence[:_READ_PLACES]
        ),
    )


def _rows(
    report: Report, anchors: Sequence[str], read: Mapping[Key, Passage]
) -> Iterator[Row]:
    """The rows, made when they are written."""
    for index, finding in enumerate(report.findings):
        if index < _FULL:
            yield full_row(finding, anchors[index], read)
        else:
            yield short_row(finding, anchors[index])


def _compiles(findings: Iterable[Finding]) -> list[str]:
    ids = dict.fromkeys(f.compile_id for f in findings if f.compile_id)
    return list(ids)[:_COMPILES]


def _words(lines: list[Line]) -> list[str]:
    return ["".join(words for words, _ in line) for line in lines]
