"""Report: what a scan returns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import pandas

    from pt2triage import _core
    from pt2triage._table import Table
    from pt2triage._traces.trace import Trace
    from pt2triage._types import Category
    from pt2triage.plot import ReportPlots


class Report:
    """What failed, most important first, and what was read.

    Reports are equal when their JSON is, and can be pickled.

    >>> from pt2triage import scan_lines
    >>> scan_lines([])
    <Report nothing failed, 1 source>
    """

    __slots__ = (
        "__weakref__",
        "_core",
        "_findings",
        "_is_confidential",
        "_read",
        "_trace",
    )

    def __init__(
        self,
        core: _core.Report,
        is_confidential: bool = False,
        read: _core.Report | None = None,
    ) -> None:
        self._core = core
        self._is_confidential = is_confidential
        # Of a confidential report the one that it was made of, for its sources only.
        # It goes nowhere, not even into a pickle.
        self._read = core if read is None else read
        self._findings: tuple[_core.Finding, ...] | None = None
        # Reads the trace that it was made of, where that is no file; goes nowhere.
        self._trace: Callable[[], Trace] | None = None

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
        return self._table("findings")

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
        from pt2triage._table import Table, guard_record

        rows: list[_core.GuardFailure] = []
        places: list[tuple[_core.Finding, int]] = []
        for finding in self._rows():
            guards = finding.guard_failures
            rows += guards
            places += [(finding, index) for index in range(len(guards))]
        return Table("guard_failures", rows, guard_record, places)

    @property
    def plot(self) -> ReportPlots:
        """Plots of what is in the report; they need matplotlib."""
        from pt2triage.plot import ReportPlots

        return ReportPlots(self)

    def only(self, *categories: Category) -> Report:
        """The report with the findings of these categories only.

        Counts and sources stay; the others are counted in
        ``omitted_findings``.
        """
        only = self._core.only(set(categories))
        return Report(only, self._is_confidential, self._read)

    def confidential(self) -> Report:
        """The report without code, without folders of paths, and with secrets masked.

        Fingerprints, counts and line numbers stay, and all that is made of it says that
        it is confidential. docs/confidential.md has the rules.

        >>> import pt2triage
        >>> log = b"torch._dynamo.exc.RecompileError: Recompiling f in /home/me/a.py:3"
        >>> pt2triage.scan(log).confidential().findings[0].message
        'Recompiling f in a.py:3'
        """
        if self._is_confidential:
            return self
        from pt2triage._confidential._report import twin

        return Report(twin(self._core), True, self._core)

    @property
    def is_confidential(self) -> bool:
        """Whether it is what `confidential` gives."""
        return self._is_confidential

    def to_json(self, indent: int = 2) -> str:
        """The report as one JSON document; `indent` 0 gives one line."""
        text = self._core.to_json(indent)
        return _marked(text) if self._is_confidential else text

    def write_json(self, write: Callable[[bytes], object], indent: int = 2) -> None:
        """Hands the JSON document to `write`, piece by piece, as UTF-8.

        >>> import io, pt2triage
        >>> file = io.BytesIO()
        >>> report = pt2triage.scan(b"")
        >>> report.write_json(file.write)
        >>> file.getvalue().decode() == report.to_json()
        True
        """
        if not self._is_confidential:
            self._core.write_json(write, indent)
            return
        marked = False

        def write_marked(piece: bytes) -> None:
            nonlocal marked
            if not marked:  # a piece may end within a character
                text = _marked(piece.decode("utf-8", "surrogateescape"))
                piece = text.encode("utf-8", "surrogateescape")
                marked = True
            write(piece)

        self._core.write_json(write_marked, indent)

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

    def to_html(self) -> str:
        """A page that needs nothing else, as ``--format html`` writes it."""
        from pt2triage.report.page import render_page

        return render_page(self)

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
        self, name: str, wanted: Callable[[_core.Finding], bool] | None = None
    ) -> Table[_core.Finding]:
        from pt2triage._table import Table, finding_record

        return Table(name, tuple(filter(wanted, self._rows())), finding_record)

    def _rows(self) -> tuple[_core.Finding, ...]:
        """The findings, made into Python objects when first asked for."""
        if self._findings is None:
            self._findings = self._core.findings
        return self._findings

    def __reduce__(self) -> tuple[type[Report], tuple[_core.Report, bool]]:
        return Report, (self._core, self._is_confidential)


def _marked(text: str) -> str:
    """A document, or the beginning of one, that says that it is confidential.

    It stays what begins as a report of ours does, which is known by its first keys.
    """
    head, version, rest = text.partition('"schema_version"')
    number, comma, rest = rest.partition(",")
    gap = head.removeprefix("{")
    colon = ": " if number.startswith(": ") else ":"
    return f'{head}{version}{number}{comma}{gap}"confidential"{colon}true,{rest}'
