"""The confidential twin of the tables of a trace.

What records carry (graphs, generated code) is code throughout: a confidential trace
gives none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pt2triage import _core
from pt2triage._confidential._cleaner import Cleaner
from pt2triage._confidential._paths import file_name
from pt2triage._confidential._report import applied, changed, cleaned, frame, has

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATHS = ("file", "fail_file", "source", "user_code")
# Values that are stacks, or hold a program in another way.
_LEFT_OUT = ("stack_trace", "exception_stack_trace", "recompile_user_contexts")


class Tables:
    """Tables whose rows are clean, with the methods of the core's."""

    def __init__(self, tables: _core.TraceTables) -> None:
        self._tables = tables
        self._cleaner = Cleaner()

    @property
    def omitted(self) -> int:
        return self._tables.omitted

    def counts(self) -> dict[str, int]:
        return self._tables.counts()

    def rows(self, table: str) -> Sequence[Any]:
        rows = self._tables.rows(table)
        if table == "metrics":
            rows = tuple(row for row in rows if row.field not in _LEFT_OUT)
        return tuple(self._clean(row, table) for row in rows)

    def _clean(self, row: Any, table: str) -> Any:
        kind: Any = type(row)
        state = row.__getstate__()
        # `source` is a file of a process, and an expression elsewhere.
        paths = [
            name
            for name in _PATHS
            if has(kind, name) and (name != "source" or table == "processes")
        ]
        stack = has(kind, "stack")
        changes: dict[str, Any] = dict.fromkeys(
            paths,
            lambda path: applied(lambda name: self._cleaner(file_name(name)), path),
        )
        if stack:
            changes["stack"] = lambda frames: tuple(
                frame(one, self._cleaner) for one in frames
            )
        if has(kind, "code"):
            changes["code"] = lambda _: b""
        own = {has(kind, name) - 1 for name in changes}
        state = cleaned(state, self._cleaner, skip=own)
        made = kind.__new__(kind)
        made.__setstate__(changed(kind, state, **changes))
        return made

    def _path(self, path: bytes) -> bytes:
        return applied(lambda name: self._cleaner(file_name(name)), path)
