"""``pt2triage trace``: what the structured traces of a run say."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import (
    UsageError,
    add_confidential_option,
    check_inputs,
)
from pt2triage.cli._output import OutputError, check_output, write_output, write_pieces
from pt2triage.cli._reading import Reading
from pt2triage.cli._sweep import SOURCES, add_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage._errors import OpenError
    from pt2triage._traces.trace import Trace
    from pt2triage.cli._options import Arguments
    from pt2triage.cli._output import Write
    from pt2triage.report.layout import Line

NAME = "trace"
HELP = "show compiles, breaks, recompiles, caches and times of TORCH_TRACE"
FORMATS = ("text", "json")
SHOWN = (
    *("compiles", "breaks", "recompiles", "cache", "time", "symbols"),
    *("ranks", "artifacts"),
)

_DESCRIPTION = """\
Reads structured traces (TORCH_TRACE=folder) and answers: what was compiled, how it
ended, why graphs broke, why functions were compiled again, what caches did, where
compile time went, which rank differs. Name the files of all ranks, or their folder."""

_EPILOG = """\
exit status:
  0  done, whatever was found
  2  wrong usage, or an input that cannot be read (the others are still read)

examples:
  TORCH_TRACE=trace python train.py; pt2triage trace trace/
  pt2triage trace trace/ --show recompiles
  pt2triage trace trace/ --show time,cache --limit 30
  pt2triage trace trace/ --format json -o trace.json
  pt2triage trace trace/ --html pages               # open pages/index.html
  pt2triage trace trace/ --chromium events.json   # for https://ui.perfetto.dev"""

# How to read that suits the tables of one run.
READING = (
    *("--jobs", "--verify", "--no-progress", "--quiet"),
    *("--max-ratio", "--max-archive-bytes", "--max-members", "--max-depth"),
    "--max-errors",
)
# Rows of a section; in JSON all.
_LIMIT = 20


def _shown(words: str) -> list[str]:
    names = [name for word in words.split(",") if (name := word.strip())]
    for name in names:
        if name not in SHOWN:
            raise console.bad_value(
                f"there is no section '{name}'; choose from {', '.join(SHOWN)}"
            )
    return names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_options(parser, *SOURCES, *READING, reading=False)
    add_confidential_option(parser)
    parser.set_defaults(state=None, scheduler=None)
    parser.add_argument(
        "--show",
        type=_shown,
        action="extend",
        metavar="SECTION[,...]",
        help=f"only these: {', '.join(SHOWN)}",
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text is the default"
    )
    console.add_output_option(parser)
    parser.add_argument(
        "-n",
        "--limit",
        type=console.number,
        metavar="N",
        help=f"rows of a section (default: {_LIMIT}; all in JSON)",
    )
    parser.add_argument(
        "--chromium",
        metavar="FILE",
        help="write the timed steps of all ranks as one trace for Perfetto",
    )
    parser.add_argument(
        "--html",
        metavar="DIR",
        help="write pages into a new or empty folder: an index, and a page for each "
        "compile with its graphs and code; nothing else is printed but what --show "
        "names",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a folder that an earlier --html wrote",
    )
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    from pt2triage._errors import OpenError

    try:
        check_inputs(args)
        check_output(args.output, args.paths)
        check_output(args.chromium, args.paths)
        if args.confidential and (args.chromium is not None or args.html is not None):
            flag = "--chromium" if args.html is None else "--html"
            raise UsageError(
                f"{flag} does not go with --confidential: it writes what the trace "
                "carries, which is code"
            )
        if args.html is None:
            reading = Reading(args, args.paths)
            trace = _read(reading, args)
        else:
            from pt2triage.cli._trace_html import write_html

            trace, reading = write_html(args)
        if args.confidential:
            trace = trace.confidential()
        if args.chromium is not None:
            write_chromium(args)
        if args.html is None or args.show or args.output or args.format == "json":
            _print(trace, args, reading.errors)
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    except (OutputError, UsageError) as error:
        complain(str(error))
        return console.FAILED
    return console.FAILED if reading.errors else console.OK


def _read(reading: Reading, args: Arguments) -> Trace:
    from pt2triage._traces.trace import trace_of_results

    results = [
        outcome.result
        for outcome in reading.outcomes(tables=True)
        if outcome.result is not None
    ]
    return trace_of_results(results, None if "-" in args.paths else reading.paths)


def write_chromium(args: Arguments) -> None:
    """Writes the chromium events of the inputs into the file that is named."""
    from pt2triage._traces.chromium import NAME as EVENT
    from pt2triage._traces.chromium import ChromiumFile
    from pt2triage._traces.records import push_records
    from pt2triage.cli._inputs import limits_of
    from pt2triage.cli._progress import progress_bar
    from pt2triage.cli._sources import find_sources

    if "-" in args.paths:
        raise UsageError("stdin can be read only once; --chromium needs a file")
    inputs = find_sources(
        args.paths, args.chromium, files_from=args.files_from, null=args.null
    )

    def produce(write: Write) -> None:
        made = ChromiumFile(write)
        with progress_bar(not args.quiet and not args.no_progress) as progress:
            push_records(
                inputs,
                made.add,
                [EVENT],
                limits=limits_of(args),
                progress=progress,
                failed=lambda _: None,  # told already
            )
        made.finish()
        if not args.quiet:
            skipped = f"; {made.skipped:,} are damaged" if made.skipped else ""
            complain(f"{made.events:,} events in {args.chromium}{skipped}")

    write_pieces(produce, args.chromium, utf8=True)


def _print(trace: Trace, args: Arguments, errors: Sequence[OpenError]) -> None:
    if args.format == "json":
        from pt2triage.report.trace_json import write_trace

        write_pieces(
            lambda write: write_trace(trace, write, args.show, args.limit, errors),
            args.output,
            utf8=True,
        )
        return
    from pt2triage.report.github import harmless

    to_file = args.output not in (None, "-")
    width = console.output_width(to_file)
    lines = _lines(trace, args, width, errors)
    text = console.paint(lines, console.wants_color(args.color, to_file))
    write_output(harmless(text), args.output, utf8=False)


def _lines(
    trace: Trace, args: Arguments, width: int, errors: Sequence[OpenError]
) -> list[Line]:
    from pt2triage.report.trace_text import SECTIONS, heading

    lines = heading(trace)
    if not len(trace.processes):
        return lines
    width = max(width, 60)
    limit = args.limit or _LIMIT
    for name in args.show or _sections_of(trace):
        if name == "ranks":
            lines += [[], [("Ranks", "label")], *_ranks(trace, width, errors)]
            continue
        title, section = SECTIONS[name]
        lines += [[], [(title, "label")], *section(trace, width, limit)]
    return lines


def _ranks(trace: Trace, width: int, errors: Sequence[OpenError]) -> list[Line]:
    from pt2triage._traces.ranks import compare_ranks
    from pt2triage.report.trace_ranks_text import render_ranks

    if trace.is_confidential:
        return [[("Ranks are compared by their code: not with --confidential.", "dim")]]
    return render_ranks(compare_ranks(trace, unread=errors), width)


def _sections_of(trace: Trace) -> list[str]:
    """What is told where nothing was asked for: what there is."""
    counts = trace.counts()
    wanted = ["compiles"]
    wanted += ["breaks"] if counts["graph_breaks"] else []
    wanted += ["recompiles"] if counts["recompiles"] else []
    wanted += ["cache"] if counts["cache_events"] else []
    wanted += ["time"] if counts["compiles"] else []
    if len({process.rank for process in trace.processes} - {None}) > 1:
        wanted.append("ranks")
    return wanted
