"""xz and bzip2, which Python's own modules decompress."""

from __future__ import annotations

import bz2
import lzma

from pt2triage import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage._limits import Limits
    from pt2triage._streams import Bytes, Problem

_PACKED = 1 << 16  # read at a time
_GIVEN = 1 << 16  # asked for at a time: an error takes along so much
# Memory that xz may take: xz -9 needs 65 MiB.
_XZ_MEMORY = 128 << 20
# Less never counts as a bomb.
_HARMLESS = 64 << 20


class Unpacked:
    """The decompressed bytes of a stream, one member after the other.

    Attributes:
        problem: Why it ends early, once it has.
        warning: What was odd, though all was read.
    """

    def __init__(self, stream: Bytes, codec: str, limits: Limits) -> None:
        self._stream = stream
        self._codec = codec
        self._limits = limits
        self._decoder = self._new_decoder()
        self._packed = b""  # read, but not yet decoded
        self._taken = 0
        self._given = 0
        self._done = False
        self.problem: Problem | None = None
        self.warning = ""

    def read(self, size: int, /) -> bytes:
        pieces: list[bytes] = []
        have = 0
        while have < size and not self._done:
            piece = self._piece(min(size - have, _GIVEN))
            pieces.append(piece)
            have += len(piece)
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        """The next bytes; none where there is no more, or more must be read first."""
        decoder = self._decoder
        if decoder.eof:
            if not self._goes_on():
                self._done = True
            return b""
        data, self._packed = self._packed, b""
        if decoder.needs_input and not data:
            data = self._more()
            if not data:
                at = self._taken
                self._stop("cut", f"its {self._codec} data ends early, at byte {at}")
                return b""
        try:
            piece = decoder.decompress(data, size)
        except (lzma.LZMAError, OSError, EOFError, ValueError) as error:
            if "limit" in str(error):
                why = "it needs more than 128 MiB of memory; decompress it first"
                self._stop("unsupported", why)
            else:
                where = f"its {self._codec} data is damaged at byte {self._taken}"
                self._stop("damaged", f"{where} ({error})")
            return b""
        self._given += len(piece)
        self._check_limits()
        return piece

    def _more(self) -> bytes:
        data = self._stream.read(_PACKED)
        self._taken += len(data)
        return data

    def _goes_on(self) -> bool:
        """Behind the end of a member: whether another one follows."""
        left = self._decoder.unused_data
        while len(left) < 16 and (more := self._more()):
            left += more
        padding = 0
        while left and not left.strip(b"\0"):  # what fills blocks
            padding += len(left)
            left = self._more()
        if self._codec == "xz" and left[:1] == b"\0":
            left = left.lstrip(b"\0")
        if not left:
            return False
        if _core.sniff_codec(left[:512].ljust(16, b"\0")) == self._codec:
            self._decoder, self._packed = self._new_decoder(), left
            return True
        start = self._taken - len(left)
        while more := self._more():
            pass
        self.warning = (
            f"{self._taken - start} bytes behind the end of the {self._codec} data, "
            f"from its byte {start} on"
        )
        return False

    def _new_decoder(self) -> lzma.LZMADecompressor | bz2.BZ2Decompressor:
        if self._codec == "xz":
            return lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
        return bz2.BZ2Decompressor()

    def _check_limits(self) -> None:
        limits = self._limits
        ratio = self._given // max(self._taken, 1)
        if self._given > _HARMLESS and ratio > limits.max_ratio:
            why = (
                f"it becomes more than {limits.max_ratio} times as large when it is "
                "decompressed; --max-ratio allows more"
            )
        elif self._given > limits.max_archive_bytes:
            why = (
                f"more than {limits.max_archive_bytes} bytes come out of it; "
                "--max-archive-bytes allows more"
            )
        else:
            return
        self._stop("limit", why)

    def _stop(self, word: str, why: str) -> None:
        self._done = True
        self.problem = word, why
