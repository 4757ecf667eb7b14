"""The columns of the tables: python tests/tables_page.py > docs/tables.md"""

import sys
from typing import Any

import pyarrow

from pt2triage import _core
from pt2triage._tables import TABLES, core_schema, extra_columns
from pt2triage._types import ArrowTable

HEAD = """\
# Tables

Made by `python tests/tables_page.py > docs/tables.md` from the tables of fields in
`cpp/src/report/fields.h`; a test keeps it true. [queries.md](queries.md) asks
questions of them.

## In memory

Each table of a report (`findings`, `graph_breaks`, `recompiles`, `exceptions`,
`guard_failures`) has Arrow's PyCapsule interface. What reads Arrow takes it without a
copy, and pt2triage itself needs no Arrow library:

| reader | how |
| --- | --- |
| pyarrow 15 | `pyarrow.table(report.findings)` |
| polars 1.30 | `polars.DataFrame(report.findings)` |
| pandas 3 | `pandas.DataFrame.from_arrow(report.findings)` |
| older pandas | `report.findings.to_pandas()`: flat columns only |
| DuckDB | `findings = report.findings`, then `duckdb.sql("from findings")` |

Rows come in batches of 65,536, or fewer where they hold 64 MiB of text. Columns of few
words (`category`, `cause`, `severity`, `phase`, `compile_mode`, names of sources) are
dictionaries there; a reader that asks for plain text gets it.

## On disk

```console
$ pip install 'pt2triage[arrow]'
$ pt2triage scan --format parquet logs/ -o history
$ pt2triage scan --format parquet logs/ -o history --partition-by date
$ pt2triage scan --format arrow run.log -o findings.arrows  # one stream of findings
$ pt2triage scan --format arrow run.log | python ask.py
$ pt2triage scan --format arrow logs/ -o history/  # a folder of such streams
```

A folder has a folder for each table. Each scan adds one file to each of them,
`findings/part-20261129T101500Z-<16 hex digits>.parquet`, and with `--partition-by date`
`findings/date=2026-11-29/part-...`, where `date` is in the name of the folder only.

- A file has its name once it is whole, and never the name of another: any number of
  programs may append to one folder. Files of before are never touched. A program that
  is killed leaves a hidden `.part-....tmp` at most. The three files of a scan appear
  one after the other, `sources` last.
- Each source is scanned for itself: a finding of ten jobs is ten rows with one
  `fingerprint`, not one row with ten pieces of evidence. `findings.source` and
  `guard_failures.source_name` are the source of the first evidence, a `name` in
  `sources`. Only in a debug folder it is a file, `NAME!FILE`: join on
  `source = name OR starts_with(source, name || '!')` where there are such folders.
- A source that cannot be read has a row in `sources` with its `name` and `error`. One
  that cannot be read to its end has the other columns too.
- `--date 2026-11-20` says of which day the logs are, for those of before.
- In files every column may be null, and words are plain text. Files of several
  versions go together: `read_parquet(..., union_by_name = true)`. New columns come
  without notice; the number `pt2triage.tables` in the metadata of the schema rises when
  one changes its meaning or goes.
- Memory holds one group of rows (65,536, or 64 MiB), however many sources there are.
- Files are compressed with zstd. Rows scanned twice are there twice: take the last
  `scanned_at` of a source, or give each scan a folder of its own.

Nested values have the keys of [json.md](json.md), which says more about each of them.
Numbers are signed, so that differences work.
"""

TITLES = {
    "findings": "One row for each finding and source.",
    "guard_failures": """\
One row for each guard that failed, with its finding. The columns `fingerprint`,
`source_name` and `test_id` lead to the row in `findings`.""",
    "sources": """\
One row for each source, also for those without findings and those that cannot be read.
(In memory `report.sources` is a tuple.)""",
}


TRACE = """\
# Tables of traces

Of `pt2triage.read_trace()` ([trace.md](trace.md)), in memory only. Times are in
microseconds; lines count from 1, offsets are bytes of the decompressed source.
"""

TRACE_TITLES: dict[ArrowTable, str] = {
    "trace_processes": "One row for each process that wrote a trace.",
    "trace_compiles": """\
One row for each compile of each frame, all attempts together. The time of a phase
includes the phases within it: Dynamo > AOTAutograd > Inductor > code generation >
Triton (or the C++ compiler).""",
    "trace_graph_breaks": "One row for each graph break of a compile.",
    "trace_recompiles": "One row for each guard that failed before a recompile.",
    "trace_cache_events": "One row for each lookup in a compile cache.",
    "trace_metrics": """\
One row for each field of a `compilation_metrics` record that is not null.""",
    "trace_symbols": """\
One row for each symbol of a shape that was made, specialised or guarded on, and for
each fake kernel that is missing or wrong.""",
    "trace_collectives": "One row for each collective operation, in order.",
    "trace_artifacts": "One row for each record that is listed.",
    "trace_kinds": "One row for each name of a record.",
}


def row(name: str, kind: object, doc: str) -> str:
    text = str(kind).replace("item: ", "").replace("[day]", "")
    return f"| `{name}` | `{text}` | {doc.replace('|', chr(92) + '|')} |"


def render() -> str:
    parts = [HEAD]
    for table in TABLES:
        meaning = _core.arrow_columns(table)
        schema = core_schema(table)
        lines = [f"## `{table}`", "", TITLES[table], ""]
        lines += ["| column | type | meaning |", "| --- | --- | --- |"]
        lines += [row(field.name, field.type, meaning[field.name]) for field in schema]
        lines += ["", "In files only:", ""]
        lines += ["| column | type | meaning |", "| --- | --- | --- |"]
        lines += [row(name, *more) for name, more in extra_columns(table).items()]
        parts.append("\n".join([*lines, ""]))
    parts.append(TRACE)
    for table, title in TRACE_TITLES.items():
        meaning = _core.arrow_columns(table)
        schema = pyarrow.schema(_Schema(table))
        lines = [f"## `{table.removeprefix('trace_')}`", "", title, ""]
        lines += ["| column | type | meaning |", "| --- | --- | --- |"]
        lines += [
            row(field.name, plain(field), meaning[field.name]) for field in schema
        ]
        parts.append("\n".join([*lines, ""]))
    return "\n".join(parts)


class _Schema:
    """What hands the columns of a table to pyarrow."""

    def __init__(self, table: ArrowTable) -> None:
        self._table = table

    def __arrow_c_schema__(self) -> object:
        return _core.arrow_schema(self._table)


def plain(field: Any) -> object:
    """The type of a column, words as the text that they are."""
    kind = field.type
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


if __name__ == "__main__":
    sys.stdout.write(render())
