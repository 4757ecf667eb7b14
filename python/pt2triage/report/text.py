"""The report as text: the one failure to look at first, then the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._notice import NOTICE
from pt2triage.report.artifacts import artifact_lines
from pt2triage.report.layout import Line, cells, crop, pad, plain, wrap
from pt2triage.report.safe import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage._core import (
        Diagnostic,
        Finding,
        GuardFailure,
        Source,
        StackFrame,
    )
    from pt2triage._report import Report

# Lines of a message that are shown, then of its lines with the word "error".
_MESSAGE_LINES = 6
_ERROR_LINES = 3
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
# Widths after which a line is cut.
_PIECES = 3
# Entries of a list that are shown.
_LIST_ENTRIES = 5
# Findings of one category that are listed.
_ROWS = 10
# Columns before the text of a field.
_LABEL = 12

MODES = {
    "compile": "torch.compile",
    "export_strict": "torch.export (strict)",
    "export_non_strict": "torch.export (non-strict)",
    "export_draft": "draft export",
    "aot_inductor": "AOTInductor",
}
PHASES = {"trace": "while compiling", "run": "while compiled code ran"}


def render(report: Report, *, width: int = 100, all_rows: bool = False) -> str:
    """The report as plain text.

    Args:
        report: What to show.
        width: Columns to wrap at; code, commands and places are never wrapped.
        all_rows: List every finding, not only the first of each category.
    """
    return plain(render_lines(report, width=width, all_rows=all_rows))


def render_lines(
    report: Report, *, width: int = 100, all_rows: bool = False
) -> list[Line]:
    """The report as lines of styled text; all of it is safe to print."""
    width = max(width, 40)
    lines: list[Line] = []
    if report.findings:
        lines += finding_lines(report.findings[0], width)
        lines += artifact_lines(report.sources, report.findings[0])
        lines += _rest(report.findings[1:], width, all_rows)
        lines.append([])
        lines += count_lines(report, width)
        lines += _paragraph("Read " + read_line(report.sources), width, "dim")
    elif report.omitted_findings:
        lines.append([("No finding of the categories asked for.", "good")])
        lines += count_lines(report, width)
        lines += _paragraph("Read " + read_line(report.sources), width, "dim")
    else:
        lines += _nothing(report, width)
        lines += artifact_lines(report.sources, None)
    lines += unread_lines(report, width)
    if report.is_confidential:
        lines += _paragraph(NOTICE, width, "dim")
    return lines


def nothing_heading(report: Report) -> str:
    """What a report without findings says: a log that is cut proves nothing."""
    cut = any(d.kind == "truncated-traceback" for d in report.diagnostics)
    return "Cut before the failure" if cut else "Nothing failed"


def _nothing(report: Report, width: int) -> list[Line]:
    """One line for a report without findings."""
    sources = report.sources
    heading = nothing_heading(report)
    kinds = {source.kind for source in sources}
    if kinds == {"binary"}:
        return _paragraph(f"Nothing was read of {_named(sources)}: no text.", width)
    if kinds == {"empty"}:
        text = f"{heading} in {_named(sources)}: no content."
    else:
        text = f"{heading} in {read_line(sources)}"
        if not any(source.log_records or source.trace_records for source in sources):
            text += " None of it is of TORCH_LOGS or TORCH_TRACE."
    style = "good" if heading == "Nothing failed" else "warning"
    return _paragraph(text, width, style)


def finding_lines(finding: Finding, width: int) -> list[Line]:
    """The failure to look at first, in full."""
    lines = [_heading(finding)]
    lines += _message(finding, width)
    lines.append([])
    lines += _field("where", _where(finding))
    lines += _field("when", _when(finding), width)
    lines += _field("test", _test(finding))
    lines += _field("why", why_lines(finding) or _not_ours(finding), width)
    lines += _field("chain", _chain(finding, width), width)
    lines += _next(finding, width)
    lines += _field("evidence", _evidence(finding))
    return lines


def _not_ours(finding: Finding) -> list[str]:
    if finding.category != "other":
        return []
    return ["nothing ties it to torch.compile or torch.export"]


def _heading(finding: Finding) -> Line:
    style = "error" if finding.severity == "error" else "warning"
    line: Line = [
        (finding.severity.upper(), style),
        (" ", ""),
        (f"{finding.category}: {one_line(finding.cause)}", "title"),
    ]
    notes: list[str] = []
    if finding.count > 1:
        notes.append(f"{finding.count} times")
    if finding.flaky:
        notes.append("flaky: passed when run again")
    notes += [f"also {category}" for category in finding.secondary_categories]
    if notes:
        line.append((f" ({', '.join(notes)})", "dim"))
    return line


def _message(finding: Finding, width: int) -> list[Line]:
    text = printable(own_message(finding)).strip("\n")
    if finding.exception:
        name = printable(finding.exception)
        text = f"{name}: {text}" if text else name
    return [
        [("  " + part, "message" if index == 0 else "")]
        for index, part in enumerate(_head(text, width - 2))
    ]


def own_message(finding: Finding) -> str:
    """The message without what is told below as explanation and hints."""
    message = finding.message or ""
    if finding.explanation:
        own, found, _ = message.partition("\n  Explanation: ")
        return own if found else message
    return message


def _head(text: str, width: int) -> list[str]:
    """The first lines of `text`, wrapped; of the others those that say "error"."""
    parts = [line.rstrip() for line in text.split("\n")]
    parts = [line for line in parts if line]
    first, others = parts[:_MESSAGE_LINES], parts[_MESSAGE_LINES:]
    errors = [line for line in others if _ERROR.search(line)][:_ERROR_LINES]
    shown = [
        piece
        for line in (*first, *errors)
        for piece in wrap(crop(line, _PIECES * width), width, hang=2)
    ]
    left = len(others) - len(errors)
    if left:
        shown.append(f"({left} more line{'s' * (left != 1)})")
    return shown


def _where(finding: Finding) -> list[str]:
    frame = finding.user_frame
    if frame is None:
        return []
    texts = [frame_place(finding)]
    if frame.code:
        texts.append("    " + one_line(frame.code))
    return texts


def frame_place(finding: Finding) -> str:
    """Where the user's code is, empty if that is not known."""
    return place_of(finding.user_frame) if finding.user_frame is not None else ""


