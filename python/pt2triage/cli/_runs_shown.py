"""What ``pt2triage runs`` prints."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from pt2triage.cli import _console as console
from pt2triage.cli._console import complain
from pt2triage.cli._output import write_output
from pt2triage.report.github import harmless
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._around.store import Stored
    from pt2triage.cli._options import Arguments
    from pt2triage.report.layout import Line


def list_runs(runs: list[Stored]) -> None:
    """One line for each run, the oldest first."""
    if not runs:
        complain("no runs are kept; pt2triage run -- CMD makes one")
        return
    width = console.output_width(False)
    lines = [_row("run", "started (UTC)", "status", "time", "what failed and command")]
    for run in runs:
        record = run.record
        lines.append(
            _row(
                str(run.number),
                record.started.rstrip("Z").replace("T", " "),
                _status(run),
                f"{record.seconds:,.1f} s",
                f"{_what(run)}: {shlex.join(record.command)}",
            )
        )
    from pt2triage.report.layout import crop

    text = "\n".join(crop(console.cleaned(line), max(width, 60)) for line in lines)
    write_output(harmless(text + "\n"), None, utf8=False)


def _row(number: str, started: str, status: str, time: str, what: str) -> str:
    return _kept(f"{number:>4}  {started:<19}  {status:>7}  {time:>9}  {what}")


def _kept(text: str) -> str:
    """`text` safe to print, on one line, with its spaces."""
    from pt2triage.report.safe import printable

    return printable(text).replace("\n", " ")


def _status(run: Stored) -> str:
    if run.record.timed_out:
        return "timeout"
    if run.record.status is None:
        return "running" if run.record.is_running else "killed"
    return str(run.record.status)


def _what(run: Stored) -> str:
    record = run.record
    if record.category is None:
        return "nothing failed" if record.status is not None else "not known"
    return f"{record.category}: {record.cause}" if record.cause else record.category


def show(run: Stored, args: Arguments) -> None:
    """All that is known of a run, and its report."""
    from pt2triage._around.record import REPORT, REPORT_TEXT
    from pt2triage.report.safe import printable

    if args.confidential:
        text = _confidential_report(run, args.format)
    else:
        name = REPORT if args.format == "json" else REPORT_TEXT
        text = _read(os.path.join(run.folder, name))
    if args.format == "json":
        write_output(text + "\n" * (not text.endswith("\n")), None, utf8=True)
        return
    record = run.record
    settings = [f"{name}={shlex.quote(v)}" for name, v in record.variables.items()]
    rows = [
        ("command", shlex.join(record.command)),
        ("in", record.cwd),
        ("started", f"{record.started}, {record.seconds:,.1f} s"),
        ("status", _status(run)),
        ("recipe", record.recipe),
        ("set", " ".join(settings)),
        *(("again", step) for step in record.escalations),
        ("files", f"{run.folder} ({run.size() / 2**20:,.1f} MiB)"),
    ]
    head = [f"{label:<9} {console.cleaned(one_line(value))}" for label, value in rows]
    shown = "\n".join(head) + "\n\n" + printable(text)
    write_output(harmless(shown), None, utf8=False)


def compare(before: Stored, after: Stored, args: Arguments) -> None:
    """What one run has that the other has not, as `diff` tells it."""
    from pt2triage._around.record import REPORT
    from pt2triage._diff import Diff
    from pt2triage._saved import load
    from pt2triage.report.diff_text import render_diff

    ones, others = (
        load(os.path.join(run.folder, REPORT), baselines=False)
        for run in (before, after)
    )
    made = Diff(ones, others)
    if args.confidential:
        made = made.confidential()
    if args.format == "json":
        write_output(made.to_json() + "\n", None, utf8=True)
        return
    lines: list[Line] = [
        [(f"{label} {_named(run)}", "dim")]
        for label, run in (("before ", before), ("after  ", after))
    ]
    if before.record.variables.get("TORCH_LOGS") != after.record.variables.get(
        "TORCH_LOGS"
    ):
        text = "The recipes differ: one run may show what the other only hides."
        lines.append([(text, "warning")])
    lines += [[], *render_diff(made, width=console.output_width(False))]
    text = console.paint(lines, console.wants_color(args.color, False))
    write_output(harmless(text), None, utf8=False)


def _confidential_report(run: Stored, format_name: str) -> str:
    """The report of a run, made anew of its logs: text cannot be cleaned line by
    line, as nobody knows any more which of them are code.
    """
    from pt2triage import scan
    from pt2triage._around.session import kept_inputs

    report = scan(kept_inputs(run.folder)).confidential()
    return report.to_json() if format_name == "json" else report.to_text()


def _named(run: Stored) -> str:
    where = f"run {run.number}" if run.number else run.folder
    command = shlex.join(run.record.command)
    text = one_line(f"{where}, status {_status(run)}: {command}")
    return console.cleaned(text)[:200]


def _read(path: str) -> str:
    from pt2triage._errors import OpenError

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise OpenError(error.errno, error.strerror, path) from error
