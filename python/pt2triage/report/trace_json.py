"""A trace as one JSON document, table by table."""

from __future__ import annotations

import json

from pt2triage import _core
from pt2triage.report.top_json import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from pt2triage._errors import OpenError
    from pt2triage._table import Table
    from pt2triage._traces.trace import Trace

    T = TypeVar("T")

SCHEMA_VERSION = 1

# The tables that stand for each section of the text.
_TABLES = {
    "compiles": ("compiles",),
    "breaks": ("graph_breaks",),
    "recompiles": ("recompiles",),
    "cache": ("cache_events",),
    "time": ("metrics",),
    "symbols": ("symbols",),
    "ranks": ("collectives",),
    "artifacts": ("kinds", "artifacts"),
}
# What is told where nothing was asked for; metrics and records are long.
_USUAL = ("compiles", "breaks", "recompiles", "cache", "symbols")


def write_trace(
    trace: Trace,
    write: Callable[[bytes], object],
    sections: Sequence[str] | None = None,
    limit: int | None = None,
    unread: Sequence[OpenError] = (),
) -> None:
    """Hands the document to `write`, piece by piece, as UTF-8. Ranks are compared where
    that is asked for; sources `unread` are no data then."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pt2triage", "version": _core.__version__},
        **marks(trace.is_confidential),
        "omitted": trace.omitted,
    }
    write(json.dumps(head)[:-1].encode())
    _write_table(trace.processes, write, None)
    for section in sections or _USUAL:
        for name in _TABLES[section]:
            _write_table(getattr(trace, name), write, limit)
        if section == "ranks" and not trace.is_confidential:
            from pt2triage._traces.ranks import compare_ranks

            compared = compare_ranks(trace, unread=unread).to_dict()
            write(b',\n"ranks": ' + json.dumps(compared).encode())
    write(b"\n}\n")


def _write_table(
    table: Table[T], write: Callable[[bytes], object], limit: int | None
) -> None:
    write(f',\n"{table.name}": ['.encode())
    between = b"\n"
    for row in table[:limit]:
        write(between + json.dumps(_plain(table.to_dict(row))).encode())
        between = b",\n"
    write(b"\n]")


def _plain(value: object) -> object:
    """What JSON has a form for; structs become objects."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        items: Iterable[object] = value
        return [_plain(item) for item in items]
    if isinstance(value, _core.StackFrame):
        return {
            "file": value.file,
            "line": value.line,
            "function": value.function,
            "code": value.code,
        }
    return value
