"""Streams of bytes out of whatever has ``read``."""

from __future__ import annotations

from pt2triage._outcome import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pt2triage._streams import Bytes
    from pt2triage._types import Readable

# Enough to tell text from other bytes, and an archive by its first header.
_HEAD = 4096


class ByteStream:
    """An object with ``read``, whatever it gives, as bytes."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._left = b""

    def read(self, size: int, /) -> bytes:
        chunk = self._left or self._next(size)
        self._left = chunk[size:]
        return chunk[:size]

    def _next(self, size: int) -> bytes:
        while True:
            chunk: object = self._stream.read(size)
            if chunk is None and hasattr(self._stream, "fileno"):  # nothing yet
                import select

                waiting: Any = self._stream
                select.select((waiting,), (), ())
                continue
            if isinstance(chunk, str):
                chunk = encode(chunk)
            if not isinstance(chunk, (bytes, bytearray)):
                raise TypeError(f"read() gave {type(chunk).__name__}, not bytes or str")
            return bytes(chunk)


class Peeked:
    """A stream whose first bytes were looked at."""

    def __init__(self, stream: Bytes) -> None:
        self._stream = stream
        head = b""
        while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
            head += chunk
        self.head = self._left = head

    def read(self, size: int, /) -> bytes:
        if self._left:
            chunk, self._left = self._left[:size], self._left[size:]
            return chunk
        return self._stream.read(size)
