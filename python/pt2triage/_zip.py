"""The members of a zip archive, by its directory."""

from __future__ import annotations

import itertools
import os
import stat
import struct
import zipfile
import zlib

from pt2triage import _core
from pt2triage._bytes import Peeked
from pt2triage._members import is_hidden, told_twice_below
from pt2triage._outcome import OWN, Outcome, encode, open_error
from pt2triage._streams import Member, scan_stream, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from pt2triage._outcome import Settings
    from pt2triage._streams import Problem

# What the core unpacks itself.
_PACKINGS: dict[int, _core._Packing] = {0: "stored", 8: "deflate", 93: "zstd"}
_ENCRYPTED = 1
# Bytes of the header before a member, without its name.
_HEADER = 30
# The end of the directory, and how far before the end of the file it may begin.
_END = struct.Struct("<4s4H2LH")
_END_AREA = _END.size + 0xFFFF
# Members, and bytes of directory, that are held in memory; archives that have more
# are read front to back.
_MAX_MEMBERS = 20_000
_MAX_DIRECTORY = 16 << 20


def scan_zip_path(
    path: str, file: IO[bytes], member: Member, settings: Settings
) -> Iterator[Outcome]:
    """What the members of a file give; threads of the core read them."""
    yield from _scan_zip(file, path, member, settings)


def scan_zip_file(
    file: IO[bytes], member: Member, settings: Settings
) -> Iterator[Outcome]:
    """The same for any file in which one can go back."""
    yield from _scan_zip(file, None, member, settings)


def _scan_zip(
    file: IO[bytes], path: str | None, member: Member, settings: Settings
) -> Iterator[Outcome]:
    archive = _open(file, settings)
    if archive is None:  # cut, or too much to hold: what there is, front to back
        from pt2triage._zip_stream import scan_zip_stream

        file.seek(0)
        yield from scan_zip_stream(Peeked(file), [], member, settings)
        return
    sizes = {info.filename: info.file_size for info in archive.infolist()}
    twice, origins = told_twice_below(sizes, sizes.__getitem__)
    shared = _shared(archive.infolist())
    members: list[tuple[zipfile.ZipInfo, Member]] = []
    for info in archive.infolist():
        kind = _passed_over(info, twice)
        if kind is not None:
            if kind:
                settings.skip(kind, 1)
            continue
        if id(info) in shared:
            continue
        job, step = origins.get(info.filename, ("", ""))
        name = f"{member.name}!{info.filename}"
        members.append(
            (info, Member(name, member.depth, only_text=True, job=job, step=step))
        )
    files = [_file_to_scan(path, i, m) for i, m in members if _by_core(path, i)]
    pool = _core.FileScans(
        files,
        settings.verify,
        settings.jobs,
        settings.limits.of_core,
        settings.judge,
        settings.tables,
    )
    if shared:
        why = f"bytes of one member are another one's in {len(shared)} members, which "
        why += "are not read (an archive bomb?)"
        yield unread(member, ("damaged", why), settings)
    meter = settings.meter.of_pool() if settings.meter is not None else None
    for info, child in members:
        if settings.is_full:
            return
        if not _by_core(path, info):
            yield from _by_python(archive, info, child, settings)
            continue
        given = pool.next(meter)
        if isinstance(given, _core.Result):
            full = "--max-archive-bytes" in (given.unread or "")
            yield Outcome.of(child.name, given)
            if full:
                return
        elif isinstance(given, _core.Failure):
            yield Outcome.failed(open_error(child.name, OSError(5, given.message)))
        elif given == "binary":
            settings.skip("binary", 1)
        elif given == "own":
            settings.skip(OWN, 1)
        else:
            yield from _by_python(archive, info, child, settings)


def _open(file: IO[bytes], settings: Settings) -> zipfile.ZipFile | None:
    """The archive; None if it has no directory, or one that is too long."""
    try:
        most = min(settings.limits.max_members, _MAX_MEMBERS)
        if _is_too_long(file, most):
            return None
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        return None
    return archive if len(archive.filelist) <= most else None


def _is_too_long(file: IO[bytes], max_members: int) -> bool:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END_AREA, 0))
    tail = file.read(_END_AREA)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise zipfile.BadZipFile("no directory")
    _, _, _, _, number, length, _, _ = _END.unpack_from(tail, at)
    at64 = tail.rfind(b"PK\x06\x06", 0, at)
    if at64 >= 0 and len(tail) - at64 >= 56:
        number, length = struct.unpack_from("<QQ", tail, at64 + 32)
    return int(number) > max_members or int(length) > _MAX_DIRECTORY


def _shared(members: list[zipfile.ZipInfo]) -> set[int]:
    """The ids of members that claim bytes which are another one's: so a small archive
    could hold the same megabytes thousands of times, each within its limits."""
    first: dict[int, zipfile.ZipInfo] = {}  # at each place
    shared: set[int] = set()
    for info in members:
        if first.setdefault(info.header_offset, info) is not info:
            shared.add(id(info))
    places = sorted(first)
    for start, after in itertools.pairwise(places):
        if start + _HEADER + first[start].compress_size > after:
            shared.add(id(first[start]))
    return shared


def _passed_over(info: zipfile.ZipInfo, twice: set[str]) -> str | None:
    """The kind of what is not read; empty for what is not counted either."""
    if info.is_dir():
        return ""
    if is_hidden(info.filename):
        return "hidden"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "links"
    return "told twice" if info.filename in twice else None


def _by_core(path: str | None, info: zipfile.ZipInfo) -> bool:
    return (
        path is not None
        and info.compress_type in _PACKINGS
        and not info.flag_bits & _ENCRYPTED
    )


def _file_to_scan(
    path: str | None, info: zipfile.ZipInfo, member: Member
) -> _core._FileToScan:
    assert path is not None
    place = (
        info.header_offset,
        info.compress_size,
        _PACKINGS[info.compress_type],
        info.CRC,
        info.file_size,
        True,
    )
    return (
        os.fsencode(path),
        encode(member.name),
        True,
        member.depth,
        encode(member.job),
        encode(member.step),
        place,
    )


def _by_python(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, member: Member, settings: Settings
) -> Iterator[Outcome]:
    if info.flag_bits & _ENCRYPTED:
        yield unread(member, ("unsupported", "it is encrypted"), settings)
        return
    try:
        file = archive.open(info)
    except NotImplementedError:
        why = f"its compression method {info.compress_type} is not read"
        yield unread(member, ("unsupported", why), settings)
        return
    except zipfile.BadZipFile as error:
        yield unread(member, ("damaged", str(error)), settings)
        return
    with file:
        stream = _Opened(file)
        yield from scan_stream(stream, member, settings, outer=[stream])


class _Opened:
    """A member that zipfile reads.

    Attributes:
        problem: Why it ends early, once it has.
        warning: Always empty.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file: Any = file
        self.problem: Problem | None = None
        self.warning = ""

    def read(self, size: int, /) -> bytes:
        if self.problem is not None:
            return b""
        try:
            data: bytes = self._file.read(size)
            return data
        except EOFError:
            self.problem = "cut", "the archive ends in it"
        except (zipfile.BadZipFile, zlib.error, ValueError) as error:
            self.problem = "damaged", str(error)
        except OSError as error:
            if error.errno is not None:
                raise
            self.problem = "damaged", str(error)  # of bz2
        except Exception as error:
            if type(error).__name__ != "LZMAError":
                raise
            self.problem = "damaged", str(error)
        return b""
