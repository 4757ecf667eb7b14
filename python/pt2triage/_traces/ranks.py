"""Comparing the ranks of one run: where they differ first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._traces import rank_topics as topics
from pt2triage._traces.rank_line_up import LineUp
from pt2triage._traces.rank_texts import RankTexts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._errors import OpenError
    from pt2triage._traces.rank_model import RankDifference, RankTopic
    from pt2triage._traces.trace import Trace


class RankTime(NamedTuple):
    """How long a rank compiled. It is told, but no difference.

    Attributes:
        rank: The rank.
        compiles: Number of its compiles.
        compile_us: Their time, microseconds.
    """

    rank: int
    compiles: int
    compile_us: int


class RankComparison:
    """What the ranks of a run have in common, and where they differ.

    Attributes:
        ranks: The ranks, ascending; fewer than two cannot be compared.
        topics: What was compared, in this order: compile ids, functions, graph
            breaks, recompiles, cache, guards, graphs, collectives, tensor metadata.
        first: The first difference, by the time at which its compile began.
        sources: The sources of each rank.
        empty: Ranks whose source is there and holds no record.
        absent: Ranks between others of which there is no source; at most 16.
        unread: Names of sources that could not be read, and why.
        times: How long each rank compiled.
    """

    def __init__(
        self,
        line_up: LineUp,
        compared: tuple[RankTopic, ...],
        times: tuple[RankTime, ...],
        unread: tuple[tuple[str, str], ...],
    ) -> None:
        self.ranks = line_up.ranks
        self.topics = compared
        self.sources = line_up.sources
        self.empty = line_up.empty
        self.absent = line_up.absent
        self.times = times
        self.unread = unread
        self.first = _first(line_up, compared)

    @property
    def several(self) -> dict[int, tuple[str, ...]]:
        """Ranks with more than one source; those were taken together in order."""
        return {rank: names for rank, names in self.sources.items() if len(names) > 1}

    def topic(self, name: str) -> RankTopic:
        """The topic of that name.

        Raises:
            KeyError: There is none.
        """
        for topic in self.topics:
            if topic.name == name:
                return topic
        raise KeyError(name)

    def __bool__(self) -> bool:
        """Whether a difference was found."""
        return self.first is not None

    def __repr__(self) -> str:
        told = ", ".join(f"{topic.name} {topic.verdict}" for topic in self.topics)
        return f"<RankComparison of {len(self.ranks)} ranks: {told}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain containers, for JSON."""
        return {
            "ranks": list(self.ranks),
            "first": self.first and self.first.to_dict(),
            "topics": [topic.to_dict() for topic in self.topics],
            "sources": [
                {"rank": rank, "names": list(names)}
                for rank, names in self.sources.items()
            ],
            "empty": list(self.empty),
            "absent": list(self.absent),
            "unread": [{"name": name, "error": why} for name, why in self.unread],
            "times": [one._asdict() for one in self.times],
        }


def compare_ranks(trace: Trace, *, unread: Iterable[OpenError] = ()) -> RankComparison:
    """Compares the ranks of a trace.

    A rank that several sources or processes are of has their compiles in the order
    of their first records. A source that cannot be read again stops no other.

    Args:
        trace: Of all ranks of one run.
        unread: Sources of the run that could not be read; their ranks, known by
            the names that PyTorch gives to files, have no data.
    """
    errors = list(unread)
    line_up = LineUp(trace, (str(error.filename) for error in errors))
    texts = RankTexts(trace, line_up)
    errors += texts.errors
    compared = (
        topics.compile_ids(line_up),
        topics.functions(line_up),
        topics.graph_breaks(trace, line_up),
        topics.recompiles(trace, line_up),
        topics.cache(trace, line_up),
        texts.guards(),
        texts.graphs(),
        texts.collectives(),
        texts.tensor_metadata(),
    )
    named = dict.fromkeys((str(e.filename), str(e.strerror or e)) for e in errors)
    return RankComparison(line_up, compared, _times(trace, line_up), tuple(named))


def _first(line_up: LineUp, compared: tuple[RankTopic, ...]) -> RankDifference | None:
    """The one of the earliest compile; of one compile that of the first topic."""
    found = [topic.differences[0] for topic in compared if topic.differences]
    return min(found, key=lambda one: line_up.position(one.key), default=None)


def _times(trace: Trace, line_up: LineUp) -> tuple[RankTime, ...]:
    sums: dict[int, tuple[int, int]] = {}
    for process in trace.processes:
        rank = line_up.rank_of(process.process)
        if rank is not None:
            count, us = sums.get(rank, (0, 0))
            sums[rank] = (count + process.compiles, us + process.compile_us)
    return tuple(RankTime(rank, *sums[rank]) for rank in sorted(sums))
