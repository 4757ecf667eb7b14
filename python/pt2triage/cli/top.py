"""``pt2triage top``: what fails most, over any number of logs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import UsageError, check_inputs
from pt2triage.cli._output import (
    OutputError,
    check_output,
    write_output,
    write_pieces,
)
from pt2triage.cli._sweep import SOURCES, add_options, load_saved, sweep
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters
    from pt2triage.cli._options import Arguments
    from pt2triage.report.layout import Line

NAME = "top"
HELP = "group what failed in many logs, the worst first"
FORMATS = ("text", "markdown", "json", "html")

_DESCRIPTION = """\
Scans any number of logs, each for itself, and groups what failed by fingerprint:
how many sources have it, how often, since when, where to look and what to do.
Errors come before warnings, then what most sources have."""

_EPILOG = """\
exit status:
  0  done, whatever was found
  2  wrong usage, or an input that cannot be read (the others are still
     scanned and reported)

examples:
  pt2triage top logs/
  pt2triage top logs/ --format html -o top.html
  pt2triage top logs/ --format json -o yesterday.json
  pt2triage top logs/ --since yesterday.json      # what is new is marked
  pt2triage top logs/ --show f3a91c0be2d4         # every place of one of them"""

_LIMITS = {"text": 20, "markdown": 20, "html": 200, "json": None}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_options(parser, *SOURCES, "--category")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text (the default), Markdown for a summary, JSON, or a page of HTML",
    )
    console.add_output_option(parser)
    parser.add_argument(
        "-n",
        "--limit",
        type=console.number,
        metavar="N",
        help="list N clusters (default: 20; 200 in HTML; all in JSON)",
    )
    parser.add_argument(
        "--since",
        "--baseline",
        metavar="FILE",
        help="mark as new what is not in FILE: the JSON of an earlier top or scan, or "
        "a baseline of check",
    )
    parser.add_argument(
        "--show",
        metavar="FINGERPRINT",
        help="list every place of the clusters whose fingerprint begins so",
    )
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    from pt2triage._clusters import Clusters
    from pt2triage._errors import OpenError

    clusters = Clusters(all_places_of=args.show)
    try:
        check_inputs(args)
        check_output(args.output, [*args.paths, *filter(None, [args.since])])
        known = None if args.since is None else load_saved(args.since)
        fine = sweep(args, clusters, args.paths, *filter(None, [args.since]))
        if known is not None:
            clusters.mark_new({one.fingerprint for one in known})
        if args.confidential:
            clusters = clusters.confidential()
        if args.show is not None:
            fine &= _show(clusters, args)
        elif clusters.sources or args.format == "json":
            _print(clusters, args)
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    except (OutputError, UsageError) as error:
        complain(str(error))
        return console.FAILED
    return console.OK if fine else console.FAILED


def _shown(clusters: Clusters, args: Arguments) -> Clusters:
    return clusters.only(*args.category) if args.category else clusters


def _print(clusters: Clusters, args: Arguments) -> None:
    shown = _shown(clusters, args)
    limit = args.limit or _LIMITS[args.format]
    if args.format == "json":
        write_pieces(
            lambda write: shown.write_json(write, limit), args.output, utf8=True
        )
    elif args.format == "markdown":
        write_output(shown.to_markdown(limit), args.output, utf8=True)
    elif args.format == "html":
        write_output(shown.to_html(limit), args.output, utf8=True)
    else:
        from pt2triage.report.top_text import render_top

        width = console.output_width(args.output not in (None, "-"))
        _write(render_top(shown, width=width, limit=limit), args)


def _show(clusters: Clusters, args: Arguments) -> bool:
    """Prints every place of the clusters asked for; whether there is any."""
    chosen = clusters.with_all_places()
    found = _shown(chosen, args)[: args.limit]
    if not found:
        more = " and one of these categories" if args.category else ""
        name = one_line(args.show)
        complain(
            f"no finding has a fingerprint that begins {name}{more}; top lists them"
        )
        return False
    if args.format != "text":
        _print(chosen, args)
        return True
    from pt2triage.report.top_text import full

    width = console.output_width(args.output not in (None, "-"))
    lines: list[Line] = []
    for one in found:
        lines += [*full(one, width), *_places(clusters, one), []]
    _write(lines[:-1], args)
    return True


def _places(clusters: Clusters, one: Cluster) -> list[Line]:
    places = clusters.all_places[one.fingerprint]
    return [[("  every place", "label")]] + [
        [(f"    {one_line(place.source)}:{place.line}", "")] for place in places
    ]


def _write(lines: list[Line], args: Arguments) -> None:
    from pt2triage.report.github import harmless

    to_file = args.output not in (None, "-")
    text = console.paint(lines, console.wants_color(args.color, to_file))
    write_output(harmless(text), args.output, utf8=False)
