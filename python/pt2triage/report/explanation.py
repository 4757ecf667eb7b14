"""Explanations of words as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.knowledge import KINDS, VERSIONS
from pt2triage.report.layout import Line, pad, wrap
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage.knowledge import Explanation

_INDENT = "  "
_NO_WRAP = ("$ ", "http")


def explanation_lines(explanations: Sequence[Explanation], width: int) -> list[Line]:
    """One block for each meaning of a word; all of it is safe to print."""
    lines: list[Line] = []
    for explanation in explanations:
        if lines:
            lines.append([])
        lines += _block(explanation, max(width, 40))
    return lines


def word_lines(listed: Iterable[tuple[str, Sequence[str]]], width: int) -> list[Line]:
    """The words of each kind, below a heading."""
    lines: list[Line] = []
    for kind, names in listed:
        if lines:
            lines.append([])
        lines.append([(kind, "title"), (f" ({KINDS[kind]}, {len(names)})", "dim")])
        text = _INDENT + "  ".join(map(one_line, names))
        lines += [[(piece, "")] for piece in wrap(text, max(width, 40))]
    return lines


def _block(explanation: Explanation, width: int) -> list[Line]:
    name = one_line(explanation.name)
    if explanation.kind == "cause":
        name = f"{explanation.facts['category'][0]}: {name}"
    lines: list[Line] = [[(name, "title"), (f" ({KINDS[explanation.kind]})", "dim")]]
    about = _INDENT + one_line(explanation.about)
    lines += [[(piece, "")] for piece in wrap(about, width)]
    fields = list(_fields(explanation))
    label_width = max((len(label) for label, _ in fields), default=0) + 4
    if fields:
        lines.append([])
    for label, texts in fields:
        lines += _field(label, texts, label_width, width)
    return lines


def _fields(explanation: Explanation) -> Iterable[tuple[str, Sequence[str]]]:
    yield from explanation.facts.items()
    if explanation.versions is not None:
        yield "versions", [versions_text(explanation.versions)]
    if explanation.origin:
        yield "origin", [explanation.origin]
    steps = [f"{number}. {text}" for number, text in enumerate(explanation.steps, 1)]
    doing = steps if len(steps) > 1 else list(explanation.steps)
    doing += [f"$ {text}" for text in explanation.commands]
    if doing:
        yield "do", doing
    if explanation.related:
        yield "see also", [", ".join(explanation.related)]


def versions_text(versions: Sequence[str]) -> str:
    """Where a word exists, of the versions that were read."""
    if tuple(versions) == VERSIONS:
        return f"all that were read, {VERSIONS[0]} to {VERSIONS[-1]}"
    if not versions:
        return f"none of {', '.join(VERSIONS)}; some between them"
    return ", ".join(versions)


def _field(label: str, texts: Sequence[str], lead: int, width: int) -> list[Line]:
    lines: list[Line] = []
    for text in map(one_line, texts):
        whole = text.startswith(_NO_WRAP)  # commands and addresses are copied
        for piece in [text] if whole else wrap(text, width - lead, hang=2):
            shown = pad("" if lines else _INDENT + label, lead)
            lines.append([(shown, "label"), (piece, "code" if whole else "")])
    return lines
