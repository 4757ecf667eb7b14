"""The members of a tar archive, front to back, without a file on the disk."""

from __future__ import annotations

import tarfile

from pt2triage._members import is_hidden
from pt2triage._sections import Forward, Section
from pt2triage._streams import Member, problem_of, scan_stream, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pt2triage._outcome import Outcome, Settings
    from pt2triage._streams import Bytes, Decoded

_BLOCK = 512
# Long names and extended headers are read into memory; longer ones are no names.
_MAX_HEADER = 1 << 20
# Read behind the last member, to reach the checksum of the compressed data.
_MAX_TAIL = 1 << 24


class _Headers(Forward):
    """What tarfile reads its headers from."""

    def __init__(self, stream: Bytes) -> None:
        super().__init__(stream)
        self.last = b""

    def read(self, size: int = -1, /) -> bytes:
        return super().read(size)

    def seek(self, position: int) -> None:
        if position < self.tell():
            raise tarfile.ReadError("a size is negative")
        self.skip(position - self.tell())


class _File:
    """The object that tarfile gets: whole reads, of bounded size."""

    def __init__(self, headers: _Headers) -> None:
        self._headers = headers
        self.tell = headers.tell
        self.seek = headers.seek

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _MAX_HEADER:
            raise tarfile.ReadError("a header is longer than 1 MiB")
        self._headers.last = data = self._headers.exactly(size)
        return data


def scan_tar(
    stream: Bytes, layers: list[Decoded], member: Member, settings: Settings
) -> Iterator[Outcome]:
    """What the members give; `layers` is what was taken off the archive."""
    headers = _Headers(stream)
    number = 0
    told = False  # why the archive ends early
    why = ""
    try:
        for info in _members(headers):
            number += 1
            if number > settings.limits.max_members:
                why = (
                    f"it has more than {number - 1} members; --max-members allows more"
                )
                yield unread(member, ("limit", why), settings)
                return
            kind = _passed_over(info)
            if kind is not None:
                if kind:
                    settings.skip(kind, 1)
                continue
            name = f"{member.name}!{info.name}"
            section = Section(headers, info.size, layers)
            child = Member(name, member.depth, only_text=True)
            yield from scan_stream(section, child, settings, outer=[section])
            told = told or section.problem is not None
            if settings.is_full:
                return
    except (tarfile.TarError, RecursionError, ValueError, OverflowError) as error:
        why = str(error) or type(error).__name__
    if told:
        return
    if not why and headers.last.strip(b"\0"):
        whole = len(headers.last) == _BLOCK
        why = (
            "there is no header"
            if whole
            else "it ends in a header, cut off: fetch it again"
        )
    _read_tail(headers, layers)
    problem = problem_of(layers)
    if problem is None and why:
        word = "damaged" if len(headers.last) == _BLOCK else "cut"
        problem = word, f"{why}, at byte {headers.tell()} of the tar archive"
    if problem is not None:
        yield unread(member, problem, settings)


def _members(headers: _Headers) -> Iterator[tarfile.TarInfo]:
    file: Any = _File(headers)
    tar: Any = tarfile.TarFile(
        fileobj=file, mode="r", encoding="utf-8", errors="surrogateescape"
    )
    while True:
        info: tarfile.TarInfo | None = tar.next()
        if info is None:
            return
        tar.members = []  # or it would keep all
        if info.size < 0:
            raise tarfile.ReadError("a size is negative")
        yield info


def _passed_over(info: tarfile.TarInfo) -> str | None:
    """The kind of what is not read; empty for what is not counted either."""
    if info.isdir():
        return ""
    if is_hidden(info.name):
        return "hidden"
    if info.issym() or info.islnk():
        return "links"
    if not info.isreg() or info.issparse():
        return "special"
    return None


def _read_tail(headers: _Headers, layers: list[Decoded]) -> None:
    left = _MAX_TAIL if layers else 0
    while left > 0 and (chunk := headers.read(min(left, 1 << 16))):
        left -= len(chunk)
