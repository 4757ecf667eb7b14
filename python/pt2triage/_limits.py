"""How far archives are unpacked: limits against archive bombs."""

from __future__ import annotations

from dataclasses import dataclass

from pt2triage import _core

_RATIO, _BYTES, _DEPTH = _core.LIMITS


@dataclass(frozen=True, slots=True)
class Limits:
    """What compressed inputs may become. Reading stops at a limit, and what was
    read until then is reported.

    Attributes:
        max_ratio: Times its own size that compressed data may become; counted only
            beyond 64 MiB.
        max_archive_bytes: Bytes that may come out of one input in all.
        max_members: Members of one input, with those of archives in it.
        max_depth: Archives and compressions in each other: 2 allows a ``.gz`` in a
            ``.zip``; a compressed tar counts as one.
    """

    max_ratio: int = _RATIO
    max_archive_bytes: int = _BYTES
    max_members: int = 100_000
    max_depth: int = _DEPTH

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value < 1 << 63:
                raise ValueError(f"{name} must be a number of 1 or more, not {value!r}")
        if self.max_depth >= 1 << 31:
            raise ValueError("max_depth is too large")

    @property
    def of_core(self) -> tuple[int, int, int]:
        """As the core takes them."""
        return self.max_ratio, self.max_archive_bytes, self.max_depth
