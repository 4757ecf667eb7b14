"""``pt2triage diff``: what failed before, and what fails after."""

from __future__ import annotations

import argparse
import os
from glob import glob
from typing import TYPE_CHECKING

from pt2triage._inputs import is_url
from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.cli._sweep import add_options, sweep, warn_if_as_one

if TYPE_CHECKING:
    from pt2triage._clusters import Clusters
    from pt2triage._diff import Diff
    from pt2triage._report import Report
    from pt2triage._traces.diff import TraceDiff
    from pt2triage._traces.trace import Trace
    from pt2triage.cli._options import Arguments

NAME = "diff"
HELP = "compare what failed in two runs"
FORMATS = ("text", "json")

_DESCRIPTION = """\
Compares what failed in two runs, by fingerprint: what is new, fixed, more and
fewer, then graph breaks and recompiles by line of your code. A line that an edit
has moved is the same line. Each side is a file, a folder, a glob, or the JSON that
scan or top wrote of an earlier run, which is known by its content. Where both sides
hold traces (TORCH_TRACE), their compiles are compared too: new and gone, graph breaks
and recompiles, caches, time by phase, graphs node by node, code kernel by kernel."""

_EPILOG = """\
exit status:
  0  done, whatever has changed
  2  wrong usage, or an input that cannot be read (the others are still
     compared)

examples:
  pt2triage diff main.log branch.log
  pt2triage diff logs/monday logs/tuesday
  pt2triage scan --format json main.log -o main.json
  pt2triage diff main.json branch.log --format json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("before", metavar="BEFORE", help="the run to compare with")
    parser.add_argument("after", metavar="AFTER", help="the run that is looked at")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text is the default"
    )
    console.add_output_option(parser)
    add_options(parser)
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    from pt2triage._diff import Diff
    from pt2triage._errors import OpenError

    words = [args.before, args.after]
    if words == ["-", "-"]:
        complain("stdin can be one side only; name a file for the other")
        return console.FAILED
    try:
        check_output(args.output, words)
        sides = [_side(word, args) for word in words]
        if sides[0][0].as_one != sides[1][0].as_one:
            for word, (side, _, _) in zip(words, sides, strict=True):
                warn_if_as_one(word, side)
        traces = None
        # A comparison of traces is about code throughout.
        if all(traced for _, _, traced in sides) and not args.confidential:
            traces = _compare_traces(args)
        made = Diff(sides[0][0], sides[1][0], traces)
        if args.confidential:
            made = made.confidential()
        _print(made, args)
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    except OutputError as error:
        complain(str(error))
        return console.FAILED
    return console.OK if all(fine for _, fine, _ in sides) else console.FAILED


def _side(word: str, args: Arguments) -> tuple[Clusters, bool, bool]:
    """What failed on one side, whether all of it could be read, and whether it holds
    traces that can be read again."""
    from pt2triage._clusters import Clusters
    from pt2triage._saved import is_saved, load

    if word != "-" and is_saved(word):
        return load(word, baselines=False), True, False
    clusters = Clusters()
    traced = False

    def see(report: Report) -> None:
        nonlocal traced
        traced = traced or any(source.trace_records for source in report.sources)

    fine = sweep(args, clusters, [word], seen=see)
    return clusters, fine, traced and word != "-"


def _compare_traces(args: Arguments) -> TraceDiff:
    """Reads both sides again, for what their traces hold. What cannot be read was
    told before."""
    from pt2triage._outcomes import scan_inputs
    from pt2triage._traces.diff import TraceDiff
    from pt2triage._traces.trace import trace_of
    from pt2triage.cli._inputs import limits_of
    from pt2triage.cli._sources import find_sources

    def trace(word: str) -> Trace:
        inputs = find_sources([word], args.output)
        limits = limits_of(args)
        outcomes = scan_inputs(
            inputs, verify=args.verify, jobs=args.jobs, limits=limits, tables=True
        )
        names = [word] if os.path.lexists(word) or is_url(word) else sorted(glob(word))
        return trace_of((one for one in outcomes if one.result), names)

    return TraceDiff(trace(args.before), trace(args.after))


def _print(made: Diff, args: Arguments) -> None:
    if args.format == "json":
        write_output(made.to_json() + "\n", args.output, utf8=True)
        return
    if not (made.before.sources or made.after.sources):
        return  # said on stderr
    from pt2triage.report.diff_text import render_diff
    from pt2triage.report.github import harmless

    to_file = args.output not in (None, "-")
    lines = render_diff(made, width=console.output_width(to_file))
    text = console.paint(lines, console.wants_color(args.color, to_file))
    write_output(harmless(text), args.output, utf8=False)
