"""Reads a source again, if it is a file that is still what was scanned."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report.layout import crop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from pt2triage._core import Evidence, Source
    from pt2triage._report import Report

_CHUNK = 1 << 20
# What of one place is read, and which of its lines are shown.
_BYTES = 1 << 20
_FIRST_LINES = 8
_LAST_LINES = 16
_ERROR_LINES = 8
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
_COLUMNS = 240


class SourceFile(NamedTuple):
    """A source, or a log in a debug folder.

    Attributes:
        name: As evidence names it.
        path: The file, if it is one.
        kind: As of a source.
        bytes: Its size when it was scanned.
    """

    name: str
    path: str
    kind: str
    bytes: int


def quotable(report: Report) -> Sequence[Source]:
    """Sources whose lines may be shown: none of a confidential report."""
    return () if report.is_confidential else report.sources


def files_of(sources: Iterable[Source]) -> Iterator[SourceFile]:
    """What was read, file by file."""
    for source in sources:
        if source.kind != "debug_folder":
            yield SourceFile(source.name, source.name, source.kind, source.bytes)
        for artifact in source.artifacts:
            kind = _KINDS_READ.get(artifact.kind)
            if kind is not None:
                name = f"{source.name}!{artifact.path}"
                path = os.path.join(source.name, artifact.path)
                yield SourceFile(name, path, kind, artifact.bytes)


_KINDS_READ = {"log": "text", "trace": "torch_trace"}


@dataclass(frozen=True)
class Quote:
    """A place, and its lines where they can be read.

    Attributes:
        source: Name of the source.
        line: First line, from 1.
        lines: Number and text of each line that is shown, in order.
    """

    source: str
    line: int
    lines: tuple[tuple[int, str], ...] = ()

    @property
    def block(self) -> str:
        """The lines with their numbers, and a mark where some are left out."""
        return self.numbered(len(str(self.lines[-1][0])))

    def numbered(self, width: int) -> str:
        """The same, with numbers of `width` digits at least."""
        texts: list[str] = []
        expected = self.line
        for number, text in self.lines:
            if number != expected:
                gap = number - expected
                texts.append(f"{'':>{width}} | ... ({gap} lines left out)")
            texts.append(f"{number:>{width}} | {text}")
            expected = number + 1
        return "\n".join(texts)


def open_again(source: SourceFile) -> BinaryIO | None:
    """The file of `source`; None for a stream, or if it has changed its size.

    Offsets of text that had to be decoded are not those of the file: its size is
    another one too.
    """
    try:
        file = open(source.path, "rb", opener=_at_once)  # noqa: SIM115 - the caller's
        info = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(info.st_mode) or info.st_size != source.bytes:
        file.close()
        return None
    return file


def _at_once(path: str, flags: int) -> int:
    """Opens a file; does not wait until somebody writes to a named pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_quote(place: Evidence, source: SourceFile | None) -> Quote:
    """The lines of `place`; none of them where the file is another one now."""
    bare = Quote(place.source, place.line)
    file = open_again(source) if source is not None else None
    if file is None:
        return bare
    try:
        with file:
            if _line_at(file, place.offset) != place.line:
                return bare
            data = file.read(min(place.length, _BYTES))
    except OSError:
        return bare
    if not data.strip():
        return bare
    return quote_of(bare, data.decode("utf-8", "replace"))


def _line_at(file: BinaryIO, offset: int) -> int | None:
    """The number of the line that begins at `offset`; None if none does."""
    line = 1
    last = b"\n"
    while offset > 0:
        chunk = file.read(min(offset, _CHUNK))
        if not chunk:
            return None
        line += chunk.count(b"\n")
        last = chunk[-1:]
        offset -= len(chunk)
    return line if last == b"\n" else None


def quote_of(bare: Quote, text: str) -> Quote:
    """The first lines, the last ones, and of the others those that say "error"."""
    texts = [line.rstrip("\r") for line in text.split("\n")]
    while not texts[-1].strip():
        texts.pop()
    last = max(len(texts) - _LAST_LINES, _FIRST_LINES)
    middle = range(_FIRST_LINES, last)
    errors = [index for index in middle if _ERROR.search(texts[index])]
    shown = [*range(min(_FIRST_LINES, len(texts))), *errors[:_ERROR_LINES]]
    shown += range(last, len(texts))
    lines = tuple((bare.line + i, crop(texts[i], _COLUMNS)) for i in shown)
    return Quote(bare.source, bare.line, lines)
