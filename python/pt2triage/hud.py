"""The verdicts that PyTorch's HUD keeps of CI jobs, and ours in the same shape.

Its log classifier names one line of each failed job:
``Tuple(captures Array(String), context Array(String), job_id Int64, line String,
line_num Int64, rule String)``. `load_hud` reads such rows and says what we make of
the line, `to_hud` gives findings that shape. docs/queries.md joins both.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._scan import scan_lines
from pt2triage._table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pt2triage import Finding
    from pt2triage._types import Category

# In the order of the tuple.
COLUMNS = ("captures", "context", "job_id", "line", "line_num", "rule")

# The column of HUD's table of jobs that holds the tuple.
_COLUMN = "torchci_classification"

# Logs are stored by the number of their job: `log/67890123456`, `67890123456.gz`.
_JOB = re.compile(r"(\d{6,})(?:\.\w+)*$")

# What reading a row of another shape may raise.
_WRONG = (
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    SyntaxError,
    RecursionError,
)


class HudVerdict(NamedTuple):
    """What the log classifier says of a job, and what we say of its line.

    Attributes:
        rule: Name of the rule that matched; empty if none did.
        line: The line, without its time.
        line_num: Its number, counted from 1.
        captures: What the rule took out of the line.
        context: Lines above it that began with ``+``: the shell's own trace.
        job_id: Number of the job.
        category: Our category for context, line and captures; None if nothing in
            them is a failure that we know.
        cause: The cause in that category.
        fingerprint: Of the finding. It has less to go by than a whole log.
    """

    rule: str
    line: str
    line_num: int
    captures: tuple[str, ...]
    context: tuple[str, ...]
    job_id: int
    category: Category | None
    cause: str | None
    fingerprint: str | None


class HudTable(Table[HudVerdict]):
    """Verdicts as a table; Arrow needs pyarrow here."""

    __slots__ = ()

    def __arrow_c_schema__(self) -> object:
        return self._arrow().schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._arrow().__arrow_c_stream__(requested_schema)

    def _arrow(self) -> Any:
        import pyarrow as pa

        kinds: dict[str, Any] = dict.fromkeys(HudVerdict._fields, pa.string())
        kinds |= {"line_num": pa.int64(), "job_id": pa.int64()}
        kinds |= dict.fromkeys(("captures", "context"), pa.list_(pa.string()))
        return pa.Table.from_pylist(self.to_dicts(), schema=pa.schema(kinds))


def load_hud(
    rows: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
) -> HudTable:
    """Reads verdicts of the log classifier.

    Args:
        rows: Dicts with the names of the tuple; or a file of them: JSON, JSON
            lines, CSV with names, or Parquet (which needs pyarrow), told by its
            content. The tuple may be in a column ``torchci_classification``.

    Raises:
        ValueError: A row does not have this shape.

    >>> row = {"rule": "Python error", "line_num": 9, "job_id": 7, "captures": []}
    >>> row["line"] = "torch._dynamo.exc.RecompileError: Recompiling function f"
    >>> load_hud([row | {"context": []}])[0].category
    'recompilation'
    """
    if isinstance(rows, (str, os.PathLike)):
        rows = _read(rows)
    verdicts = [_verdict(number, row) for number, row in enumerate(rows, 1)]
    return HudTable("hud", verdicts, _record)


def to_hud(
    findings: Iterable[Finding], job_id: int | None = None
) -> list[dict[str, Any]]:
    """Findings in the shape of the log classifier's tuple, one dict for each.

    ``rule`` is category and cause, and the one capture is the fingerprint, so that
    equal failures of two jobs have equal captures, which is what HUD compares.
    ``context`` holds the test, if there is one.

    Args:
        findings: For example ``report.findings``.
        job_id: The job; if not given, the number that the name of the source ends
            with, or 0.
    """
    return [_tuple_of(finding, job_id) for finding in findings]


def _record(verdict: HudVerdict) -> dict[str, object]:
    return verdict._asdict()


def _tuple_of(finding: Finding, job_id: int | None) -> dict[str, Any]:
    text = (finding.message or finding.reason or finding.cause).split("\n", 1)[0]
    place = finding.evidence[0] if finding.evidence else None
    if job_id is None:
        match = _JOB.search(place.source) if place else None
        job_id = int(match[1]) if match else 0
    return {
        "captures": [finding.fingerprint],
        "context": [finding.test_id] if finding.test_id else [],
        "job_id": job_id,
        "line": f"{finding.exception}: {text}" if finding.exception else text,
        "line_num": place.line if place else 0,
        "rule": f"{finding.category}/{finding.cause}",
    }


def _verdict(number: int, row: Mapping[str, Any]) -> HudVerdict:
    try:
        values = row.get(_COLUMN, row)
        if not hasattr(values, "keys"):  # the tuple without names
            values = dict(zip(COLUMNS, values, strict=True))
        captures, context = _texts(values["captures"]), _texts(values["context"])
        line, rule = str(values["line"]), str(values["rule"])
        line_num, job_id = int(values["line_num"]), int(values["job_id"])
    except _WRONG as error:
        raise ValueError(
            f"row {number} is no verdict of HUD with {', '.join(COLUMNS)}: {error!r}"
        ) from error
    more = [capture for capture in captures if capture not in line]
    findings = scan_lines([*context, line, *more], name=f"job {job_id}").findings
    ours = findings[0] if findings else None
    return HudVerdict(
        rule,
        line,
        line_num,
        captures,
        context,
        job_id,
        ours and ours.category,
        ours and ours.cause,
        ours and ours.fingerprint,
    )


def _texts(value: object) -> tuple[str, ...]:
    """An array of strings; in CSV it is written as JSON or as ClickHouse does."""
    if isinstance(value, str):
        value = _array(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r} is no array")
    return tuple(map(str, value))


def _array(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        import ast

        return ast.literal_eval(text)  # ['it\'s', 'so']


def _read(path: str | os.PathLike[str]) -> list[Mapping[str, Any]]:
    with open(path, "rb") as file:
        head = file.read(4)
    if head == b"PAR1":
        import pyarrow.parquet

        rows: list[Mapping[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        text = file.read()
    if not text.lstrip().startswith(("[", "{")):
        import csv
        import io

        return list(csv.DictReader(io.StringIO(text)))
    try:
        document = json.loads(text)
    except ValueError:  # JSON lines
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(document, dict):  # one row, or ClickHouse's form with `meta`
        document = document.get("data", [document])
    return list(document)
