"""``pt2triage check``: a gate for CI."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import UsageError, check_inputs
from pt2triage.cli._output import OutputError, check_output, write_output
from pt2triage.cli._sweep import SOURCES, add_options, sweep
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._clusters import Clusters
    from pt2triage._config import Config
    from pt2triage._gate import Verdict
    from pt2triage.cli._options import Arguments

NAME = "check"
HELP = "fail a CI job on findings that are not accepted"
FORMATS = ("text", "json", "sarif", "github", "junit")

_DESCRIPTION = """\
Scans logs and fails if what is found breaks a gate. The gates:

  --baseline FILE        findings that FILE does not accept, or more of them
  --fail-on C[,...]      any finding of these categories, warnings too; with a
                         baseline: only these categories are compared
  --max-graph-breaks N   more graph breaks than N in all sources together
  --max-recompiles N     more recompiles than N in all sources together

Without any of them every finding of severity error fails. [tool.pt2triage] of the
nearest pyproject.toml may set fail-on, max-graph-breaks, max-recompiles and what to
ignore; an option wins over it. Budgets count what is ignored too."""

_EPILOG = """\
exit status:
  0  no gate is broken, or the baseline was updated
  1  a gate is broken
  2  wrong usage or settings, no input at all, or an input that cannot be read
     (the others are still scanned and reported)

examples:
  pt2triage check run.log
  pt2triage check logs/ --baseline pt2triage.json --update-baseline
  pt2triage check logs/ --baseline pt2triage.json
  pt2triage check logs/ --max-graph-breaks 0 --max-recompiles 8
  pt2triage check logs/ --baseline pt2triage.json --format github

settings:
  [tool.pt2triage]
  max-graph-breaks = 4
  ignore = [
    { fingerprint = "f3a91c0be2d4", reason = "a print for debugging" },
    { file = "third_party/*", reason = "not our code" },
  ]"""


def _budget(word: str) -> int:
    if not word.isdecimal():
        raise console.bad_value(f"'{word}' is no number of 0 or more")
    return int(word)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_options(parser, *SOURCES)
    gates = parser.add_argument_group("gates")
    gates.add_argument(
        "--baseline",
        metavar="FILE",
        help="what is accepted: a file that --update-baseline wrote, or the JSON of "
        "an earlier scan or top",
    )
    gates.add_argument(
        "--update-baseline",
        action="store_true",
        help="write all that is found into the baseline, and pass",
    )
    add_options(gates, "--fail-on", reading=False)
    for name, noun in (("graph-breaks", "graph breaks"), ("recompiles", "recompiles")):
        gates.add_argument(
            f"--max-{name}",
            type=_budget,
            metavar="N",
            help=f"fail if there are more than N {noun}",
        )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text (the default), JSON, SARIF 2.1.0, annotations of GitHub Actions, "
        "or JUnit XML",
    )
    console.add_output_option(parser)
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="read [tool.pt2triage] of FILE (default: the nearest pyproject.toml "
        "that has it, from here upwards)",
    )
    console.add_color_option(parser)


def run(args: Arguments) -> int:
    from pt2triage._clusters import Clusters
    from pt2triage._config import ConfigError
    from pt2triage._errors import OpenError
    from pt2triage.cli import _baseline

    try:
        check_inputs(args)
        check_output(args.output, args.paths)
        config = _config(args)
        baseline = _baseline.read(args)
        clusters = Clusters()
        fine = sweep(args, clusters, args.paths, *filter(None, [args.baseline]))
        if not clusters.sources and fine:
            complain("there is nothing to check")
            fine = False
        if args.update_baseline:
            return _baseline.update(args, clusters, config, fine)
        status = _judge(args, clusters, baseline, config)
    except ConfigError as error:
        complain(one_line(str(error)))
        return console.FAILED
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    except (OutputError, UsageError) as error:
        complain(str(error))
        return console.FAILED
    return status if fine else console.FAILED


def _config(args: Arguments) -> Config:
    """The settings, with those of the command line in their place."""
    from pt2triage._config import Config, ConfigError, find_config, read_config

    if args.config is None:
        found = find_config()
    else:
        read = read_config(args.config)
        if read is None:
            raise ConfigError(f"{args.config}: it has no [tool.pt2triage]")
        found = read
    given = {
        name: value
        for name in ("fail_on", "max_graph_breaks", "max_recompiles")
        if (value := getattr(args, name)) is not None
    }
    return Config(**(found._asdict() | given))


def _judge(
    args: Arguments, clusters: Clusters, baseline: Clusters | None, config: Config
) -> int:
    from pt2triage._gate import Verdict

    verdict = Verdict(clusters, baseline, config)
    if args.confidential:
        verdict = verdict.confidential()
    _print(verdict, args)
    if not verdict.passed and args.format != "text" and not args.quiet:
        gates = dict.fromkeys(found.gate for found in verdict.broken)
        complain(f"failed: {', '.join(gates)}")
    return console.OK if verdict.passed else console.GATE


def _print(verdict: Verdict, args: Arguments) -> None:
    from pt2triage.report import check_text

    if args.format == "text":
        if not verdict.clusters.sources:
            return  # said on stderr
        from pt2triage._baseline import may_replace
        from pt2triage.report.github import harmless

        to_file = args.output not in (None, "-")
        # A saved report is a baseline that no update may replace.
        own = args.baseline is not None and may_replace(args.baseline)
        lines = check_text.render_verdict(
            verdict,
            width=console.output_width(to_file),
            baseline=console.cleaned(args.baseline) if own else None,
        )
        text = console.paint(lines, console.wants_color(args.color, to_file))
        write_output(harmless(text), args.output, utf8=False)
    elif args.format == "json":
        import json

        text = json.dumps(check_text.document(verdict), indent=2, ensure_ascii=False)
        write_output(text + "\n", args.output, utf8=True)
    else:
        from pt2triage.report._items import sheet_of_verdict
        from pt2triage.report.machine import render_machine

        text = render_machine(sheet_of_verdict(verdict), args.format)
        write_output(text, args.output, utf8=True)
