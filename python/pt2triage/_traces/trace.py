"""Trace: the tables of structured traces (``TORCH_TRACE``)."""

from __future__ import annotations

from typing import cast

from pt2triage import _core
from pt2triage._report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from typing import Literal, TypeAlias, TypeVar

    from pt2triage._confidential._trace import Tables
    from pt2triage._limits import Limits
    from pt2triage._outcome import Outcome
    from pt2triage._scan import PathInput
    from pt2triage._table import Table
    from pt2triage._traces.records import Record
    from pt2triage._types import ArrowTable, Progress
    from pt2triage.plot import CompilePlots

    T = TypeVar("T")
    TableName: TypeAlias = Literal[
        "processes",
        "compiles",
        "graph_breaks",
        "recompiles",
        "cache_events",
        "metrics",
        "symbols",
        "collectives",
        "artifacts",
        "kinds",
    ]


class Trace:
    """What the traces of one run say, as tables.

    Rows are of a process and, most of them, of a compile: ``process`` is the place
    in ``processes``, ``compile_id`` is as PyTorch prints it, without the attempt.
    Times are in microseconds. docs/tables.md names all columns.

    >>> trace = read_trace(b"")
    >>> len(trace.compiles)
    0
    """

    __slots__ = ("_rows", "_source", "_tables", "report")

    def __init__(
        self,
        tables: _core.TraceTables | Tables,
        report: Report,
        source: Sequence[str] | bytes | None,
    ) -> None:
        self._tables = tables
        self._source = source
        self._rows: dict[str, Table[object]] = {}
        #: What a scan of the same sources says.
        self.report = report

    @property
    def processes(self) -> Table[_core.TraceProcess]:
        """The processes, or ranks, and what each of them did."""
        return self._table("processes")

    @property
    def compiles(self) -> Table[_core.Compile]:
        """Every compile of every frame, in the order in which they began."""
        return self._table("compiles")

    @property
    def graph_breaks(self) -> Table[_core.TraceBreak]:
        """The graph breaks, equal ones of one compile as one row."""
        return self._table("graph_breaks")

    @property
    def recompiles(self) -> Table[_core.TraceRecompile]:
        """The guards that failed, in order."""
        return self._table("recompiles")

    @property
    def cache_events(self) -> Table[_core.CacheEvent]:
        """The lookups in compile caches."""
        return self._table("cache_events")

    @property
    def metrics(self) -> Table[_core.Metric]:
        """Every field of every ``compilation_metrics`` record that is not null."""
        return self._table("metrics")

    @property
    def symbols(self) -> Table[_core.Symbol]:
        """Symbols of shapes: made, specialised, guarded on; missing fake kernels."""
        return self._table("symbols")

    @property
    def collectives(self) -> Table[_core.Collective]:
        """The collective operations of compiled graphs, in their order."""
        return self._table("collectives")

    @property
    def artifacts(self) -> Table[_core.TraceRecord]:
        """The records, with the size and the checksum of their payload; those that
        are too many (chromium events, descriptions of tensors) only in `kinds`."""
        return self._table("artifacts")

    @property
    def kinds(self) -> Table[_core.TraceKind]:
        """How many records of each name there are, unknown ones too."""
        return self._table("kinds")

    @property
    def source(self) -> Sequence[str] | bytes | None:
        """Where it was read from: paths or content; None for a stream."""
        return self._source

    @property
    def omitted(self) -> int:
        """Number of rows that are not in the tables, since they were too many."""
        return self._tables.omitted

    def records(self, *names: str, compile_id: str | None = None) -> Generator[Record]:
        """Reads the sources again, for the records and what they carry.

        Args:
            names: Of records or artifacts, for example ``inductor_output_code``;
                none for all.
            compile_id: Only those of this compile, ``0/1``.

        Raises:
            ValueError: The trace was read from a stream, which is gone.
            OpenError: A source cannot be read any more.
        """
        from pt2triage._traces.records import read_records

        if self._source is None:
            raise ValueError(
                "it was read from a stream, or it is confidential: give read_trace() "
                "a path"
            )
        for record in read_records(self._source, names):
            if compile_id is None or record.compile_id == compile_id:
                yield record

    def confidential(self) -> Trace:
        """The trace without code, folders and secrets; it gives no records."""
        from pt2triage._confidential._trace import Tables

        if self.is_confidential:
            return self
        tables = cast("_core.TraceTables", self._tables)
        return Trace(Tables(tables), self.report.confidential(), None)

    @property
    def is_confidential(self) -> bool:
        return self.report.is_confidential

    @property
    def plot(self) -> CompilePlots:
        """Plots of the compiles; they need matplotlib."""
        from pt2triage.plot import CompilePlots
        from pt2triage.plot._source import rows_of

        return CompilePlots(rows_of(self))

    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        return self._tables.counts()

    def __repr__(self) -> str:
        processes = list(self.processes)
        recompiles = sum(process.recompiles for process in processes)
        breaks = sum(process.graph_breaks for process in processes)
        return (
            f"<Trace of {len(processes)} processes: {self.counts()['compiles']} "
            f"compiles, {breaks} graph breaks, {recompiles} recompiles>"
        )

    def _table(self, name: TableName) -> Table[T]:
        table = self._rows.get(name)
        if table is None:
            from pt2triage._table import Table, record_of

            arrow = cast("ArrowTable", f"trace_{name}")
            rows: Sequence[object] = self._tables.rows(name)
            table = Table(name, rows, record_of(arrow), arrow=arrow)
            self._rows[name] = table
        return table  # type: ignore[return-value]


def read_trace(
    x: PathInput | Sequence[PathInput] | bytes | bytearray | memoryview,
    *,
    verify: bool = False,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Trace:
    """Reads structured traces (``TORCH_TRACE``) into tables.

    Args:
        x: A path, or a list or tuple of paths: files, folders, archives, as `scan`
            takes them; or ``bytes`` for content. The files of all ranks of one run
            belong into one call.
        verify: Check the MD5 sums of payloads.
        jobs: Files to read at the same time; all cores if not given.
        limits: What compressed data may become (`pt2triage.Limits`).
        progress: Called with the bytes done and the bytes in all.

    Raises:
        OpenError: A path cannot be opened or read. It is an ``OSError`` too.
    """
    import os

    from pt2triage._inputs import find_inputs
    from pt2triage._outcomes import scan_inputs
    from pt2triage._scan import path_names

    if isinstance(x, (bytes, bytearray, memoryview)):
        scanner = _core.Scanner("<bytes>", verify, tables=True)
        scanner.feed(x)
        return trace_of_results([scanner.finish()], bytes(x))
    if isinstance(x, (str, os.PathLike)):
        x = [x]
    names = path_names(x)
    inputs = find_inputs(names)
    if inputs.errors:
        raise inputs.errors[0]
    outcomes = scan_inputs(
        inputs,
        verify=verify,
        jobs=jobs,
        limits=limits,
        progress=progress,
        tables=True,
    )
    return trace_of(outcomes, names)


def trace_of(outcomes: Iterable[Outcome], source: Sequence[str] | None) -> Trace:
    """The trace of all outcomes."""
    results: list[_core.Result] = []
    for outcome in outcomes:
        if outcome.result is not None:
            results.append(outcome.result)
        elif outcome.error is not None:
            raise outcome.error
    return trace_of_results(results, source)


def trace_of_results(
    results: list[_core.Result], source: Sequence[str] | bytes | None
) -> Trace:
    """The trace of what sources gave, with their report."""
    tables = _core.merge_traces(results)
    return Trace(tables, Report(_core.make_report(results)), source)
