"""The members of a zip archive, front to back: in other archives, from pipes, and
where the end with the directory is missing."""

from __future__ import annotations

import zlib

from pt2triage import _core
from pt2triage._members import SeenJobs, is_hidden, origin
from pt2triage._sections import Forward, Section
from pt2triage._streams import Member, problem_of, scan_stream, unread
from pt2triage._zip_header import ZipDamaged, ZipHeader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pt2triage._outcome import Outcome, Settings
    from pt2triage._streams import Bytes, Decoded, Problem

_MEMBER = b"PK\x03\x04"
# What follows the members: the directory, or an archive's own extra data.
_BEHIND = (b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x08")
_ENCRYPTED = 1
_DEFLATE = 8
_CHUNK = 1 << 16


def scan_zip_stream(
    stream: Bytes, layers: list[Decoded], member: Member, settings: Settings
) -> Iterator[Outcome]:
    """What the members give; `layers` is what was taken off the archive."""
    forward = Forward(stream)
    jobs = SeenJobs()
    number = 0
    problem: Problem | None = None
    try:
        while (mark := forward.exactly(4)) == _MEMBER:
            number += 1
            if number > settings.limits.max_members:
                why = (
                    f"it has more than {number - 1} members; --max-members allows more"
                )
                raise ZipDamaged("limit", why)
            header = ZipHeader(forward)
            body = _Body(forward, header, layers, settings)
            kind = _passed_over(header, jobs)
            if kind is not None:
                if kind:
                    settings.skip(kind, 1)
            else:
                yield from _scan_member(body, header, member, settings)
            if settings.is_full:
                return  # said of the member, as a cut is
            body.finish()
            if body.cut:
                return
        if mark in _BEHIND:
            if not _directory_ends(forward, mark):
                at = forward.tell()
                problem = "cut", f"its directory ends at byte {at} of the zip archive"
        else:
            word = "damaged" if len(mark) == 4 else "cut"
            what = "there is no member" if len(mark) == 4 else "it ends"
            problem = word, f"{what} at byte {forward.tell()} of the zip archive"
    except ZipDamaged as error:
        problem = error.args[0], error.args[1]
    problem = problem_of(layers) or problem
    if problem is not None:
        yield unread(member, problem, settings)


def _directory_ends(forward: Forward, mark: bytes) -> bool:
    """Whether what stands behind the members is whole."""
    tail = mark
    while chunk := forward.read(_CHUNK):
        tail = (tail + chunk)[-2 * _CHUNK :]
    end = tail.rfind(b"PK\x05\x06")
    return 0 <= end <= len(tail) - 22


def _passed_over(header: ZipHeader, jobs: SeenJobs) -> str | None:
    if header.name.endswith("/"):
        return ""
    if is_hidden(header.name):
        return "hidden"
    return "told twice" if jobs.told_before(header.name) else None


def _scan_member(
    body: _Body, header: ZipHeader, member: Member, settings: Settings
) -> Iterator[Outcome]:
    job, step = origin(header.name)
    name = f"{member.name}!{header.name}"
    child = Member(name, member.depth, only_text=True, job=job, step=step)
    if body.why:
        yield unread(child, ("unsupported", body.why), settings)
        return
    yield from scan_stream(body, child, settings, outer=[body])


class _Body:
    """The unpacked bytes of a member.

    Attributes:
        why: Why it cannot be unpacked; empty if it can.
        problem: Why it ends early, once it has.
        warning: Always empty.
    """

    def __init__(
        self,
        forward: Forward,
        header: ZipHeader,
        layers: list[Decoded],
        settings: Settings,
    ) -> None:
        self._forward = forward
        self._header = header
        self._crc = 0
        self._ended = False
        self.why = _why_not(header)
        self.problem: Problem | None = None
        self.warning = ""
        self._section = Section(forward, header.packed_size, layers)
        self._bytes: Bytes = self._section
        if self.why:
            pass
        elif header.follows:
            self._bytes = _Inflated(forward, layers)
        elif header.method == _DEFLATE:
            limits = settings.limits.of_core
            self._bytes = _core.DecodedStream(self._section, "deflate", limits)

    @property
    def cut(self) -> bool:
        """Whether the archive ends in it."""
        return self.problem is not None and self.problem[0] == "cut"

    def read(self, size: int, /) -> bytes:
        if self._ended:
            return b""
        data = self._bytes.read(size)
        self._crc = zlib.crc32(data, self._crc)
        if not data:
            self._ended = True
            told = self._section.problem or getattr(self._bytes, "problem", None)
            crc = self._header.crc
            if self._header.follows and told is None:
                crc = _read_descriptor(self._forward)
            if told is None and crc != self._crc:
                told = "damaged", "its checksum is not the announced one"
            self.problem = told
        return data

    def finish(self) -> None:
        """Goes to the end of the member."""
        if self._header.follows:
            if self.why:
                raise ZipDamaged("unsupported", f"{self._header.name}: {self.why}")
            while self.read(_CHUNK):
                pass
            if self.problem is not None and not self.cut:
                raise ZipDamaged("damaged", "where a damaged member ends is not known")
        else:
            while self._section.read(_CHUNK):
                pass


def _why_not(header: ZipHeader) -> str:
    if header.flags & _ENCRYPTED:
        return "it is encrypted"
    if header.method not in (0, _DEFLATE):
        return f"its compression method {header.method} is not read"
    if header.follows and header.method == 0:
        return "its size is not known beforehand"
    return ""


def _read_descriptor(forward: Forward) -> int:
    """The checksum behind a member whose size was not known beforehand."""
    data = forward.exactly(28)
    start = 4 if data.startswith(b"PK\x07\x08") else 0
    crc = int.from_bytes(data[start : start + 4], "little")
    # Two sizes of four or of eight bytes, and then a header.
    narrow = data[start + 12 : start + 14] in (b"PK", b"")
    forward.give_back(data[start + (12 if narrow else 20) :])
    return crc


class _Inflated:
    """Deflated bytes that end where they say so."""

    def __init__(self, forward: Forward, layers: list[Decoded]) -> None:
        self._forward = forward
        self._layers = layers
        self._decoder = zlib.decompressobj(-15)
        self.problem: Problem | None = None

    def read(self, size: int, /) -> bytes:
        while not (self.problem or self._decoder.eof):
            data = self._decoder.unconsumed_tail or self._forward.read(_CHUNK)
            if not data:
                at = self._forward.tell()
                cut = "cut", f"the archive ends in it, at byte {at}"
                self.problem = problem_of(self._layers) or cut
                break
            try:
                piece = self._decoder.decompress(data, size)
            except zlib.error as error:
                self.problem = "damaged", str(error)
                break
            if behind := self._decoder.unused_data:
                self._forward.give_back(behind)
            if piece:
                return piece
        return b""
