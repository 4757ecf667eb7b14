"""Parts of streams: the members of archives that are read front to back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage._streams import Bytes, Decoded, Problem

_SKIP = 1 << 18


class Forward:
    """A stream that knows where it is, and takes bytes back."""

    def __init__(self, stream: Bytes) -> None:
        self._stream = stream
        self._back = b""
        self._at = 0

    def tell(self) -> int:
        return self._at

    def read(self, size: int, /) -> bytes:
        if self._back:
            chunk, self._back = self._back[:size], self._back[size:]
        elif size == 0:
            return b""
        else:
            chunk = self._stream.read(size)
        self._at += len(chunk)
        return chunk

    def exactly(self, size: int) -> bytes:
        """As many bytes; fewer only at the end."""
        data = self.read(size)
        while len(data) < size and (more := self.read(size - len(data))):
            data += more
        return data

    def give_back(self, data: bytes) -> None:
        self._back = data + self._back
        self._at -= len(data)

    def skip(self, size: int) -> None:
        while size > 0 and (chunk := self.read(min(size, _SKIP))):
            size -= len(chunk)


class Section:
    """The next `size` bytes of a stream.

    Attributes:
        problem: Why it ends early, once it has.
        warning: Always empty.
    """

    def __init__(self, stream: Forward, size: int, layers: list[Decoded]) -> None:
        self._stream = stream
        self._layers = layers
        self.left = size
        self.problem: Problem | None = None
        self.warning = ""

    def read(self, size: int, /) -> bytes:
        if self.left <= 0 or size <= 0:  # nothing asked for is no end
            return b""
        chunk = self._stream.read(min(size, self.left))
        self.left -= len(chunk)
        if not chunk:
            self.left = 0
            self.problem = next((x.problem for x in self._layers if x.problem), None)
            if self.problem is None:
                at = self._stream.tell()
                self.problem = "cut", f"the archive ends in it, at byte {at}"
        return chunk
