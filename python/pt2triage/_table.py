"""Table: a part of a report, and the columns of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast, overload

from pt2triage import _core

if TYPE_CHECKING:
    import pandas

    from pt2triage._types import ArrowTable

T = TypeVar("T")

# Where a row that is no finding is from: the finding, and its index in that.
Place: TypeAlias = tuple[_core.Finding, int]

Record = dict[str, object]


class Table(Generic[T]):
    """A part of a report: a sequence of rows that is a table too.

    It has the methods of a sequence, but is no ``collections.abc.Sequence``, which
    polars would take for a list of objects before it asks for Arrow.

    Arrow's PyCapsule interface hands it to what reads Arrow, without a copy and
    with all columns of docs/tables.md: ``pyarrow.table(t)``, ``polars.DataFrame(t)``,
    ``pandas.DataFrame.from_arrow(t)``, or ``from t`` in DuckDB.

    Attributes:
        name: What the rows are, for example ``findings``.
    """

    __slots__ = ("_core_table", "_places", "_record", "_rows", "name")

    def __init__(
        self,
        name: str,
        rows: Sequence[T],
        record: Callable[[T], Record],
        places: Sequence[Place] | None = None,
        arrow: ArrowTable | None = None,
    ) -> None:
        self.name = name
        self._core_table = arrow
        self._rows = tuple(rows)
        self._record = record
        self._places = None if places is None else tuple(places)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Table[T]: ...
    def __getitem__(self, index: int | slice) -> T | Table[T]:
        if isinstance(index, slice):
            places = None if self._places is None else self._places[index]
            rows = self._rows[index]
            return Table(self.name, rows, self._record, places, self._core_table)
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._rows)

    def __contains__(self, row: object) -> bool:
        return row in self._rows

    def index(self, row: T) -> int:
        """The place of the first row that equals `row`."""
        return self._rows.index(row)

    def count(self, row: T) -> int:
        """The number of rows that equal `row`."""
        return self._rows.count(row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        table = cast("Table[object]", other)
        return self.name == table.name and self._rows == table._rows

    def __hash__(self) -> int:
        return hash((self.name, self._rows))

    def __repr__(self) -> str:
        lines = [f"<{self.name}: {len(self)}>"]
        lines += [f"  {row!r}" for row in self._rows[:_REPR_ROWS]]
        if len(self) > _REPR_ROWS:
            lines.append(f"  ... {len(self) - _REPR_ROWS} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from pt2triage.report.html import MAX_ROWS, table_html

        return table_html(self.name, self[:MAX_ROWS].to_dicts(), len(self))

    def __arrow_c_schema__(self) -> object:
        """The columns, as a capsule of an Arrow C schema."""
        return _core.arrow_schema(self._kind)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as a capsule of an Arrow C stream.

        Args:
            requested_schema: A capsule of the schema that the reader would like:
                columns of few words can be had as plain text. Other wishes are not
                followed, as the interface allows.

        Raises:
            ValueError: `requested_schema` has other columns.
        """
        rows = self._rows if self._places is None else self._places
        return _core.arrow_stream(self._kind, rows, requested_schema)

    @property
    def _kind(self) -> ArrowTable:
        if self._core_table is not None:
            return self._core_table
        return "findings" if self._places is None else "guard_failures"

    def to_dicts(self) -> list[Record]:
        """The rows as flat dicts, one key a column."""
        return [self._record(row) for row in self._rows]

    def to_dict(self, row: T) -> Record:
        """One row as a flat dict, one key a column."""
        return self._record(row)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas ``DataFrame``.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise
            raise ModuleNotFoundError(
                "to_pandas() needs pandas: pip install pandas", name="pandas"
            ) from None
        if self._rows:
            columns = None
        elif self._core_table is not None:
            columns = list(_core.arrow_columns(self._core_table))
        else:
            columns = _columns_of(self.name)
        return pandas.DataFrame(self.to_dicts(), columns=columns).convert_dtypes()


_REPR_ROWS = 10

_FINDING_COLUMNS = (
    "fingerprint",
    "category",
    "cause",
    "severity",
    "phase",
    "compile_mode",
    "count",
    "exception",
    "message",
    "reason",
    "explanation",
    "graph_break_id",
    "user_file",
    "user_line",
    "user_function",
    "compile_id",
    "ranks",
    "backend",
    "test_id",
    "flaky",
    "job",
    "step",
    "attempt",
    "first_time",
    "last_time",
    "next_command",
    "source",
    "line",
)
_GUARD_COLUMNS = (
    "compile_id",
    "guard",
    "cause",
    "source",
    "expected",
    "actual",
    "user_code",
)


def _columns_of(name: str) -> list[str]:
    if name == "clusters":
        from pt2triage._cluster_rows import CLUSTER_COLUMNS

        return list(CLUSTER_COLUMNS)
    return list(_GUARD_COLUMNS if name == "guard_failures" else _FINDING_COLUMNS)


def finding_record(finding: _core.Finding) -> Record:
    """One row: the user frame and the first evidence spread out."""
    frame = finding.user_frame
    place = finding.evidence[0] if finding.evidence else None
    spread: Record = {
        "user_file": frame and frame.file,
        "user_line": frame and frame.line,
        "user_function": frame and frame.function,
        "ranks": list(finding.ranks),
        "source": place and place.source,
        "line": place and place.line,
    }
    return {
        column: spread[column] if column in spread else getattr(finding, column)
        for column in _FINDING_COLUMNS
    }


def record_of(arrow: ArrowTable) -> Callable[[object], Record]:
    """What makes a dict of a row that has an attribute for each column."""
    columns = tuple(_core.arrow_columns(arrow))

    def record(row: object) -> Record:
        return {column: getattr(row, column) for column in columns}

    return record


def guard_record(guard: _core.GuardFailure) -> Record:
    """One row of the guard failures."""
    return {column: getattr(guard, column) for column in _GUARD_COLUMNS}
