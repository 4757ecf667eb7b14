"""The report as a bug report, or the summary of a pull request, in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage import __version__
from pt2triage._notice import notices
from pt2triage._playbook import cause_of, play_of
from pt2triage.report import text
from pt2triage.report.checklist import Case, steps
from pt2triage.report.layout import crop
from pt2triage.report.reread import files_of, quotable, read_quote
from pt2triage.report.ruled_out import ruled_out, undecided
from pt2triage.report.safe import one_line
from pt2triage.report.search import search_report
from pt2triage.report.templating import environment
from pt2triage.skeleton.render import make_skeleton

if TYPE_CHECKING:
    from pt2triage._core import Finding
    from pt2triage._report import Report
    from pt2triage.report.reread import Quote
    from pt2triage.report.search import Found

# What is shown at most, and the columns of a summary.
_QUOTES = 2
_PLACES = 5
_OTHERS = 10
_GUARDS = 10
_LINKS = 12
_COLUMNS = 120
_FRAMES = 3
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+),? in (?P<name>.+)$')


def render_markdown(report: Report) -> str:
    """The report in Markdown: its first finding in full, the others in a table.

    The evidence is read again from files that have not changed since; of streams
    and other files only the places are named.
    """
    if not report.findings:
        lines = text.render(report).splitlines()
        return (
            environment()
            .get_template("nothing.md.j2")
            .render(lines=lines, heading=text.nothing_heading(report))
        )
    finding = report.findings[0]
    found = search_report(report)
    case = Case(report, finding, found)
    quotes = _quotes(report, finding)
    made: str = (
        environment()
        .get_template("report.md.j2")
        .render(
            version=__version__,
            finding=finding,
            title=crop(text.summary_line(finding), _COLUMNS),
            facts=_facts(finding),
            environment=_environment(report, found),
            why=text.why_lines(finding),
            cause=cause_of(finding.category, finding.cause),
            quotes=quotes,
            more_evidence=max(len(finding.evidence) - _PLACES, 0),
            chain=finding.exception_chain[:_LINKS],
            found=found,
            candidates=_candidates(finding, quotes),
            play=play_of(finding.category),
            ruled_out=ruled_out(report, finding),
            undecided=undecided(report, finding),
            steps=steps(case),
            skeleton=make_skeleton(finding),
            others=report.findings[1 : 1 + _OTHERS],
            more=max(len(report.findings) - 1 - _OTHERS, 0),
            place=text.frame_place,
            summary=lambda other: crop(text.summary_line(other), _COLUMNS),
            read=text.read_line(report.sources),
            notices=notices(report.is_confidential),
        )
    )
    return made


def _facts(finding: Finding) -> list[tuple[str, str]]:
    """Label and value of what is known, in the order of a bug report."""
    rows = [
        ("category", finding.category),
        ("also", ", ".join(finding.secondary_categories)),
        ("cause", finding.cause),
        ("severity", finding.severity),
        ("mode", text.MODES.get(finding.compile_mode or "", "not proven by the log")),
        ("phase", text.PHASES.get(finding.phase or "", "not proven by the log")),
        ("exception", finding.exception),
        ("where", text.frame_place(finding)),
        ("code", finding.user_frame and finding.user_frame.code),
        ("backend", finding.backend),
        ("compile id", finding.compile_id),
        ("ranks", ", ".join(map(str, finding.ranks[:16]))),
        ("graph break id", finding.graph_break_id),
        ("test", finding.test_id),
        ("job", " / ".join(filter(None, (finding.job, finding.step, finding.attempt)))),
        ("times", str(finding.count) if finding.count > 1 else None),
        ("flaky", "passed when run again" if finding.flaky else None),
        ("fingerprint", finding.fingerprint),
    ]
    return [(label, value) for label, value in rows if value]


def _environment(report: Report, found: Found) -> list[tuple[str, str]]:
    """What the log proves of where it was written."""
    versions = sorted({s.torch_version for s in report.sources if s.torch_version})
    rows = dict(found.environment)
    if versions and "PyTorch version" not in rows:
        rows = {"PyTorch version": ", ".join(versions), **rows}
    return list(rows.items())


def _quotes(report: Report, finding: Finding) -> list[Quote]:
    """The first places, with their lines, then some without."""
    sources = {file.name: file for file in files_of(quotable(report))}
    return [
        read_quote(place, sources.get(place.source) if index < _QUOTES else None)
        for index, place in enumerate(finding.evidence[:_PLACES])
    ]


def _candidates(finding: Finding, quotes: list[Quote]) -> list[tuple[str, str]]:
    """What may be the root of it: label and the words of the log."""
    rows: list[tuple[str, str]] = [
        (f"guard on {guard.cause}", text.guard_line(guard))
        for guard in finding.guard_failures[:_GUARDS]
    ]
    frame = finding.raised_at
    if frame is not None:
        rows.append(("raised at", text.place_of(frame)))
    if finding.user_frame is not None:
        rows.append(("your code", text.frame_place(finding)))
    frames = [
        m for q in quotes[:1] for _, line in q.lines if (m := _FRAME.search(line))
    ]
    for match in frames[: -_FRAMES - 1 : -1]:
        rows.append(("frame", "{file}:{line} in {name}".format(**match.groupdict())))
    if len(finding.exception_chain) > 1:
        last = finding.exception_chain[-1]
        message = last.message.strip().partition("\n")[0]
        rows.append(("innermost exception", crop(f"{last.type}: {message}", 240)))
    first: dict[str, str] = {}
    for label, value in rows:
        first.setdefault(one_line(value), label)
    return [(label, value) for value, label in first.items()]