def place_of(frame: StackFrame) -> str:
    """`file:line in function`, as far as it is known."""
    place = one_line(frame.file)
    if frame.line is not None:
        place += f":{frame.line}"
    if frame.function:
        place += f" in {one_line(frame.function)}"
    return place


def _when(finding: Finding) -> list[str]:
    parts: list[str] = []
    if finding.phase is not None:
        parts.append(PHASES[finding.phase])
    if finding.compile_mode is not None:
        parts.append(MODES[finding.compile_mode])
    if finding.backend:
        parts.append(f"backend {one_line(finding.backend)}")
    if finding.compile_id:
        parts.append(f"compile {one_line(finding.compile_id)}")
    if finding.ranks:
        ranks = ", ".join(map(str, finding.ranks[:16]))
        more = " ..." if len(finding.ranks) > 16 else ""
        parts.append(f"rank{'s' * (len(finding.ranks) > 1)} {ranks}{more}")
    return [", ".join(parts)] if parts else []


def _test(finding: Finding) -> list[str]:
    texts = [one_line(finding.test_id)] if finding.test_id else []
    steps = [part for part in (finding.job, finding.step, finding.attempt) if part]
    if steps:
        texts.append(" / ".join(map(one_line, steps)))
    return texts


def why_lines(finding: Finding) -> list[str]:
    texts: list[str] = []
    message = finding.message or ""
    if finding.reason and finding.reason not in message:
        texts += printable(finding.reason).split("\n")[:_MESSAGE_LINES]
    if finding.explanation:
        texts.append(one_line(finding.explanation))
    texts += _capped([guard_line(guard) for guard in finding.guard_failures])
    texts += [f"hint: {one_line(hint)}" for hint in finding.hints[:_LIST_ENTRIES]]
    return texts


