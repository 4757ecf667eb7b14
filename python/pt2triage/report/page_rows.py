"""What the HTML page shows of one finding, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pt2triage.report import text
from pt2triage.report.context import Passage, key_of
from pt2triage.report.layout import crop, plain
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import all_spans, number, spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pt2triage._core import ChainLink, Finding, GuardFailure, Remedy
    from pt2triage.report.context import Key

# What is shown at most of a text, a list, and of a line.
TEXT = 4000
_ENTRIES = 50
PLACES = 5
_COLUMNS = 200
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Row:
    """One finding: what is seen of it, what it is found by, and its details.

    Attributes:
        anchor: Its id in the page.
        notes: How often, where in the run.
        what: One line that tells it from its neighbours.
        where: The user's line.
        ranks: Spans of ranks, ``0-7 9``.
        compiles: Every compile id in it.
        plain: All of it as text, of a finding that is not told in full; else empty.
        facts: Label and value of what is known.
        more_places: How many places are not listed.
    """

    finding: Finding
    anchor: str
    notes: str
    what: str
    where: str
    ranks: str
    compiles: str
    plain: str = ""
    message: str = ""
    code: str = ""
    facts: Sequence[tuple[str, str]] = ()
    reasons: Sequence[str] = ()
    guards: Sequence[GuardFailure] = ()
    chain: Sequence[ChainLink] = ()
    steps: Sequence[Remedy] = ()
    passages: Sequence[Passage] = ()
    more_places: int = 0


def short_row(finding: Finding, anchor: str) -> Row:
    """A row whose details are what ``scan`` prints."""
    lines = text.finding_lines(finding, _WIDTH)
    return Row(finding, anchor, *_head(finding), plain=plain(lines))


def full_row(
    finding: Finding, anchor: str, passages: Mapping[Key, Passage] | None = None
) -> Row:
    """A row with all details; `passages` has what stands at its places."""
    read = passages or {}
    frame = finding.user_frame
    return Row(
        finding,
        anchor,
        *_head(finding),
        message=_message(finding),
        code=(frame.code if frame is not None else None) or "",
        facts=_facts(finding),
        reasons=_reasons(finding),
        guards=finding.guard_failures[:_ENTRIES],
        chain=finding.exception_chain[:_ENTRIES],
        steps=finding.remedy,
        passages=[
            read.get(key_of(place), Passage(place.source, place.line))
            for place in finding.evidence[:PLACES]
        ],
        more_places=max(len(finding.evidence) - PLACES, 0),
    )


def _head(finding: Finding) -> tuple[str, str, str, str, str]:
    """Notes, what, where, ranks and compile ids."""
    ids = (finding.compile_id, *(g.compile_id for g in finding.guard_failures))
    compiles = dict.fromkeys(one_line(name) for name in ids if name)
    return (
        ", ".join(_notes(finding)),
        crop(text.summary_line(finding), _COLUMNS),
        text.frame_place(finding),
        rank_words(finding.ranks),
        " ".join(compiles),
    )


def _notes(finding: Finding) -> list[str]:
    notes: list[str] = []
    if finding.count > 1:
        notes.append(f"{finding.count:,} times")
    if finding.compile_id:
        notes.append(f"compile {one_line(finding.compile_id)}")
    if finding.ranks:
        plural = "s" * (len(finding.ranks) > 1)
        notes.append(f"rank{plural} {spans(finding.ranks)}")
    if finding.flaky:
        notes.append("flaky")
    return notes


def _message(finding: Finding) -> str:
    message = text.own_message(finding).strip("\n")
    if finding.exception:
        name = finding.exception
        message = f"{name}: {message}" if message else name
    return cut(message)


def cut(words: str) -> str:
    """`words`, or their beginning and how much there is besides."""
    if len(words) <= TEXT:
        return words
    return f"{words[:TEXT]}\n... {number(len(words) - TEXT, 'more character')}"


def _facts(finding: Finding) -> list[tuple[str, str]]:
    steps = (finding.job, finding.step, finding.attempt)
    times = " to ".join(
        dict.fromkeys(filter(None, (finding.first_time, finding.last_time)))
    )
    raised = finding.raised_at
    rows = [
        ("where", text.frame_place(finding)),
        ("raised at", text.place_of(raised) if raised is not None else ""),
        ("when", text.PHASES.get(finding.phase or "")),
        ("mode", text.MODES.get(finding.compile_mode or "")),
        ("backend", finding.backend),
        ("compile id", finding.compile_id),
        ("ranks", spans(finding.ranks)),
        ("also", ", ".join(finding.secondary_categories)),
        ("graph break id", finding.graph_break_id),
        ("test", finding.test_id),
        ("job", " / ".join(filter(None, steps))),
        ("time", times),
        ("events", f"{finding.count:,}" if finding.count > 1 else ""),
        ("flaky", "passed when run again" if finding.flaky else ""),
        ("fingerprint", finding.fingerprint),
    ]
    return [(label, cut(value)) for label, value in rows if value]


def _reasons(finding: Finding) -> list[str]:
    """What PyTorch says of the cause, but for guards."""
    rows: list[str] = []
    if finding.reason and finding.reason not in (finding.message or ""):
        rows.append(cut(finding.reason))
    if finding.explanation:
        rows.append(cut(finding.explanation))
    rows += [f"hint: {cut(hint)}" for hint in finding.hints[:_ENTRIES]]
    if finding.category == "other":
        rows.append("nothing ties it to torch.compile or torch.export")
    return rows


def rank_words(ranks: Sequence[int]) -> str:
    """Sorted ranks as spans, for the script of the page.

    >>> rank_words([0, 1, 2, 5])
    '0-2 5'
    """
    return " ".join(all_spans(ranks))
