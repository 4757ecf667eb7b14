"""``pt2triage scan``: says what failed in logs and traces."""

from __future__ import annotations

from pt2triage import CATEGORIES, _core
from pt2triage._errors import OpenError
from pt2triage._outcome import packed_error
from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import (
    INPUT_OPTIONS,
    READING_OPTIONS,
    UsageError,
    check_inputs,
)
from pt2triage.cli._output import (
    OutputError,
    check_output,
    write_output,
    write_pieces,
)
from pt2triage.cli._reading import Reading
from pt2triage.report.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    import datetime
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from pt2triage._report import Report
    from pt2triage._types import Category
    from pt2triage.cli._options import Arguments, Option
    from pt2triage.cli._output import Write

    # What is printed: as the core made it, or what --confidential leaves of it.
    Shown: TypeAlias = _core.Report | Report

NAME = "scan"
HELP = "say what failed in logs and traces"
TABLES = ("parquet", "arrow")
# Those that are one document, whatever was found.
_DOCUMENTS = ("json", "sarif", "junit")
FORMATS = (
    *("text", "json", "jsonl", "markdown", "html", "sarif", "github", "junit"),
    *TABLES,
)

_DESCRIPTION = """\
Reads PyTorch logs and traces and says what failed: first the one failure to
look at, then everything else. What a file holds is found out from its content,
never from its name. Compressed files and archives are read as they are: gzip, zstd,
xz, bzip2, zip, tar."""

_EPILOG = """\
categories:
  graph_break, backend_compiler_failed, recompilation, accuracy,
  dynamo_internal, runtime_crash, triton_kernel, other

exit status:
  0  done, whatever was found
  1  --fail-on found something
  2  wrong usage, or an input that cannot be read or decompressed to its
     end (the others are still scanned and reported)

examples:
  pt2triage scan run.log
  python train.py 2>&1 | pt2triage scan -
  pt2triage scan logs.zip 'old/*.log.gz'
  find . -name '*.log' -print0 | pt2triage scan --files-from - -0
  pt2triage scan logs/ --fail-on graph_break,recompilation
  pt2triage scan --format json 'logs/**/*.log' -o report.json
  pt2triage scan --format html logs/ -o report.html
  pt2triage scan --format sarif run.log -o run.sarif
  pt2triage scan --format markdown run.log --unit-test test_repro.py
  pt2triage scan --format parquet logs/ -o history --partition-by date"""


def _day(word: str) -> datetime.date:
    import datetime

    try:
        return datetime.date.fromisoformat(word)
    except ValueError:
        raise console.bad_value(f"'{word}' is no day, as 2026-11-29 is") from None


def _categories(words: str) -> list[str]:
    """The categories of a comma-separated list."""
    names = [name for word in words.split(",") if (name := word.strip())]
    for name in names:
        if name not in CATEGORIES:
            raise console.bad_value(_unknown_category(name))
    if not names:
        raise console.bad_value("no category is named")
    return names


def _unknown_category(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name.replace("-", "_").lower(), CATEGORIES, 3, 0.5)
    choices = f"did you mean {' or '.join(close)}?" if close else ""
    return (
        f"there is no category '{one_line(name)}'; "
        f"{choices or 'choose from ' + ', '.join(CATEGORIES)}"
    )


