"""A comparison of ranks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.report.layout import Line, cells, crop, crop_start, pad, wrap
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import number
from pt2triage.report.trace_text import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._traces.rank_model import RankDifference, RankTopic, RankValue
    from pt2triage._traces.ranks import RankComparison

TITLES = {
    "compile_ids": "compile ids",
    "functions": "compiled functions",
    "graph_breaks": "graph breaks",
    "recompiles": "recompiles",
    "cache": "cache outcomes",
    "guards": "guards",
    "graphs": "graphs",
    "collectives": "collective order",
    "tensor_metadata": "tensor metadata",
}
_STYLES = {"same": "good", "differs": "error", "no data": "warning"}
# Differences of a topic, values of a difference, and names of a list that are shown.
_DIFFERENCES = 3
_VALUES = 8
_NAMES = 8


def render_ranks(comparison: RankComparison, width: int = 100) -> list[Line]:
    """The first difference, then the verdict of each topic; safe to print."""
    width = max(width, 60)
    lines: list[Line] = [[(_heading(comparison), "title")]]
    lines += [[(note, "warning")] for note in _notes(comparison, width)]
    if len(comparison.ranks) < 2:
        return lines
    lines.append([])
    lines += _first(comparison, width)
    lines.append([])
    for topic in comparison.topics:
        lines += _topic(topic, comparison, width)
    return lines + _times(comparison)


def spans(ranks: Sequence[int]) -> str:
    """Ranks in few words.

    >>> spans((0, 1, 2, 5))
    '0-2, 5'
    """
    found: list[list[int]] = []
    for rank in ranks:
        if found and rank == found[-1][1] + 1:
            found[-1][1] = rank
        else:
            found.append([rank, rank])
    told = [str(a) if a == b else f"{a}-{b}" for a, b in found[:_NAMES]]
    left = len(found) - _NAMES
    return ", ".join([*told, *([f"and {left:,} more spans"] if left > 0 else [])])


def _named(ranks: Sequence[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {spans(ranks)}"


def _heading(comparison: RankComparison) -> str:
    ranks = comparison.ranks
    if not ranks:
        return "No rank is told in this trace: nothing to compare."
    if len(ranks) == 1:
        return f"Only rank {ranks[0]} is in this trace: nothing to compare."
    return f"{len(ranks):,} ranks compared: {spans(ranks)}"


def _notes(comparison: RankComparison, width: int) -> list[str]:
    notes: list[str] = []
    if comparison.absent:
        notes.append(f"No trace of {_named(comparison.absent)}.")
    if comparison.empty:
        notes.append(f"No record of {_named(comparison.empty)} could be read.")
    for rank, names in list(comparison.several.items())[:_NAMES]:
        notes.append(f"Rank {rank} has {number(len(names), 'file')}, taken in order:")
        notes += ["  " + crop_start(one_line(name), width - 2) for name in names[:3]]
        if len(names) > 3:
            notes.append(f"  ... and {number(len(names) - 3, 'file')} more")
    for name, why in comparison.unread[:_NAMES]:
        notes.append(
            crop(f"Could not be read: {one_line(name)}: {one_line(why)}", width)
        )
    return notes


def _first(comparison: RankComparison, width: int) -> list[Line]:
    one = comparison.first
    if one is None:
        return [[("No difference was found.", "good")]]
    lines: list[Line] = [
        [("first difference: ", "title"), (TITLES[one.topic], "error")]
    ]
    return lines + _difference(one, width)


def _topic(topic: RankTopic, comparison: RankComparison, width: int) -> list[Line]:
    verdict = _verdict(topic)
    lines: list[Line] = [
        [
            (pad(TITLES[topic.name], 20), ""),
            (verdict, _STYLES[topic.verdict]),
            (_without(topic, len(comparison.ranks)), "dim"),
        ]
    ]
    for one in topic.differences[:_DIFFERENCES]:
        if one is not comparison.first:
            lines += _difference(one, width)
    left = topic.total - _DIFFERENCES
    if left > 0:
        lines.append([(f"  ... and {number(left, 'difference')} more", "dim")])
    return lines


def _verdict(topic: RankTopic) -> str:
    if topic.verdict == "differs":
        return f"differs ({number(topic.total, 'compile')})"
    if topic.verdict == "same" and not topic.items:
        return "same: none"
    return topic.verdict


def _without(topic: RankTopic, ranks: int) -> str:
    """Which ranks cannot tell, unless that is said already: none can."""
    if not topic.without or len(topic.without) == ranks:
        return ""
    text = f" of {_named(topic.without)}"
    if topic.verdict != "no data":
        text = f"; no data{text}"
    elif topic.compared > 1:
        text += f"; the other {topic.compared:,} are the same"
    return text


def _difference(one: RankDifference, width: int) -> list[Line]:
    text = f"  compile {one_line(str(one.key))}"
    if one.function:
        text += f", {one_line(one.function)}"
    place = where(one.file, one.line)
    if place:
        text += f" ({crop_start(place, max(width - cells(text) - 3, 20))})"
    lines: list[Line] = [[(text, "")]]
    for value in one.values[:_VALUES]:
        lines += _value(value, width)
    left = len(one.values) - _VALUES
    if left > 0:
        lines.append([(f"    ... and {number(left, 'group')} more", "dim")])
    return lines


def _value(value: RankValue, width: int) -> list[Line]:
    label = f"    {_named(value.ranks)}: "
    text = crop(one_line(value.text), 4 * width)
    place = where(value.file, value.line)
    if place:
        text += f" ({place})"
    return [[(line, "")] for line in wrap(label + text, width, hang=2)]


def _times(comparison: RankComparison) -> list[Line]:
    """Times are told; that they differ is no difference."""
    if len(comparison.times) < 2:
        return []
    slow = max(comparison.times, key=lambda one: one.compile_us)
    fast = min(comparison.times, key=lambda one: one.compile_us)
    text = (
        f"Compile time: {fast.compile_us / 1e6:,.2f} s on rank {fast.rank} to "
        f"{slow.compile_us / 1e6:,.2f} s on rank {slow.rank} (times are not compared)"
    )
    return [[], [(text, "dim")]]
