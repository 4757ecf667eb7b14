"""The verdict of the gates as text and JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pt2triage.report.layout import Line, crop, crop_start, wrap
from pt2triage.report.safe import one_line
from pt2triage.report.top_json import TOOL, marks
from pt2triage.report.top_text import notes, number, what, where

if TYPE_CHECKING:
    from pt2triage._gate import Break, Verdict

# Findings of one kind that are listed.
_ROWS = 20
_LABEL = 20


def render_verdict(
    verdict: Verdict, *, width: int = 100, baseline: str | None = None
) -> list[Line]:
    """What broke which gate, and how to accept it; all of it is safe to print."""
    width = max(width, 60)
    lines = [_heading(verdict)]
    for found in verdict.broken[:_ROWS]:
        lines += _broken(found, width)
    left = len(verdict.broken) - _ROWS
    if left > 0:
        lines.append([(f"  ... and {number(left, 'finding')} more", "dim")])
    if verdict.broken:
        lines.append([])
        lines += _how_to_accept(verdict, width, baseline)
    told = [*_asides(verdict), *notes(verdict.clusters)]
    if told:
        lines.append([])
    for text in told:
        lines += [[(piece, "dim")] for piece in wrap(text, width, hang=2)]
    return lines


def _heading(verdict: Verdict) -> Line:
    read = number(verdict.clusters.sources, "source")
    if verdict.passed:
        kept = number(len(verdict.kept), "finding")
        text = f": {kept} in {read}" if verdict.kept else f": nothing found in {read}"
        if verdict.kept and verdict.baseline is not None:
            whole = not verdict.unaccepted
            text += ", all of them accepted" if whole else ", all that count accepted"
        return [("Passed", "good"), (text + ".", "")]
    gates = dict.fromkeys(found.gate for found in verdict.broken)
    return [("Failed", "error"), (f": {', '.join(gates)} ({read}).", "")]


def _broken(found: Break, width: int) -> list[Line]:
    label = (f"  {found.gate}".ljust(_LABEL), "error")
    one = found.cluster
    if one is None:
        return [[label, (found.text, "")]]
    place = one.place
    at = f"{one_line(place.source)}:{place.line}" if place else ""
    room = width - _LABEL
    texts = [crop(what(one), room), crop_start(where(one), room), at]
    return [
        [
            label,
            (f"{one.category}: {one_line(one.cause)}", "title"),
            (f"  {one_line(one.fingerprint)}", "code"),
            (f"  {found.text}", "dim"),
        ],
        *([(" " * _LABEL + text, "")] for text in texts if text),
    ]


def _how_to_accept(verdict: Verdict, width: int, baseline: str | None) -> list[Line]:
    texts: list[str] = []
    first = next((b.cluster for b in verdict.broken if b.cluster is not None), None)
    if first is not None:
        file = one_line(baseline) if baseline else "FILE"
        texts.append(
            "To accept these findings run the same command with "
            + ("" if baseline else f"--baseline {file} ")
            + f"--update-baseline and commit {file}."
        )
        texts.append(
            "To leave one out for good: [tool.pt2triage] of pyproject.toml, ignore = "
            f'[{{ fingerprint = "{one_line(first.fingerprint)}", reason = "..." }}].'
        )
    if any(found.cluster is None for found in verdict.broken):
        texts.append("A budget is raised by its option, or in [tool.pt2triage].")
    return [[(piece, "")] for text in texts for piece in wrap(text, width, hang=2)]


def _asides(verdict: Verdict) -> list[str]:
    """What the gates passed over."""
    texts: list[str] = []
    for one in verdict.ignored[:_ROWS]:
        texts.append(
            f"ignored: {one_line(one.cluster.fingerprint)} "
            f"{crop(what(one.cluster), 80)} ({one_line(one.reason)})"
        )
    if len(verdict.ignored) > _ROWS:
        texts.append(f"ignored: {len(verdict.ignored) - _ROWS} more")
    if verdict.gone:
        texts.append(
            f"{number(len(verdict.gone), 'finding')} of the baseline did not happen; "
            "--update-baseline takes out what is fixed."
        )
    if verdict.ungated:
        texts.append(
            f"{number(len(verdict.ungated), 'error')} that no gate looks at: "
            "--fail-on names categories."
        )
    if verdict.config.path is not None:
        texts.append(f"settings: {one_line(os.path.relpath(verdict.config.path))}")
    return texts


def document(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain containers, for JSON."""
    return {
        "schema_version": 1,
        "kind": "check",
        **marks(verdict.clusters.is_confidential),
        "tool": TOOL,
        "passed": verdict.passed,
        "sources": verdict.clusters.sources,
        "counts": verdict.clusters.counts,
        "omitted_findings": verdict.clusters.omitted,
        "unreadable": [one._asdict() for one in verdict.clusters.unreadable],
        "broken": [
            {
                "gate": found.gate,
                "text": found.text,
                "finding": found.cluster and found.cluster.to_dict(),
            }
            for found in verdict.broken
        ],
        "ignored": [
            {"fingerprint": one.cluster.fingerprint, "reason": one.reason}
            for one in verdict.ignored
        ],
        "gone": [one.fingerprint for one in verdict.gone],
    }
