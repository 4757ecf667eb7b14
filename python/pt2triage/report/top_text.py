"""Clusters as text: a table, and what to do about the first ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._notice import NOTICE
from pt2triage.report.layout import Line, cells, crop, crop_start, pad, wrap
from pt2triage.report.safe import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters

# Clusters that are told in full.
_FULL = 3
# Columns of a fingerprint, and between columns.
_FINGERPRINT = 12
_GAP = "  "
# Names of a list that are shown.
_NAMES = 3
# Columns before the text of a field.
_LABEL = 12
# A day, where there is one, a time to the second, fractions of it, and a zone.
_CLOCK = re.compile(r"(.*[T ])?(\d\d:\d\d:\d\d)(?:[.,]\d+)?(.*)")


def render_top(
    clusters: Clusters, *, width: int = 100, limit: int | None = 20
) -> list[Line]:
    """The table of the first `limit` clusters; all of it is safe to print."""
    width = max(width, 60)
    shown = clusters[:limit]
    lines: list[Line] = [[(heading(clusters), "title")]]
    lines += [[(note, "warning")] for note in notes(clusters)]
    if not shown:
        return lines
    lines.append([])
    lines += _table(shown, clusters.sources, width)
    left = len(clusters) - len(shown)
    if left:
        lines.append([(f"... and {left:,} more clusters: --limit", "dim")])
    for one in shown[:_FULL]:
        lines += [[], *full(one, width)]
    return lines


def heading(clusters: Clusters) -> str:
    """How much there is, in one line."""
    read = number(clusters.sources, "source")
    if not clusters.sources:
        return "Nothing was read."
    if not len(clusters):
        return f"Nothing failed in {read}."
    text = f"{number(len(clusters), 'cluster')} of "
    text += f"{number(clusters.findings, 'finding')} in {read}"
    new = sum(one.new is True for one in clusters)
    if any(one.new is not None for one in clusters):
        text += f"; {new:,} new"
    return text + "."


def notes(clusters: Clusters) -> list[str]:
    """What is not in the table."""
    found: list[str] = []
    if clusters.is_confidential:
        found.append(NOTICE)
    if clusters.unreadable:
        found.append(f"{number(len(clusters.unreadable), 'source')} could not be read.")
    if clusters.omitted:
        found.append(f"{number(clusters.omitted, 'finding')} more are not listed.")
    if clusters.malformed:
        found.append(f"{number(clusters.malformed, 'place')} could not be read.")
    if clusters.unrecognised:
        found.append(
            f"{number(clusters.unrecognised, 'record')} of PyTorch in a wording that "
            "pt2triage does not know: please report them (pt2triage scan names them)."
        )
    return found


def _table(shown: Sequence[Cluster], sources: int, width: int) -> list[Line]:
    numbers = [str(index) for index in range(1, len(shown) + 1)]
    hits = [f"{one.sources:,} of {sources:,}" for one in shown]
    counts = [f"{one.count:,}" for one in shown]
    widths = [
        max(len("#"), *map(len, numbers)),
        max(len("sources"), *map(len, hits)),
        max(len("count"), *map(len, counts)),
    ]
    head = _GAP.join(
        name.rjust(size)
        for name, size in zip(("#", "sources", "count"), widths, strict=True)
    )
    lines: list[Line] = [
        [(head + _GAP + pad("fingerprint", _FINGERPRINT) + _GAP + "what", "dim")]
    ]
    indent = sum(widths) + 3 * len(_GAP)
    for one, *figures in zip(shown, numbers, hits, counts, strict=True):
        lead = _GAP.join(c.rjust(w) for c, w in zip(figures, widths, strict=True))
        lines += _row(one, lead + _GAP, indent, width)
    return lines


def _row(one: Cluster, lead: str, indent: int, width: int) -> list[Line]:
    """A line with the figures, one with the text, one with place and times."""
    style = "error" if one.severity == "error" else "warning"
    first: Line = [
        (lead, ""),
        (pad(one_line(one.fingerprint), _FINGERPRINT) + _GAP, "code"),
        (one.severity.upper(), style),
        (f" {one.category}: {one_line(one.cause)}", "title"),
    ]
    if one.flaky:
        first.append((" (flaky)", "warning"))
    if one.new:
        first.append((" (new)", "error"))
    room = width - indent
    lines = [first]
    texts = [(crop(what(one), room), "")]
    texts += [(text, "dim") for text in _where_and_when(one, room)]
    lines += [[(" " * indent + text, style)] for text, style in texts if text]
    return lines


def what(one: Cluster) -> str:
    """One line that tells a cluster from its neighbours."""
    if one.guards:
        return one_line(one.guards[0])
    message = printable(one.reason or one.message or "").strip()
    text, _, rest = message.partition("\n")
    if text.rstrip().endswith(":"):  # "backend='bad' raised:"
        text += " " + rest.lstrip().partition("\n")[0]
    text = one_line(text)
    if one.exception:
        name = one_line(one.exception).rsplit(".", 1)[-1]
        text = f"{name}: {text}" if text else name
    return text


def where(one: Cluster) -> str:
    """The user's frame, as far as it is known."""
    if one.user_file is None:
        return ""
    place = one_line(one.user_file)
    if one.user_line is not None:
        place += f":{one.user_line}"
    if one.user_function:
        place += f" in {one_line(one.user_function)}"
    return place


