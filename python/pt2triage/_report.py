"""Report: what a scan returns, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

if TYPE_CHECKING:
    import pandas

    from pt2triage import _core
    from pt2triage._types import Category

T = TypeVar("T")

Record = dict[str, object]


class Table(Sequence[T], Generic[T]):
    """A part of a report: a sequence of rows that is a table too.

    Attributes:
        name: What the rows are, for example ``findings``.
    """

    __slots__ = ("_record", "_rows", "name")

    def __init__(
        self, name: str, rows: Sequence[T], record: Callable[[T], Record]
    ) -> None:
        self.name = name
        self._rows = tuple(rows)
        self._record = record

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Table[T]: ...
    def __getitem__(self, index: int | slice) -> T | Table[T]:
        if isinstance(index, slice):
            return Table(self.name, self._rows[index], self._record)
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

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
        from pt2triage.report.html import table_html

        return table_html(self.name, self.to_dicts())

    def to_dicts(self) -> list[Record]:
        """The rows as flat dicts, one key a column."""
        return [self._record(row) for row in self._rows]

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
        columns = None if self._rows else _columns_of(self.name)
        return pandas.DataFrame(self.to_dicts(), columns=columns).convert_dtypes()


class Report:
    """What failed, most important first, and what was read.

    Reports are equal when their JSON is, and can be pickled.

    >>> from pt2triage import scan_lines
    >>> scan_lines([])
    <Report nothing failed, 1 source>
    """

    __slots__ = ("__weakref__", "_core", "_findings")

    def __init__(self, core: _core.Report) -> None:
        self._core = core
        self._findings: tuple[_core.Finding, ...] | None = None

    @property
    def category(self) -> Category | None:
        """Category of the failure to look at first; None if nothing failed."""
        return self._core.category

    @property
    def finding(self) -> str | None:
        """Fingerprint of the failure to look at first."""
        return self._core.finding

    @property
    def counts(self) -> _core.Counts:
        """How many events of each kind there were."""
        return self._core.counts

    @property
    def sources(self) -> tuple[_core.Source, ...]:
        """What was read."""
        return self._core.sources

    @property
    def diagnostics(self) -> tuple[_core.Diagnostic, ...]:
        """Places that could not be read, at most 1,000."""
        return self._core.diagnostics

    @property
    def omitted_findings(self) -> int:
        """Number of findings that are not listed."""
        return self._core.omitted_findings

    @property
    def findings(self) -> Table[_core.Finding]:
        """What is wrong, most important first."""
        return Table("findings", self._rows(), finding_record)

    @property
    def graph_breaks(self) -> Table[_core.Finding]:
        """The findings of category ``graph_break``."""
        return self._table("graph_breaks", lambda f: f.category == "graph_break")

    @property
    def recompiles(self) -> Table[_core.Finding]:
        """The findings of category ``recompilation``."""
        return self._table("recompiles", lambda f: f.category == "recompilation")

    @property
    def exceptions(self) -> Table[_core.Finding]:
        """The findings in which something was raised."""
        return self._table("exceptions", lambda f: f.exception is not None)

    @property
    def guard_failures(self) -> Table[_core.GuardFailure]:
        """Every guard that failed, of all findings."""
        rows = [guard for finding in self._rows() for guard in finding.guard_failures]
        return Table("guard_failures", rows, guard_record)

    def only(self, *categories: Category) -> Report:
        """The report with the findings of these categories only.

        Counts and sources stay; the others are counted in
        ``omitted_findings``.
        """
        return Report(self._core.only(set(categories)))

    def to_json(self, indent: int = 2) -> str:
        """The report as one JSON document; `indent` 0 gives one line."""
        return self._core.to_json(indent)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dicts and lists, of the shape of the JSON."""
        import json

        document: dict[str, Any] = json.loads(self.to_json(0))
        return document

    def to_text(self, width: int = 100) -> str:
        """The report as ``pt2triage scan`` prints it."""
        from pt2triage.report.text import render

        return render(self, width=width)

    def to_markdown(self) -> str:
        """A bug report of the first finding, as ``--format markdown`` prints it."""
        from pt2triage.report.markdown import render_markdown

        return render_markdown(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The findings as a pandas ``DataFrame``."""
        return self.findings.to_pandas()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Report):
            return NotImplemented
        return self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sources = len(self.sources)
        what = "nothing failed"
        if self.category is not None:
            findings = len(self._rows())
            what = f"{self.category}, {findings} finding{'s' * (findings != 1)}"
        return f"<Report {what}, {sources} source{'s' * (sources != 1)}>"

    def _repr_html_(self) -> str:
        from pt2triage.report.html import report_html

        return report_html(self)

    def _table(
        self, name: str, wanted: Callable[[_core.Finding], bool]
    ) -> Table[_core.Finding]:
        rows = [finding for finding in self._rows() if wanted(finding)]
        return Table(name, rows, finding_record)

    def _rows(self) -> tuple[_core.Finding, ...]:
        """The findings, made into Python objects when first asked for."""
        if self._findings is None:
            self._findings = self._core.findings
        return self._findings

    def __reduce__(self) -> tuple[type[Report], tuple[_core.Report]]:
        return Report, (self._core,)


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


def guard_record(guard: _core.GuardFailure) -> Record:
    """One row of the guard failures."""
    return {column: getattr(guard, column) for column in _GUARD_COLUMNS}
