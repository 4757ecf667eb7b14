"""Where the pages of a trace are, and how they are called."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._traces.extract import folder_of
from pt2triage.report.safe import one_line
from pt2triage.report.top_text import spans
from pt2triage.report.trace_text import who

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._traces.trace import Trace
    from pt2triage.report.trace_artifacts import Key

INDEX = "index.html"
COMPILES = "compiles"
FILES = "files"
CHROMIUM = "chromium_events.json"

# Compiles that a row leads to.
_LINKS = 8


class Link(NamedTuple):
    """A compile: its page, its name, and the process it is of, where that matters."""

    href: str
    text: str
    who: str


class Links(NamedTuple):
    """Some compiles, how many there are besides, and the ranks of all of them."""

    shown: list[Link]
    more: int
    ranks: str


class Pages:
    """The page of each compile. Names of files are made here; none is of the trace."""

    def __init__(self, trace: Trace, keys: Iterable[Key], most: int) -> None:
        self.keys: list[Key] = []
        self.left = 0
        self._trace = trace
        self._many = len(trace.processes) > 1
        self._names: dict[Key, str] = {}
        self._who = _names(trace)
        self._ranks = [p.rank for p in trace.processes]
        taken: set[str] = set()
        slugs = self._slugs()
        for key in dict.fromkeys(keys):
            if len(self.keys) >= most:
                self.left += 1
                continue
            slug = slugs[key[0]] if key[0] < len(slugs) else f"process_{key[0]}"
            stem = name = f"{slug}-{folder_of(key[1])}"
            while name in taken:
                name = f"{stem}-{len(taken)}"
            taken.add(name)
            self._names[key] = f"{name}.html"
            self.keys.append(key)

    def name(self, key: Key) -> str:
        """The file name of a compile's page; empty for none."""
        return self._names.get(key, "")

    def who(self, process: int) -> str:
        """The process, where there are several."""
        return self._who[process] if self._many and process < len(self._who) else ""

    def link(self, key: Key, folder: str = COMPILES) -> Link:
        name = self.name(key)
        href = os.path.join(folder, name) if name else ""
        return Link(href, title_of(key[1]), self.who(key[0]))

    def links(self, keys: Iterable[Key], folder: str = COMPILES) -> Links:
        """Links to the first of `keys`."""
        every = list(dict.fromkeys(keys))
        shown = [self.link(key, folder) for key in every[:_LINKS]]
        ranks = {self._ranks[key[0]] for key in every if key[0] < len(self._ranks)}
        numbers = sorted(rank for rank in ranks if rank is not None)
        words = spans(numbers) if len(ranks) > 1 else ""
        return Links(shown, len(every) - len(shown), words)

    def _slugs(self) -> list[str]:
        """What the files of each process begin with."""
        seen: set[int | None] = {None}
        slugs: list[str] = []
        for one in self._trace.processes:
            is_new = one.rank not in seen
            seen.add(one.rank)
            slugs.append(f"rank_{one.rank}" if is_new else f"process_{one.process}")
        return slugs


def _names(trace: Trace) -> list[str]:
    """What each process is called; by its place where two would have one name."""
    names = [who(trace, one.process) for one in trace.processes]
    times = Counter(names)
    return [
        name if times[name] == 1 else f"process {index}"
        for index, name in enumerate(names)
    ]


def title_of(compile_id: str | None) -> str:
    """The name of a compile.

    >>> title_of("0/1"), title_of(None)
    ('0/1', 'outside compiles')
    """
    return "outside compiles" if compile_id is None else one_line(compile_id)
