"""Tables on disk: the rows of many reports, as docs/tables.md describes them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from pt2triage import __version__, _core
from pt2triage._clusters import COUNTS as COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from io import RawIOBase
    from typing import BinaryIO

    from pt2triage._report import Report
    from pt2triage._types import ArrowTable

TABLES: tuple[ArrowTable, ...] = ("findings", "guard_failures", "sources")

# Rows and bytes that are held before they are written as one group.
_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 64 << 20
# Rows, or reports, that become columns at the same time: each time costs a
# millisecond, and reports may be large.
_ROWS = 1 << 10
_REPORTS = 64

# The columns that only files have: type and meaning.
_OF_SCAN: dict[str, tuple[pa.DataType, str]] = {
    "date": (pa.date32(), "Day that the logs are of, as given; else of the scan, UTC."),
    "scanned_at": (pa.timestamp("us", "UTC"), "When the scan began."),
    "tool_version": (pa.string(), "Version of pt2triage."),
}
_OF_SOURCE: dict[str, tuple[pa.DataType, str]] = {
    "category": (pa.string(), "Of the failure to look at first; null if none."),
    "finding": (pa.string(), "Fingerprint of that failure."),
    "omitted_findings": (pa.int64(), "Findings that are not in the table."),
    **{name: (pa.int64(), f"`counts.{name}` of docs/json.md.") for name in COUNTS},
    "error": (pa.string(), "Why it cannot be read, or not to its end."),
}


class Stamp(NamedTuple):
    """What all rows of one scan have in common."""

    date: datetime.date
    scanned_at: datetime.datetime

    @classmethod
    def now(cls, date: datetime.date | None = None) -> Stamp:
        moment = datetime.datetime.now(datetime.UTC)
        return cls(date or moment.date(), moment)


class Rows:
    """Rows of the core, for what reads Arrow."""

    def __init__(self, table: ArrowTable, rows: Sequence[object]) -> None:
        self._table = table
        self._rows = rows

    def __arrow_c_schema__(self) -> object:
        return _core.arrow_schema(self._table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _core.arrow_stream(self._table, self._rows, requested_schema)


def core_schema(table: ArrowTable) -> pa.Schema:
    """The columns of the core, as they are in files.

    All may be null, so that files of several versions go together, and words are
    plain text: the files have their own dictionaries.
    """
    schema = pa.schema(Rows(table, ()))
    plain = [
        field.with_nullable(True).with_type(
            pa.string() if pa.types.is_dictionary(field.type) else field.type
        )
        for field in schema
    ]
    return pa.schema(plain, schema.metadata)


def extra_columns(table: ArrowTable) -> dict[str, tuple[pa.DataType, str]]:
    """Type and meaning of the columns that only files have."""
    return (_OF_SOURCE | _OF_SCAN) if table == "sources" else _OF_SCAN


def file_schema(table: ArrowTable, without: Iterable[str] = ()) -> pa.Schema:
    """The columns of a file of this table."""
    schema = core_schema(table)
    for name, (kind, _) in extra_columns(table).items():
        if name not in without:
            schema = schema.append(pa.field(name, kind))
    return schema


class TableFile:
    """One table that is being written, in groups of rows.

    Memory holds one group, however many reports there are.
    """

    def __init__(
        self,
        table: ArrowTable,
        file: BinaryIO | RawIOBase,
        form: str,
        stamp: Stamp,
        without: Iterable[str] = (),
        *,
        confidential: bool = False,
    ) -> None:
        """Begins the file.

        Args:
            table: Which one.
            file: Where it goes.
            form: ``parquet`` or ``arrow``, which is an IPC stream.
            stamp: Of the scan.
            without: Columns that the name of the folder has.
            confidential: What the file says of itself, as ``pt2triage.confidential`` in
                the metadata of its schema.
        """
        self._table = table
        self._schema = file_schema(table, without)
        if confidential:
            told = {b"pt2triage.confidential": b"true"}
            self._schema = self._schema.with_metadata(
                (self._schema.metadata or {}) | told
            )
        self._core = core_schema(table)
        self._stamp = {**stamp._asdict(), "tool_version": __version__}
        self._rows: list[object] = []
        self._values: list[dict[str, Any]] = []  # of each row, what only files have
        self._reports = 0
        self._held: list[pa.Table] = []
        self._writer = _open_writer(file, self._schema, form)

    def add(self, report: Report, error: str | None = None) -> None:
        """Adds the rows of a report of one source.

        Args:
            report: Of all that could be read.
            error: Why that is not all.
        """
        values = self._stamp
        before = len(self._rows)
        if self._table == "sources":
            self._rows += report.sources
            values = values | _summary(report)
            values["error"] = error and _readable(error)
        elif self._table == "findings":
            self._rows += report._core.findings
        else:
            self._rows += [
                (finding, index)
                for finding in report._core.findings
                for index in range(len(finding.guard_failures))
            ]
        self._values += [values] * (len(self._rows) - before)
        self._reports += 1
        if len(self._rows) >= _ROWS or self._reports >= _REPORTS:
            self._convert()

    def add_error(self, name: str, error: str) -> None:
        """Adds a source that cannot be read."""
        if self._table == "sources":
            self._convert()
            row = {**self._stamp, "name": _readable(name), "error": _readable(error)}
            self._hold(pa.Table.from_pylist([row], schema=self._schema))

    def close(self) -> None:
        """Writes what is held, and the end of the file."""
        self._convert()
        self._flush()
        self._writer.close()

    def abandon(self) -> None:
        """Lets go of a file that nobody will read."""
        self._writer.is_open = False  # that of Parquet ends its file when it is freed

    def _convert(self) -> None:
        """Makes columns of the rows, which lets go of their reports."""
        rows = Rows(self._table, self._rows)
        table = pa.RecordBatchReader.from_stream(rows, self._core).read_all()
        columns = table.columns
        for field in list(self._schema)[len(self._core) :]:
            values = [values.get(field.name) for values in self._values]
            columns.append(pa.array(values, field.type))
        self._rows, self._values, self._reports = [], [], 0
        self._hold(pa.Table.from_arrays(columns, schema=self._schema))

    def _hold(self, table: pa.Table) -> None:
        if len(table):
            self._held.append(table)
        rows = sum(len(held) for held in self._held)
        if rows >= _GROUP_ROWS or sum(t.nbytes for t in self._held) >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.concat_tables(self._held).combine_chunks())
            self._held = []


def _open_writer(file: BinaryIO | RawIOBase, schema: pa.Schema, form: str) -> Any:
    if form == "parquet":
        import pyarrow.parquet

        return pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    return pa.ipc.new_stream(file, schema, options=options)


def _summary(report: Report) -> dict[str, object]:
    """The columns of a source that are of its report."""
    return {
        "category": report.category,
        "finding": report.finding,
        "omitted_findings": report.omitted_findings,
        **{name: getattr(report.counts, name) for name in COUNTS},
    }


def _readable(text: str) -> str:
    """Without the surrogates of a name that is no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
