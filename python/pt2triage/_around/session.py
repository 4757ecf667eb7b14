"""One run of a command with a recipe, from its variables to its report."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import scan
from pt2triage._around.child import Ended, run_child
from pt2triage._around.recipes import Environment, Recipe, environment
from pt2triage._around.record import REPORT, REPORT_TEXT, Record, begin
from pt2triage._around.streams import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pt2triage._report import Report

# Seconds by which the clock of a file system may be behind ours.
_SLACK = 2.0


class Session(NamedTuple):
    """A run that has ended.

    Attributes:
        folder: Where its files are.
        recipe: What it ran with.
        environment: The variables.
        ended: How it ended.
        report: What its logs and traces say.
        record: What is kept of it.
    """

    folder: str
    recipe: Recipe
    environment: Environment
    ended: Ended
    report: Report
    record: Record


def run_session(
    command: Sequence[str],
    recipe: Recipe,
    folder: str,
    base: Mapping[str, str],
    *,
    shown: Shown,
    timeout: float | None = None,
) -> Session:
    """Runs `command` with a recipe, and reads what all of its processes wrote.

    Args:
        command: The program and its arguments.
        recipe: Which variables to set.
        folder: A folder that is there, for the files.
        base: The user's environment.
        shown: What the user sees meanwhile.
        timeout: Seconds after which all of it is ended.

    Raises:
        OSError: A file in `folder` cannot be written or read.
    """
    around = environment(recipe, folder, base)
    if "TORCH_TRACE" in around.ours:
        os.makedirs(around.trace, exist_ok=True)
    record = begin(list(command), recipe.name, around.ours)
    record.write(folder)
    start = time.time() - _SLACK
    ended = run_child(command, around, folder, shown=shown, timeout=timeout)
    record.status, record.timed_out = ended.status, ended.timed_out
    record.seconds = round(ended.seconds, 3)
    record.write(folder)
    report = scan(_inputs(folder, around, start))
    with open(os.path.join(folder, REPORT), "wb") as file:
        report.write_json(file.write)
    write_text(report, folder)
    record.category = report.category
    if report.findings:
        record.finding, record.cause = report.finding, report.findings[0].cause
    record.write(folder)
    return Session(folder, recipe, around, ended, report, record)


def write_text(report: Report, folder: str) -> None:
    """Puts the report as text into the folder of a run.

    Raises:
        OSError: It cannot be written.
    """
    with open(os.path.join(folder, REPORT_TEXT), "wb") as file:
        file.write(report.to_text().encode("utf-8", "backslashreplace"))


def _inputs(folder: str, around: Environment, start: float) -> list[str]:
    """Logs that hold something, then traces and debug folders of this run."""
    logs = _logs(folder)
    found = [path for path in logs if os.path.getsize(path)]
    if "TORCH_TRACE" not in around.ours:  # the user's folder may hold older ones
        found += [path for path in _files(around.trace) if _changed(path, start)]
    elif _files(around.trace):
        found.append(around.trace)
    debug = os.path.join(folder, "debug")
    found += [debug] if _files(debug) else []
    return found or logs[:1]


def kept_inputs(folder: str) -> list[str]:
    """The same of a run that was kept."""
    traces = os.path.join(folder, "trace")
    debug = os.path.join(folder, "debug")
    return [*_logs(folder), *(place for place in (traces, debug) if _files(place))]


def _logs(folder: str) -> list[str]:
    return [
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder), key=_log_order)
        if name.startswith(("stderr.", "stdout.")) and name.endswith(".log")
    ]


def _log_order(name: str) -> tuple[str, int]:
    """stderr before stdout, and the parts of each in their order."""
    stem, *part = name.split(".")[:2]
    number = part[0] if part else ""
    return stem, int(number) if number.isdecimal() else 0


def _files(folder: str) -> list[str]:
    return [
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in sorted(names)
    ]


def _changed(path: str, start: float) -> bool:
    try:
        return os.stat(path).st_mtime >= start
    except OSError:
        return False
