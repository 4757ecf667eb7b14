"""The metrics of compiles, which wait in a file until their page is made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pt2triage.report.page_rows import cut
from pt2triage.report.trace_artifacts import escaped

if TYPE_CHECKING:
    from typing import BinaryIO

    from markupsafe import Markup

    from pt2triage._traces.records import Record
    from pt2triage.report.trace_artifacts import Key

_RECORD = "compilation_metrics"
# Records of a compile that are shown.
_MOST = 50


class Metrics:
    """Every field of the metrics of each compile."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # Name, number of fields, place and length of their text.
        self._of: dict[Key, list[tuple[str, int, int, int]]] = {}
        self._size = 0

    def add(self, record: Record) -> None:
        """Takes a record; others than metrics are passed over."""
        name = record.record
        if _RECORD not in name:
            return
        fields = record.metadata
        if not isinstance(fields, dict):
            return
        rows = self._of.setdefault((record.process, record.compile_id), [])
        if len(rows) >= _MOST:
            return
        told = {key: value for key, value in fields.items() if value is not None}
        text = "\n".join(f"{key}: {_plain(value)}" for key, value in told.items())
        data = text.encode("utf-8", "backslashreplace")
        rows.append((name, len(told), self._size, len(data)))
        self._size += self._file.write(data)

    def of(self, key: Key) -> list[tuple[str, int, Markup]]:
        """The name of each record, how many fields it has, and the fields as text."""
        found: list[tuple[str, int, Markup]] = []
        for name, number, place, length in self._of.get(key, ()):
            self._file.seek(place)
            found.append((name, number, escaped(self._file.read(length))))
        return found


def _plain(value: object) -> str:
    if isinstance(value, str):
        return cut(value)
    is_plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_plain else cut(json.dumps(value))
