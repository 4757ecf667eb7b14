"""Times as logs print them, in order."""

from __future__ import annotations


def time_key(time: str) -> tuple[bool, str]:
    """Sorts times as printed; those without a year come after those with one.

    >>> time_key("2025-04-17T06:19:22.04Z")
    (False, '2025-04-17 06:19:22.04Z')
    >>> time_key("1129 16:39:41.576")
    (True, '1129 16:39:41.576')
    """
    dated = time[4:5] == "-" and time[7:8] == "-"
    return not dated, time.replace("T", " ").replace(",", ".") if dated else time


def is_later(time: str, than: str) -> bool:
    """As `time_key`, but that a time with a year stays the last one."""
    (undated, key), (than_undated, than_key) = time_key(time), time_key(than)
    if undated != than_undated:
        return than_undated
    return key > than_key
