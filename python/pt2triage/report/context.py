"""Evidence with the lines around it, read again from files that have not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report.layout import crop
from pt2triage.report.reread import Quote, files_of, open_again, quote_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO, TypeAlias

    from pt2triage._core import Evidence, Source
    from pt2triage.report.reread import SourceFile

    # What tells one place from the others.
    Key: TypeAlias = tuple[str, int, int]

# Lines before and after a place, the bytes in which they are looked for, and what
# of the place itself is read.
_AROUND = 3
_NEAR = 1 << 14
_BYTES = 1 << 18
_CHUNK = 1 << 20
_COLUMNS = 240


class Passage(NamedTuple):
    """A place in a log, and what stands there.

    Attributes:
        source: Name of the source.
        line: First line of the evidence, from 1.
        before: The lines before it, with their numbers; empty if there are none,
            or if the file cannot be read again.
        lines: Its own lines, in the same way.
        after: The lines after it.
    """

    source: str
    line: int
    before: str = ""
    lines: str = ""
    after: str = ""


def key_of(place: Evidence) -> Key:
    """The key of a place in what `read_passages` gives."""
    return place.source, place.offset, place.length


def read_passages(
    sources: Iterable[Source], places: Iterable[Evidence]
) -> dict[Key, Passage]:
    """What stands at `places`, each file being read once, front to back.

    Places in streams, archives and files that have changed are not in the result.
    """
    wanted: dict[str, list[Evidence]] = {}
    for place in places:
        wanted.setdefault(place.source, []).append(place)
    found: dict[Key, Passage] = {}
    for source in files_of(sources):
        here = sorted(wanted.pop(source.name, ()), key=lambda place: place.offset)
        if here:
            found.update(_read_file(source, here))
    return found


def _read_file(source: SourceFile, places: list[Evidence]) -> dict[Key, Passage]:
    found: dict[Key, Passage] = {}
    file = open_again(source)
    if file is None:
        return found
    with file:
        try:
            for place in _still_there(file, places):
                passage = _passage(file, place)
                if passage is not None:
                    found[key_of(place)] = passage
        except OSError:
            return found
    return found


def _still_there(file: BinaryIO, places: Iterable[Evidence]) -> Iterator[Evidence]:
    """Those of `places`, in order, whose line begins at their offset."""
    line, at = 1, 0
    for place in places:
        while at < place.offset:
            file.seek(at)
            chunk = file.read(min(place.offset - at, _CHUNK))
            if not chunk:
                return
            line += chunk.count(b"\n")
            at += len(chunk)
        if line == place.line and _begins_line(file, place.offset):
            yield place


def _begins_line(file: BinaryIO, offset: int) -> bool:
    if offset == 0:
        return True
    file.seek(offset - 1)
    return file.read(1) == b"\n"


def _passage(file: BinaryIO, place: Evidence) -> Passage | None:
    file.seek(place.offset)
    data = file.read(min(place.length, _BYTES))
    if not data.strip():
        return None
    before = _lines_before(file, place.offset)
    after = _lines_after(file, place.offset + place.length, data.endswith(b"\n"))
    next_line = place.line + data.count(b"\n") + (not data.endswith(b"\n"))
    if place.length > _BYTES:
        after = []
    first = place.line - len(before)
    width = len(str(next_line + len(after) - 1))
    return Passage(
        place.source,
        place.line,
        _numbered(before, first, width),
        quote_of(Quote(place.source, place.line), _text(data)).numbered(width),
        _numbered(after, next_line, width),
    )


def _lines_before(file: BinaryIO, offset: int) -> list[str]:
    start = max(offset - _NEAR, 0)
    file.seek(start)
    lines = _text(file.read(offset - start)).split("\n")[:-1]
    return lines[1 if start else 0 :][-_AROUND:]  # the first may be cut


def _lines_after(file: BinaryIO, offset: int, line_begins: bool) -> list[str]:
    file.seek(offset)
    lines = _text(file.read(_NEAR)).split("\n")
    return lines[0 if line_begins else 1 :][:_AROUND]


def _numbered(lines: list[str], first: int, width: int) -> str:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return "\n".join(
        f"{number:>{width}} | {crop(line.rstrip(), _COLUMNS)}"
        for number, line in enumerate(lines, first)
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