def when(one: Cluster) -> str:
    """First and last time to the second, the day once where it is one."""
    if one.first_time is None:
        return ""
    first = _CLOCK.fullmatch(one_line(one.first_time))
    last = _CLOCK.fullmatch(one_line(one.last_time or one.first_time))
    if first is None or last is None:
        texts = one_line(one.first_time), one_line(one.last_time or one.first_time)
    else:
        texts = "".join(first.groups("")), "".join(last.groups(""))
        if texts[0] != texts[1] and first[1] == last[1]:
            texts = texts[0], last[2] + last[3]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _where_and_when(one: Cluster, room: int) -> list[str]:
    """One line if all fits; else the place keeps its end, the file's name."""
    parts = [where(one), when(one)]
    if len(one.ranks) > 1:
        parts.append(f"ranks {spans(one.ranks)}")
    text = ", ".join(part for part in parts if part)
    if cells(text) <= room:
        return [text]
    rest = ", ".join(part for part in parts[1:] if part)
    return [crop_start(parts[0], room), crop(rest, room)]


def full(one: Cluster, width: int) -> list[Line]:
    """Where to look, and what to do."""
    name = one_line(one.fingerprint) + " "
    lines: list[Line] = [
        [(name, "code"), (crop(what(one), width - cells(name)), "message")]
    ]
    places = [f"{one_line(p.source)}:{p.line}" for p in one.places]
    lines += _field("places", capped(places, one.sources - len(one.places)))
    lines += _field("tests", capped([one_line(t) for t in one.tests], 0))
    lines += _field("jobs", capped([one_line(j) for j in one.jobs], 0))
    for index, step in enumerate(one.remedy[:1]):
        label = "" if index else "next"
        for piece in wrap(one_line(step.action), width - _LABEL):
            lines += _field(label, [piece])
            label = ""
        if step.command:
            lines += _command(step.command, label)
    if one.next_command:
        lines += _command(one.next_command, "" if one.remedy else "next")
    return lines


def capped(names: list[str], more: int) -> list[str]:
    """The first names, and how many there are besides."""
    left = len(names) - _NAMES + more if len(names) > _NAMES else more
    return names[:_NAMES] + ([f"... and {left:,} more"] if left > 0 else [])


def _field(label: str, texts: Iterable[str]) -> list[Line]:
    lines: list[Line] = []
    for text in texts:
        lead = "" if lines or not label else f"  {label}"
        lines.append([(pad(lead, _LABEL), "label"), (text, "")])
    return lines


def _command(command: str, label: str) -> list[Line]:
    lead = f"  {label}" if label else ""
    return [[(pad(lead, _LABEL), "label"), ("$ ", "dim"), (one_line(command), "code")]]


def spans(ranks: Sequence[int]) -> str:
    """Sorted numbers, with neighbours drawn together.

    >>> spans([0, 1, 2, 5])
    '0-2, 5'
    """
    texts = all_spans(ranks)
    return ", ".join(texts[:8]) + (" ..." if len(texts) > 8 else "")


def all_spans(ranks: Sequence[int]) -> list[str]:
    """Each run of neighbours among sorted numbers."""
    parts: list[list[int]] = []
    for rank in ranks:
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return [f"{a}-{b}" if b > a else str(a) for a, b in parts]


def number(count: int, noun: str) -> str:
    """`1 source`, `2 sources`, `2 processes`."""
    plural = "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{plural * (count != 1)}"
