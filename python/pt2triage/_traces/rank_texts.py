"""What ranks are compared in that stands in payloads: guards, graphs, tensors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._traces.rank_model import Item, RankTopic, topic_of
from pt2triage._traces.rank_payloads import (
    GRAPH,
    GUARDS,
    TENSORS,
    TextLine,
    collectives_of,
    lines_of,
)
from pt2triage._traces.rank_topics import collectives_of_tables
from pt2triage._traces.records import push_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pt2triage._errors import OpenError
    from pt2triage._traces.rank_line_up import Key, LineUp
    from pt2triage._traces.rank_model import RankDifference
    from pt2triage._traces.rank_topics import Found
    from pt2triage._traces.records import Record
    from pt2triage._traces.trace import Trace

# Graphs that call collectives, the last that is known of a compile first.
_CALLING = (
    ("inductor_post_grad_graph",),
    ("aot_inference_graph", "aot_forward_graph", "aot_backward_graph"),
    (GRAPH,),
)
# Payloads that are compared to the end: bytes of one, and differences whose line
# is looked for.
_LONGEST = 64 << 20
_TOLD = 5
# Payloads that are remembered by their checksum.
_KNOWN = 4_096
_GROUPS = 8


class _Place(NamedTuple):
    process: int
    compile_id: str | None


class RankTexts:
    """Reads what the tables only have checksums of, once for all topics."""

    def __init__(self, trace: Trace, line_up: LineUp) -> None:
        self._trace = trace
        self._line_up = line_up
        #: What could not be read again.
        self.errors: list[OpenError] = []
        self._alone = _sources_of_one_process(trace)
        self._found: dict[str, dict[int, dict[Key, list[Item]]]] = {}
        self._read()

    def guards(self) -> RankTopic:
        """The guards as printed; their number where more ranks tell that."""
        counts = _counts(self._line_up)
        texts = self._of(GUARDS)
        if len(counts) > len(texts):
            return topic_of("guards", self._line_up, counts, self._lacking(counts))
        return self._compared("guards", GUARDS)

    def graphs(self) -> RankTopic:
        """The graphs as Dynamo prints them, but for the number of the device."""
        return self._compared("graphs", GRAPH)

    def tensor_metadata(self) -> RankTopic:
        """Shape, strides and type of what each operation gives."""
        return self._compared("tensor_metadata", TENSORS)

    def collectives(self) -> RankTopic:
        """The schedules that Inductor tells, else the calls in the graphs: the
        first of them that most ranks have."""
        sources = [collectives_of_tables(self._trace, self._line_up)]
        sources += [self._of(*titles, calls=True) for titles in _CALLING]
        found = max(sources, key=len)
        return topic_of("collectives", self._line_up, found, self._lacking(found))

    def _lacking(self, found: Found) -> set[int]:
        return set(self._line_up.ranks) - found.keys()

    def _of(self, *titles: str, calls: bool = False) -> Found:
        made: dict[int, dict[Key, tuple[Item, ...]]] = {}
        for title in titles:
            of_title = self._found.get(_calls_of(title) if calls else title, {})
            for rank, rows in of_title.items():
                for key, items in rows.items():
                    of_rank = made.setdefault(rank, {})
                    of_rank[key] = of_rank.get(key, ()) + tuple(items)
        return made

    def _compared(self, name: str, title: str) -> RankTopic:
        found = self._of(title)
        topic = topic_of(name, self._line_up, found, self._lacking(found))
        if not topic.differences:
            return topic
        told = self._told(title, topic.differences[:_TOLD])
        return topic._replace(differences=(*told, *topic.differences[_TOLD:]))

    def _read(self) -> None:
        """Takes a digest of each payload, and the names of the collectives."""
        titles = {GUARDS, GRAPH, TENSORS, *(t for ts in _CALLING for t in ts)}
        titles &= {row.name or row.record for row in self._trace.kinds}

        cache: dict[tuple[str, str | None], Any] = {}

        def known(record: Record, title: str, make: Callable[[str, str], Any]) -> Any:
            """What ranks have in common is read once."""
            place = (title, record.md5)
            if place not in cache:
                if len(cache) >= _KNOWN:
                    cache.clear()
                cache[place] = make(title, record.text)
            return cache[place]

        def take(record: Record, rank: int, key: Key) -> None:
            title = record.title
            if title in (GUARDS, GRAPH, TENSORS):
                self._add(title, rank, key, [known(record, title, _digest)])
            if title not in (GUARDS, TENSORS):
                self._add(_calls_of(title), rank, key, known(record, "", _calls))

        self._push(tuple(titles), take)

    def _add(self, title: str, rank: int, key: Key, items: list[Item]) -> None:
        rows = self._found.setdefault(title, {}).setdefault(rank, {})
        rows.setdefault(key, []).extend(items)

    def _told(
        self, title: str, differences: Sequence[RankDifference]
    ) -> list[RankDifference]:
        """The differences with the first line that differs, read again."""
        wanted: dict[tuple[int, Key], list[TextLine]] = {}
        for one in differences:
            for value in one.values[:_GROUPS]:
                wanted[value.ranks[0], one.key] = []

        def take(record: Record, rank: int, key: Key) -> None:
            lines = wanted.get((rank, key))
            if lines is not None and record.title == title:
                lines += lines_of(title, record.text)

        self._push((title,), take)
        return [_with_lines(one, wanted) for one in differences]

    def _push(
        self, titles: tuple[str, ...], take: Callable[[Record, int, Key], None]
    ) -> None:
        source = self._trace.source
        if source is None or not titles:
            return

        def place(record: Record) -> None:
            process = self._alone.get(record.source, record.process)
            placed = self._line_up.key_of(_Place(process, record.compile_id))
            if placed is not None and record.payload is not None:
                take(record, *placed)

        push_records(
            source, place, titles, max_payload=_LONGEST, failed=self.errors.append
        )


def _calls_of(title: str) -> str:
    return f"collectives of {title}"


def _calls(_: str, text: str) -> list[Item]:
    return [
        Item(f"torch.ops.{one.text}", one.text, one.file, one.line)
        for one in collectives_of(text)
    ]


def _digest(title: str, text: str) -> Item:
    made = hashlib.blake2b(digest_size=16)
    count = 0
    for line in lines_of(title, text):
        made.update(line.text.encode("utf-8", "surrogatepass") + b"\n")
        count += 1
    return Item(made.digest(), f"{count:,} lines")


def _counts(line_up: LineUp) -> Found:
    found: dict[int, dict[Key, tuple[Item, ...]]] = {}
    for rank, rows in line_up.compiles.items():
        for key, row in rows.items():
            if row.guards is not None:
                item = Item(row.guards, f"{row.guards:,} guards", row.file, row.line)
                found.setdefault(rank, {})[key] = (item,)
    return found


def _with_lines(
    one: RankDifference, texts: dict[tuple[int, Key], list[TextLine]]
) -> RankDifference:
    """What each group has at the first line where they differ."""
    shown = one.values[:_GROUPS]
    lines = [texts[value.ranks[0], one.key] for value in shown]
    if not all(lines):
        return one  # one has it and the other has not: no line says more
    longest = max(map(len, lines), default=0)
    for place in range(longest):
        at = [of[place] if place < len(of) else None for of in lines]
        if len({line and line.text for line in at}) > 1:
            values = [
                value._replace(text=line.text, file=line.file, line=line.line)
                if line
                else value._replace(text="no such line")
                for value, line in zip(shown, at, strict=True)
            ]
            return one._replace(values=(*values, *one.values[_GROUPS:]))
    return one


def _sources_of_one_process(trace: Trace) -> dict[str, int]:
    """The process of each source that has one: a source that cannot be read again
    shifts the numbers of those after it."""
    found: dict[str, int] = {}
    several: set[str] = set()
    for row in trace.processes:
        if row.source in found:
            several.add(row.source)
        found[row.source] = row.process
    return {name: place for name, place in found.items() if name not in several}
