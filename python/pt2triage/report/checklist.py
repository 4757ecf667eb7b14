"""The steps from a log to a merged fix, as PyTorch's developers go them.

A step is ticked only where the log proves that it is done.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pt2triage._playbook import play_of
from pt2triage.report import search
from pt2triage.skeleton.render import make_skeleton

if TYPE_CHECKING:
    from collections.abc import Callable

    from pt2triage._core import Finding
    from pt2triage._report import Report
    from pt2triage.report.search import Found

_SCRIPT = "python your_script.py"
_TEST_FILE = "test_repro.py"
_INPUTS = 3
_ALL_LOGS = 'TORCH_LOGS="+dynamo,+inductor"'
# Where the bisector of Inductor's passes and lowerings can find the culprit.
_BISECTED = ("accuracy", "backend_compiler_failed", "runtime_crash", "triton_kernel")


@dataclass(frozen=True)
class Case:
    """All that the steps look at."""

    report: Report
    finding: Finding
    found: Found

    @property
    def inputs(self) -> str:
        """The sources of the evidence as words of a shell."""
        names = dict.fromkeys(place.source for place in self.finding.evidence)
        named = [n if n.isprintable() and n[:1] != "<" else "run.log" for n in names]
        named = named[:_INPUTS]
        return " ".join(
            shlex.quote(f"./{name}" if name.startswith("-") else name) for name in named
        )

    @property
    def script(self) -> str:
        """The user's command, as the finding knows it."""
        words = (self.finding.next_command or "").rpartition("python ")
        return f"python {words[2]}" if words[1] else _SCRIPT


@dataclass(frozen=True)
class Step:
    """One line of the list.

    Attributes:
        title: What is done.
        done: What in the log proves it; None where nothing does.
        command: How to do it.
    """

    title: str
    done: str | None
    command: str


# Title, proof, command, and whether it is of use for failures that are not PT2's.
Row = tuple[str, "Callable[[Case], str | None]", "Callable[[Case], str]", bool]


def steps(case: Case) -> list[Step]:
    """All steps, in order; those for PyTorch only where it is to blame."""
    rows = [row for row in _ROWS if case.finding.category != "other" or row[3]]
    return [Step(title, done(case), command(case)) for title, done, command, _ in rows]


def _never(case: Case) -> str | None:
    return None


def _environment(case: Case) -> str | None:
    if "PyTorch version" in case.found.environment:
        return "the log holds a collect_env block"
    return None


def _reproduced(case: Case) -> str | None:
    if case.found.program is not None:
        return "the log prints a program"
    return None


def _minimised(case: Case) -> str | None:
    minified = case.found.artifact(search.MINIFIED)
    return f"the minifier wrote {minified.path}" if minified is not None else None


def _test(case: Case) -> str | None:
    test = case.finding.test_id
    return f"{test} fails in the log" if test else None


def _on_main(case: Case) -> str | None:
    versions = [source.torch_version or "" for source in case.report.sources]
    versions.append(case.found.environment.get("PyTorch version", ""))
    for version in versions:
        if ".dev" in version or "+git" in version:
            return f"the log is of {version}, a build of main"
    return None


def _logs(case: Case) -> str | None:
    records = sum(s.log_records + s.trace_records for s in case.report.sources)
    return f"{records:,} records of PyTorch were read" if records else None


def _classified(case: Case) -> str | None:
    return f"{case.finding.category}, cause {case.finding.cause}"


def _artifacts(case: Case) -> str | None:
    number = len(case.found.artifacts)
    return f"{number} named in the log" if number else None


def _artifact_command(case: Case) -> str:
    return f"TORCH_TRACE=trace TORCH_COMPILE_DEBUG=1 {case.script}"


def _summary(case: Case) -> str:
    return f"pt2triage scan --format markdown {case.inputs} -o summary.md"


def _minify(case: Case) -> str:
    launcher = case.found.artifact(search.LAUNCHER)
    if launcher is not None:
        return f"pt2triage minify {shlex.quote(launcher.path)}"
    if case.finding.category not in _BISECTED:  # before there is a graph to minify
        return f"{_test_command(case)} && python {_TEST_FILE}"
    level = 4 if case.finding.category == "accuracy" else 2
    setting = f"TORCHDYNAMO_REPRO_AFTER=aot TORCHDYNAMO_REPRO_LEVEL={level}"
    return f"{setting} {case.script}"


def _main_command(case: Case) -> str:
    build = "python -m pip install -v -e . --no-build-isolation"
    return f"git pull && {build} && {case.script}"


def _log_command(case: Case) -> str:
    play = play_of(case.finding.category)
    commands = [recipe["command"] for recipe in play["recipes"]] if play else []
    logs = [command for command in commands if "TORCH_LOGS" in command]
    return f"{logs[0] if logs else _ALL_LOGS} {case.script}"


def _test_command(case: Case) -> str:
    return f"pt2triage scan {case.inputs} --unit-test {_TEST_FILE}"


def _root_cause(case: Case) -> str:
    play = play_of(case.finding.category)
    if case.finding.category not in _BISECTED and play is not None:
        return f"{play['recipes'][1]['command']} {case.script}"
    return f"python -m torch._inductor.compiler_bisector run {case.script}"


def _fix(case: Case) -> str:
    play = play_of(case.finding.category)
    files = " ".join(file["path"] for file in play["files"][:3]) if play else "torch"
    return f"git log -n 10 --oneline -- {files}"


def _verify(case: Case) -> str:
    skeleton = make_skeleton(case.finding)
    return " && ".join(skeleton.commands) if skeleton else case.script


_ROWS: tuple[Row, ...] = (
    ("Environment", _environment, lambda case: "pt2triage env --format markdown", True),
    ("Reproduce", _reproduced, lambda case: case.script, True),
    ("Minimise", _minimised, _minify, False),
    ("Failing unit test", _test, _test_command, False),
    ("Verify on main", _on_main, _main_command, False),
    ("Logs", _logs, _log_command, False),
    ("Classify", _classified, lambda case: f"pt2triage scan {case.inputs}", True),
    ("Artifacts", _artifacts, _artifact_command, False),
    ("Root cause", _never, _root_cause, False),
    ("Fix", _never, _fix, False),
    ("Verify the fix", _never, _verify, False),
    ("Self-review", _never, lambda case: "git diff main && lintrunner -a", False),
    ("Summary", _never, _summary, True),
)
