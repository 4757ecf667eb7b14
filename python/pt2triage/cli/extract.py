"""``pt2triage extract``: the graphs and the code in traces as files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain, complain_of
from pt2triage.cli._inputs import UsageError, check_inputs, limits_of
from pt2triage.cli._output import OutputError, check_output, write_pieces
from pt2triage.cli._progress import progress_bar
from pt2triage.cli._sources import find_sources
from pt2triage.cli._sweep import SOURCES, add_options
from pt2triage.cli.trace import READING

if TYPE_CHECKING:
    from pt2triage._errors import OpenError
    from pt2triage._traces.chromium import ChromiumFile
    from pt2triage._traces.extract import Extracted
    from pt2triage.cli._options import Arguments
    from pt2triage.cli._output import Write

NAME = "extract"
HELP = "write the graphs and the code in traces as files"

_DESCRIPTION = """\
Writes what the records of structured traces carry - graphs, generated code, guards,
errors - into a folder: one file for each distinct text, exactly as PyTorch gave it,
by process and compile, and manifest.json, which lists every record with its file and
whether its MD5 sum is right. No name in the folder is taken from the trace as it is."""

_EPILOG = """\
exit status:
  0  done; damaged records are told and marked in the manifest
  2  wrong usage, a folder that cannot be written, or an input that cannot be read

examples:
  pt2triage extract trace/ -o out
  pt2triage extract trace/ -o out --kind inductor_output_code --compile-id 0/1
  pt2triage extract trace.log.gz -o out --chromium events.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    wanted = [flag for flag in READING if flag not in ("--jobs", "--verify")]
    add_options(parser, *SOURCES, *wanted, reading=False)
    parser.set_defaults(state=None, scheduler=None)
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="a new or empty folder"
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a folder that an earlier extract wrote",
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="NAME",
        help="only records or artifacts of this name; may be repeated (pt2triage trace "
        "--show artifacts lists them)",
    )
    parser.add_argument(
        "--compile-id", metavar="ID", help="only of this compile, as 0/1"
    )
    parser.add_argument(
        "--chromium",
        metavar="FILE",
        help="also write the timed steps of all ranks as one trace for Perfetto",
    )


def run(args: Arguments) -> int:
    from pt2triage._errors import OpenError

    failed: list[OpenError] = []
    try:
        check_inputs(args)
        check_output(args.chromium, args.paths)
        if args.chromium is None:
            done = _extract(args, None, failed)
        else:
            done = _with_chromium(args, failed)
    except OpenError as error:
        complain_of(error)
        return console.FAILED
    except (OutputError, UsageError) as error:
        complain(str(error))
        return console.FAILED
    if not args.quiet:
        _tell(done, args)
    return console.FAILED if failed else console.OK


def _with_chromium(args: Arguments, failed: list[OpenError]) -> Extracted:
    from pt2triage._traces.chromium import ChromiumFile

    done: list[Extracted] = []

    def produce(write: Write) -> None:
        made = ChromiumFile(write)
        done.append(_extract(args, made, failed))
        made.finish()

    write_pieces(produce, args.chromium, utf8=True)
    return done[0]


def _extract(
    args: Arguments, chromium: ChromiumFile | None, failed: list[OpenError]
) -> Extracted:
    from pt2triage._traces.extract import extract

    def fail(error: OpenError) -> None:
        failed.append(error)
        complain_of(error)

    inputs = find_sources(
        args.paths,
        args.chromium or args.output,
        files_from=args.files_from,
        null=args.null,
    )
    if inputs.errors and not inputs.paths:
        raise inputs.errors[0]
    with progress_bar(not args.quiet and not args.no_progress) as progress:
        return extract(
            inputs,
            args.output,
            kinds=args.kind,
            compile_id=args.compile_id,
            overwrite=args.overwrite,
            chromium=chromium,
            limits=limits_of(args),
            progress=progress,
            failed=fail,
        )


def _tell(done: Extracted, args: Arguments) -> None:
    if not done.files and (args.kind or args.compile_id):
        complain("no record has such a name or compile (--kind, --compile-id)")
        return
    s = "s" * (done.files != 1)
    text = f"{done.files:,} file{s}, {done.bytes:,} bytes in {args.output}"
    if done.repeated:
        text += f"; {done.repeated:,} records have the same content as another"
    complain(text)
    if done.damaged:
        s, do = ("", "does") if done.damaged == 1 else ("s", "do")
        complain(
            f"{done.damaged:,} payload{s} {do} not have the MD5 sum that the trace "
            'states: "intact": false in manifest.json'
        )
    if done.cut:
        complain(f"{done.cut:,} payloads were too long and are cut")
