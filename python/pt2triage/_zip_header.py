"""What stands before each member of a zip archive."""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage._sections import Forward

_HEADER = struct.Struct("<5H3L2H")
_SIZE_FOLLOWS, _UTF8 = 8, 1 << 11
_UNKNOWN = 0xFFFFFFFF


class ZipDamaged(Exception):
    """The archive cannot be read on from here: a word and a sentence."""


class ZipHeader:
    """What stands before a member."""

    def __init__(self, stream: Forward) -> None:
        fields = stream.exactly(_HEADER.size)
        if len(fields) < _HEADER.size:
            raise ZipDamaged("cut", "it ends in a header, cut off: fetch it again")
        _, self.flags, self.method, _, _, self.crc, packed, size, length, extra = (
            _HEADER.unpack(fields)
        )
        name = stream.exactly(length)
        more = stream.exactly(extra)
        if len(name) < length or len(more) < extra:
            raise ZipDamaged("cut", "it ends in a header, cut off: fetch it again")
        self.name = name.decode(
            "utf-8" if self.flags & _UTF8 else "cp437", "surrogateescape"
        )
        self.packed_size = _wide_size(more, size) if packed == _UNKNOWN else packed
        self.follows = bool(self.flags & _SIZE_FOLLOWS) and not self.packed_size


def _wide_size(extra: bytes, size: int) -> int:
    """The packed size in the field for large members."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        at = 4 + (8 if size == _UNKNOWN else 0)
        if kind == 1 and len(extra) >= at + 8:
            return int(struct.unpack_from("<Q", extra, at)[0])
        extra = extra[4 + length :]
    return _UNKNOWN