def guard_line(guard: GuardFailure) -> str:
    text = f"guard failed: {one_line(guard.guard)}"
    notes: list[str] = []
    if guard.expected is not None and guard.expected not in guard.guard:
        notes.append(f"expected {one_line(guard.expected)}")
    if guard.actual is not None:
        notes.append(f"got {one_line(guard.actual)}")
    if guard.user_code:
        notes.append(one_line(guard.user_code))
    return f"{text} ({', '.join(notes)})" if notes else text


def _chain(finding: Finding, width: int) -> list[str]:
    """The whole chain of exceptions, outermost first, one line of each."""
    if len(finding.exception_chain) < 2:
        return []
    texts: list[str] = []
    for link in finding.exception_chain:
        message = link.message.strip().partition("\n")[0]
        shown_above = link.type == finding.exception and link.message == finding.message
        text = one_line(link.type)
        if message and not shown_above:
            text += f": {one_line(message)}"
        texts.append(crop(text, 2 * (width - _LABEL)))
    return _capped(texts)


def _next(finding: Finding, width: int) -> list[Line]:
    """What to do: steps, then the command that shows more."""
    lines: list[Line] = []
    steps = finding.remedy
    for number, step in enumerate(steps, 1):
        mark = f"{number}. " if len(steps) > 1 else ""
        room = width - _LABEL - len(mark)
        for index, piece in enumerate(wrap(one_line(step.action), room)):
            lead = mark if index == 0 else " " * len(mark)
            lines.append([(lead + piece, "")])
        if step.command:
            lines.append([(" " * len(mark), ""), *_command(step.command)])
    if finding.next_command:
        lines.append(_command(finding.next_command))
    return [
        [(pad("  next" if index == 0 else "", _LABEL), "label"), *line]
        for index, line in enumerate(lines)
    ]


def _command(command: str) -> Line:
    return [("$ ", "dim"), (one_line(command), "code")]


def _evidence(finding: Finding) -> list[str]:
    texts = [f"{one_line(place.source)}:{place.line}" for place in finding.evidence]
    return _capped(texts, 3)


def _field(label: str, texts: Sequence[str], width: int | None = None) -> list[Line]:
    """A label and its texts, aligned; without a width they are not wrapped.

    Texts that start with four spaces are code.
    """
    lines: list[Line] = []
    for text in texts:
        is_code = text.startswith("    ")
        pieces = [text]
        if width is not None and not is_code:
            pieces = wrap(text, width - _LABEL, hang=2)
        for piece in pieces:
            lead = pad("" if lines else f"  {label}", _LABEL)
            lines.append([(lead, "label"), (piece, "code" if is_code else "")])
    return lines


def _capped(texts: list[str], limit: int = _LIST_ENTRIES) -> list[str]:
    if len(texts) <= limit:
        return texts
    return [*texts[:limit], f"... and {len(texts) - limit} more"]