# What the command takes: for argparse, and for what reads it faster.
OPTIONS: tuple[Option, ...] = (
    (
        ("paths",),
        {
            "nargs": "*",
            "metavar": "PATH",
            "help": "file, folder (all files in it, but no hidden or binary ones and "
            "no links; a torch_compile_debug folder is one source), archive, glob, URL "
            "(s3://, https:// ..., needs pt2triage[remote]), or - for stdin",
        },
    ),
    (
        ("--format",),
        {
            "choices": FORMATS,
            "default": "text",
            "help": "text for people (the default), one JSON document, one line of "
            "JSON for each finding, a bug report in Markdown, a page of HTML that "
            "needs no network, SARIF 2.1.0, annotations of GitHub Actions, JUnit XML, "
            "a folder of tables as Parquet files, or the findings as a stream of Arrow",
        },
    ),
    console.OUTPUT_OPTION,
    (
        ("--unit-test",),
        {
            "metavar": "FILE",
            "help": "also write a unit test of PyTorch's form that fails as the first "
            "finding does; a FILE with content stays as it is",
        },
    ),
    (
        ("--partition-by",),
        {
            "choices": ("date",),
            "help": "of a folder of tables: a folder date=... for each day",
        },
    ),
    (
        ("--date",),
        {
            "type": _day,
            "metavar": "DAY",
            "help": "of tables: the day that the logs are of, as in 2026-11-29 "
            "(default: today, UTC)",
        },
    ),
    (
        ("-j", "--jobs"),
        {
            "type": console.number,
            "metavar": "N",
            "help": "files to read at the same time (default: as many as there are "
            "cores)",
        },
    ),
    (
        ("--category",),
        {
            "type": _categories,
            "action": "extend",
            "metavar": "C[,...]",
            "help": "list only findings of these categories",
        },
    ),
    (
        ("--fail-on",),
        {
            "type": _categories,
            "action": "extend",
            "metavar": "C[,...]",
            "help": "exit with 1 if there is any finding of these categories, "
            "warnings too",
        },
    ),
    *INPUT_OPTIONS,
    *READING_OPTIONS,
    (
        ("--verify",),
        {"action": "store_true", "help": "check the MD5 sums of trace payloads"},
    ),
    console.COLOR_OPTION,
    (
        ("--no-progress",),
        {"action": "store_true", "help": "no progress bar on stderr"},
    ),
    (("-q", "--quiet"), {"action": "store_true", "help": "only errors on stderr"}),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    for flags, settings in OPTIONS:
        parser.add_argument(*flags, **settings)


def run(args: Arguments) -> int:
    try:
        check_inputs(args)
        if args.format in TABLES:
            from pt2triage.cli import _tables

            return _tables.run(args)
        if args.partition_by or args.date:
            raise UsageError(
                "--partition-by and --date are for --format parquet and arrow"
            )
        check_output(args.output, args.paths)
        if args.unit_test is not None:
            from pt2triage.cli import _unit_test

            _unit_test.check(args.unit_test)
        report, errors = _scan(args)
        shown: Shown = report.only(set(args.category)) if args.category else report
        if args.confidential:
            shown = _whole(shown).confidential()
        # Without any input there is nothing to say but the errors; a document is
        # still one.
        if report.sources or not errors or args.format in _DOCUMENTS:
            _print(shown, args)
            _tell_omitted(report, args)
        if args.unit_test is not None:
            _unit_test.write(_whole(shown), args.unit_test, args.quiet)
    except (OutputError, UsageError) as error:
        complain(str(error))
        return console.FAILED
    except OpenError as error:  # of a list of names, a state
        complain_of(error)
        return console.FAILED
    gate = _gate((f.category for f in report.findings), args.fail_on or (), args.quiet)
    return console.FAILED if errors else gate


def _scan(args: Arguments) -> tuple[_core.Report, list[OpenError]]:
    """Scans all inputs in the order given; complains about the unreadable."""
    reading = Reading(args, args.paths)
    found = [outcome.result for outcome in reading.outcomes()]
    report = _core.make_report([result for result in found if result is not None])
    packed = packed_error(report)
    if packed is not None:
        reading.fail(packed)
    return report, reading.errors


def _whole(report: Shown) -> Report:
    """The report with all of its forms, which JSON does not need."""
    from pt2triage._report import Report

    return report if isinstance(report, Report) else Report(report)


def _print(report: Shown, args: Arguments) -> None:
    to_file = args.output not in (None, "-")
    if args.format == "json":
        write_pieces(lambda write: _write_json(report, write), args.output, utf8=True)
    elif args.format == "jsonl":
        write_pieces(lambda write: _write_lines(report, write), args.output, utf8=True)
    elif args.format in ("sarif", "github", "junit"):
        _print_for_machine(report, args)
    elif not report.sources:
        return  # said on stderr
    elif args.format == "markdown":
        from pt2triage.report.markdown import render_markdown

        write_output(render_markdown(_whole(report)), args.output, utf8=True)
    elif args.format == "html":
        write_pieces(lambda write: _write_page(report, write), args.output, utf8=True)
    else:
        from pt2triage.report.github import harmless
        from pt2triage.report.text import render_lines

        lines = render_lines(
            _whole(report),
            width=console.output_width(to_file),
            all_rows=bool(args.category),
        )
        text = console.paint(lines, console.wants_color(args.color, to_file))
        write_output(harmless(text), args.output, utf8=False)
    if args.format == "text" or args.quiet:
        return
    if any(source.unrecognised for source in report.sources):
        from pt2triage.report.text import unrecognised_notice

        complain(unrecognised_notice(_whole(report)) or "")


def _tell_omitted(report: _core.Report, args: Arguments) -> None:
    """Tells of findings beyond the most important ones, where the output cannot."""
    left = report.omitted_findings
    if left and not args.quiet and args.format not in ("text", "json"):
        listed = len(report.findings)
        complain(
            f"the {listed:,} most important findings are listed, {left:,} are not; "
            "top, check and --format parquet read all"
        )


def _print_for_machine(report: Shown, args: Arguments) -> None:
    from pt2triage._clusters import Clusters
    from pt2triage.report._items import sheet_of
    from pt2triage.report.machine import render_machine

    clusters = Clusters()
    clusters.add(_whole(report))
    sheet = sheet_of(clusters, args.fail_on or ())
    write_output(render_machine(sheet, args.format), args.output, utf8=True)


def _write_json(report: Shown, write: Write) -> None:
    report.write_json(write)
    write("\n")


def _write_page(report: Shown, write: Write) -> None:
    from pt2triage.report.page import page_pieces

    for piece in page_pieces(_whole(report)):
        write(piece)


def _write_lines(report: Shown, write: Write) -> None:
    # Each line is for itself, so each says it.
    end = "}\n" if isinstance(report, _core.Report) else ',"confidential":true}\n'
    for finding in report.findings:
        write(finding.to_json().removesuffix("}") + end)


def _gate(
    all_found: Iterable[Category], categories: Sequence[Category], quiet: bool
) -> int:
    """The exit status for the categories of all findings."""
    if not categories:
        return console.OK
    found = [category for category in all_found if category in categories]
    if not found:
        return console.OK
    if not quiet:
        parts = [f"{found.count(c)} {c}" for c in CATEGORIES if c in found]
        complain(f"failed by --fail-on: {', '.join(parts)}")
    return console.GATE
