"""Takes log records that only our settings caused out of a stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._around.log_settings import LogSettings, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

# What stands before a record: the rank, then one of PyTorch's two prefixes.
_NEW = (
    *(rb"(?P<letter>[VIWEC])", rb"\d", rb"\d", rb"\d", rb"\d", rb" "),
    *(rb"\d", rb"\d", rb":", rb"\d", rb"\d", rb":", rb"\d", rb"\d", rb"\."),
    *(rb"\d{1,6}", rb" ", rb"\d{1,20}", rb" "),
    *(rb"(?P<path>[^\s:\]]{1,400})", rb":", rb"\d{1,6}", rb"\]"),
    rb"(?: \[[^\]\n]{1,80}\])*",
)
_OLD = (
    *(rb"\[", rb"\d{4}", rb"-", rb"\d\d", rb"-", rb"\d\d", rb" ", rb"[\d:]{8}", rb","),
    *(rb"\d{3}", rb"\] ", rb"(?:\[[^\]\n]{1,80}\] )*", rb"(?P<logger>torch[\w.]*)"),
    *(rb": ", rb"\[(?P<level>[A-Z]+)\]"),
)
_RANK = rb"(?:\[[a-z_]{1,40}\d{1,9}\]:){0,2}"  # of torchrun --tee, of PyTorch
_HEADER = re.compile(_RANK + b"(?:" + b"".join(_NEW) + b"|" + b"".join(_OLD) + b")")
_TAG = re.compile(rb" \[__(\w+)\]")
# A header has one of these, and most text has none: much quicker than _HEADER.
_LIKELY = re.compile(rb"torch[/.]")
# A line that is this long without an end is decided by what is there.
_LONGEST_HEADER = 1 << 10


def _begun(*atoms: bytes) -> bytes:
    """A pattern of every beginning of a header, up to the end of the text."""
    pattern = b""
    for atom in reversed(atoms):
        pattern = b"(?:" + re.sub(rb"\?P<\w+>", b"?:", atom) + pattern + b")?"
    return pattern


_RANK_BEGUN = rb"\[(?:[a-z_]{1,40}(?:\d{1,9}\]?)?)?"
_BEGUN = re.compile(
    b"%s(?:%s|%s|%s)\\Z" % (_RANK, _RANK_BEGUN, _begun(*_NEW), _begun(*_OLD))
)


class LogFilter:
    """Passes bytes on at once, but for lines that are records of ours.

    A record begins at the start of a line, or after a progress bar, which is a line
    that has no end yet and that a carriage return has begun. What may be the
    beginning of a prefix is held until more comes, or until `idle` is called.
    """

    def __init__(self, own: str, merged: str) -> None:
        """`own` is the user's value of TORCH_LOGS, `merged` that of the command."""
        self._own = LogSettings(own)
        self._merged = LogSettings(merged)
        self._held = b""
        self._hides = False  # the line is a record of ours, up to its end
        self._fresh = True  # nothing of the line is passed on yet
        self._bar = False  # what is passed on of the line is a progress bar
        self.hidden = 0  # bytes that were taken out

    def feed(self, data: bytes) -> bytes:
        """What of `data`, and of what was held, is to be shown now."""
        data = self._held + data
        self._held = b""
        if not self._hides and not _LIKELY.search(data):
            return self._pass(data, may_hold=True)
        return b"".join(self._lines(data))

    def idle(self) -> bytes:
        """What was held and is no whole prefix: nothing more has come."""
        if _HEADER.match(self._held):
            return b""
        held, self._held = self._held, b""
        return self._pass(held, may_hold=False)

    def end(self) -> bytes:
        """What was held, at the end of the stream."""
        held, self._held = self._held, b""
        return b"".join(self._line(held, whole=True)) if held else b""

    def _lines(self, data: bytes) -> Iterator[bytes]:
        *lines, rest = data.split(b"\n")
        for line in lines:
            yield from self._line(line + b"\n", whole=True)
        if rest:
            yield from self._line(rest, whole=False)

    def _line(self, line: bytes, *, whole: bool) -> Iterator[bytes]:
        """Of one line, or the rest of it, what is to be shown."""
        if not self._hides:
            start = self._start_of_header(line)
            if start < 0:
                yield self._pass(line, may_hold=not whole)
                return
            yield self._pass(line[:start], may_hold=False)
            line = line[start:]
            if not whole and len(line) < _LONGEST_HEADER:
                self._held = line
                return
            if not self._is_ours(line):
                yield self._pass(line, may_hold=False)
                return
        self._hides = not whole
        self.hidden += len(line)

    def _start_of_header(self, line: bytes) -> int:
        if self._fresh and _HEADER.match(line):
            return 0
        if not self._bar and b"\r" not in line:
            return -1
        found = _HEADER.search(line)
        if found is None or not (self._bar or b"\r" in line[: found.start()]):
            return -1
        return found.start()

    def _pass(self, data: bytes, *, may_hold: bool) -> bytes:
        """Shows `data`, but for an end that may begin a prefix."""
        newline = data.rfind(b"\n") + 1
        fresh = newline > 0 or self._fresh
        bar = b"\r" in data[newline:] or (self._bar and not newline)
        tail = data[max(newline, len(data) - _LONGEST_HEADER) :]
        fresh = fresh and len(data) - newline < _LONGEST_HEADER
        if may_hold and (bar or fresh):
            begun = _BEGUN.search(tail) if bar else _BEGUN.match(tail)
            if begun and begun.group():
                self._held = begun.group()
                data = data[: -len(self._held)]
        if len(data) > newline or newline:
            self._fresh = len(data) <= newline
            self._bar = bar and not self._fresh
        return data

    def _is_ours(self, line: bytes) -> bool:
        """Whether our settings let a record through that the user's do not."""
        match = _HEADER.match(line)
        assert match is not None
        origin = _origin(match)
        if origin is None:
            return False
        return self._merged.wants(origin) and not self._own.wants(origin)


def _origin(match: re.Match[bytes]) -> Origin | None:
    """Who wrote a record; None where it was not PyTorch."""
    if match["logger"] is not None:
        name = match["logger"].decode("ascii", "replace")
        module, _, artifact = name.partition(".__")
        return Origin(module, match["level"].decode("ascii"), artifact)
    path = b"/" + match["path"].replace(b"\\", b"/")
    place = path.rfind(b"/torch/")
    if place < 0 or not path.endswith(b".py"):
        return None
    module = path[place + 1 : -3].replace(b"/", b".").decode("ascii", "replace")
    tag = _TAG.search(match.group())
    artifact = tag[1].decode("ascii", "replace") if tag else ""
    return Origin(module, match["letter"].decode("ascii"), artifact)