def _rest(findings: Iterable[Finding], width: int, all_rows: bool) -> list[Line]:
    """The other findings, grouped by category in order of importance."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    lines: list[Line] = []
    if groups:
        lines += [[], [("Also found", "title")]]
    for category, group in groups.items():
        events = sum(finding.count for finding in group)
        total = _number(len(group), "finding")
        if events != len(group):
            total += f", {_number(events, 'event')}"
        lines.append([(category, "title"), (f" ({total})", "dim")])
        shown = group if all_rows else group[:_ROWS]
        lines += _rows(shown, width)
        if len(group) > len(shown):
            more = f"  ... {len(group) - len(shown)} more: --category {category}"
            lines.append([(more, "dim")])
    return lines


def _rows(findings: Sequence[Finding], width: int) -> list[Line]:
    """Two lines for each finding: what and where, then its text."""
    counts = [f"{finding.count}x" for finding in findings]
    causes = [one_line(finding.cause) for finding in findings]
    count_width = max(map(cells, counts))
    cause_width = max(map(cells, causes))
    lines: list[Line] = []
    for finding, count, cause in zip(findings, counts, causes, strict=True):
        style = "error" if finding.severity == "error" else "warning"
        where = frame_place(finding) or "(no frame of yours)"
        if finding.test_id:
            where = one_line(finding.test_id)
        line: Line = [
            ("  " + count.rjust(count_width) + " ", ""),
            (pad(finding.severity, 8), style),
            (pad(cause, cause_width) + "  ", ""),
            (where, ""),
        ]
        lines.append(line)
        text = summary_line(finding)
        if text:
            lead = " " * (count_width + 3)
            lines.append([(lead + crop(text, width - len(lead)), "dim")])
    return lines


def summary_line(finding: Finding) -> str:
    """One line that tells one finding from its neighbours."""
    if finding.guard_failures:
        return one_line(finding.guard_failures[0].guard)
    message = printable(finding.reason or finding.message or "").strip()
    text = one_line(message.split("\n")[0])
    if finding.exception:
        name = one_line(finding.exception).rsplit(".", 1)[-1]
        text = f"{name}: {text}" if text else name
    return text


def count_lines(report: Report, width: int) -> list[Line]:
    counts = report.counts
    named = (
        (counts.graph_breaks, "graph break"),
        (counts.recompiles, "recompile"),
        (counts.guard_failures, "guard failure"),
        (counts.recompile_limit_hits, "recompile limit hit"),
        (counts.exceptions, "exception"),
        (counts.skipped_frames, "skipped frame"),
        (counts.accuracy_failures, "accuracy failure"),
        (counts.crashes, "crash"),
        (counts.device_asserts, "device assert"),
    )
    text = ", ".join(_number(number, noun) for number, noun in named if number)
    if report.omitted_findings:
        left_out = f"{_number(report.omitted_findings, 'finding')} not shown"
        text = f"{text}; {left_out}" if text else left_out
    return _paragraph("Counts: " + text, width) if text else []


def read_line(sources: Sequence[Source]) -> str:
    """What was read, as the end of a sentence."""
    records = sum(source.log_records for source in sources)
    traces = sum(source.trace_records for source in sources)
    parts = [_number(sum(source.lines for source in sources), "line")]
    if records:
        parts.append(_number(records, "log record"))
    if traces:
        parts.append(_number(traces, "trace record"))
    text = f"{_named(sources)}: {', '.join(parts)}"
    versions = sorted({s.torch_version for s in sources if s.torch_version})
    if versions:
        text += "; torch " + one_line(", ".join(versions))
    return text + "."


def _named(sources: Sequence[Source]) -> str:
    if len(sources) == 1:
        return one_line(sources[0].name)
    return _number(len(sources), "source")


def unread_lines(report: Report, width: int) -> list[Line]:
    """What could not be read, and what pt2triage should have known."""
    lines: list[Line] = []
    malformed = sum(source.malformed for source in report.sources)
    if malformed:
        text = f"{_number(malformed, 'place')} could not be read (malformed)"
        places = [
            d for d in report.diagnostics if not d.kind.startswith("unrecognised")
        ]
        lines += _paragraph(_with_places(text, places[:3]), width, "warning")
    notice = unrecognised_notice(report)
    if notice:
        lines += _paragraph(notice, width, "warning")
    return lines


def unrecognised_notice(report: Report) -> str | None:
    """A line that asks for a report where a wording of torch is not known."""
    number = sum(source.unrecognised for source in report.sources)
    if not number:
        return None
    text = (
        f"{_number(number, 'record')} of PyTorch in a wording that pt2triage does not "
        "know: please report it with those lines"
    )
    places = [d for d in report.diagnostics if d.kind.startswith("unrecognised")]
    return _with_places(text, places[:1])


def _with_places(text: str, places: Sequence[Diagnostic]) -> str:
    if not places:
        return text + "."
    named = [f"{one_line(p.source)}:{p.line}: {one_line(p.message)}" for p in places]
    return f"{text}: {'; '.join(named)}"


def _paragraph(text: str, width: int, style: str = "") -> list[Line]:
    return [[(piece, style)] for piece in wrap(text, width, hang=2)]


def _number(number: int, noun: str) -> str:
    """`1 crash`, `2 crashes`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}{'es' if noun.endswith('sh') else 's'}"
