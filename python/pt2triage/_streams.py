"""Streams that Python reads: what packs them is taken off, the rest is scanned."""

from __future__ import annotations

from pt2triage import _core
from pt2triage._bytes import Peeked
from pt2triage._outcome import OWN, Outcome, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol, TypeAlias

    from pt2triage._outcome import Settings

    # Why a stream ends early: a word and a sentence.
    Problem: TypeAlias = tuple[str, str]

    class Bytes(Protocol):
        def read(self, size: int, /) -> bytes: ...

    class Decoded(Bytes, Protocol):
        @property
        def problem(self) -> Problem | None: ...
        @property
        def warning(self) -> str: ...


# Bytes handed to the core at a time: small enough for a prompt Ctrl-C.
CHUNK = 1 << 18


class Member:
    """Where a source comes from.

    Attributes:
        name: Its name in reports.
        depth: How many archives and compressions it is in.
        only_text: Whether it is passed over if it is no text.
        job: The CI job that wrote it, as far as its archive says; else empty.
        step: The step of the job.
    """

    __slots__ = ("depth", "job", "name", "only_text", "step")

    def __init__(
        self,
        name: str,
        depth: int = 0,
        *,
        only_text: bool = False,
        job: str = "",
        step: str = "",
    ) -> None:
        self.name = name
        self.depth = depth
        self.only_text = only_text
        self.job = job
        self.step = step


def make_scanner(member: Member, settings: Settings) -> _core.Scanner:
    if settings.scanner is not None:
        made: _core.Scanner = settings.scanner(member)
        return made
    return _core.Scanner(
        encode(member.name),
        settings.verify,
        job=encode(member.job),
        step=encode(member.step),
        tables=settings.tables,
    )


def unread(member: Member, problem: Problem, settings: Settings) -> Outcome:
    """A source of which nothing can be read."""
    result = make_scanner(member, settings).finish(problem)
    return Outcome.of(member.name, result)


def too_deep(member: Member, settings: Settings) -> Outcome:
    limit = settings.limits.max_depth
    why = f"it is packed more than {limit} times; --max-depth allows more"
    return unread(member, ("limit", why), settings)


def scan_stream(
    stream: Bytes,
    member: Member,
    settings: Settings,
    *,
    seekable: Any = None,
    outer: Sequence[Decoded] = (),
) -> Iterator[Outcome]:
    """What a stream gives: one outcome if it is text, else one for each member.

    Args:
        stream: Gives the bytes; what it raises is raised here.
        member: What it is.
        settings: Those of the scan.
        seekable: The same bytes as a file in which one can go back, if there is one.
        outer: What was taken off them already.
    """
    peeked = Peeked(stream)
    codec = _core.sniff_codec(peeked.head)
    layers = [*outer]
    while codec in ("gzip", "zstd", "xz", "bzip2"):
        member.depth += 1
        if member.depth > settings.limits.max_depth:
            yield too_deep(member, settings)
            return
        layers.append(_decode(peeked, codec, settings))
        peeked = Peeked(layers[-1])
        codec = _core.sniff_codec(peeked.head)
    if codec:
        # A compressed tar counts as one.
        member.depth += not (codec == "tar" and len(layers) > len(outer))
        if member.depth > settings.limits.max_depth:
            yield too_deep(member, settings)
        elif codec == "tar":
            from pt2triage._tar import scan_tar

            yield from scan_tar(peeked, layers, member, settings)
        elif seekable is not None and not layers:
            from pt2triage._zip import scan_zip_file

            yield from scan_zip_file(seekable, member, settings)
        else:
            from pt2triage._zip_stream import scan_zip_stream

            yield from scan_zip_stream(peeked, layers, member, settings)
    elif (
        member.only_text
        and _core.looks_binary(peeked.head)
        # Of what is cut or damaged that early, nobody knows what it was.
        and problem_of(layers) is None
    ):
        settings.skip("binary", 1)
    elif member.only_text and _core.is_own_report(peeked.head):
        settings.skip(OWN, 1)
    else:
        yield scan_text(peeked, layers, member, settings)


def scan_text(
    stream: Bytes, layers: list[Decoded], member: Member, settings: Settings
) -> Outcome:
    """Reads a stream that is not packed (any more) to its end."""
    scanner = make_scanner(member, settings)
    problem: Problem | None = None
    while chunk := stream.read(CHUNK):
        scanner.feed(chunk)
        if member.depth:
            settings.unpacked += len(chunk)
            if settings.is_full:
                problem = "limit", full(settings)
                break
        if settings.meter is not None:
            settings.meter.add(len(chunk))
    warning = next((layer.warning for layer in layers if layer.warning), "")
    result = scanner.finish(problem or problem_of(layers), warning)
    return Outcome.of(member.name, result)


def full(settings: Settings) -> str:
    limit = settings.limits.max_archive_bytes
    return f"more than {limit} bytes come out of it; --max-archive-bytes allows more"


def problem_of(layers: list[Decoded]) -> Problem | None:
    """Why the outermost layer that has a problem ends early."""
    return next((layer.problem for layer in layers if layer.problem), None)


def _decode(stream: Bytes, codec: str, settings: Settings) -> Decoded:
    if codec in ("gzip", "zstd"):
        return _core.DecodedStream(stream, codec, settings.limits.of_core)
    from pt2triage._unpack import Unpacked

    return Unpacked(stream, codec, settings.limits)
