"""The examples do what they say."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cases import ROOT, case
from pt2triage.cli import main
from pt2triage.cli._parser import COMMANDS
from pt2triage.report.checklist import _ROWS

ACTION = ROOT / "examples" / "github-action"
GITLAB = ROOT / "examples" / "gitlab" / "pt2triage.gitlab-ci.yml"
RAISED = case("2.13.0/fullgraph_unsupported").log
BREAKS = case("2.13.0/breaks").log


def run_action(folder: Path, **inputs: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(ACTION / "check.sh")],
        cwd=folder,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            **inputs,
        },
    )


def test_action(tmp_path: Path) -> None:
    done = run_action(
        tmp_path,
        PT2TRIAGE_PATHS=f"{RAISED} \n\n{BREAKS}\t\n",
        PT2TRIAGE_SARIF="x.sarif",
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("::error title=graph_break%3A unsupported-builtin::")
    token = lines[1].removeprefix("::stop-commands::")
    assert lines[2].startswith("Failed: error (2 sources).")
    assert lines[-1] == f"::{token}::"
    assert json.loads((tmp_path / "x.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "summary.md").read_text().startswith("# 12 clusters of ")


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("MAX_GRAPH_BREAKS", "5", 0),
        ("MAX_GRAPH_BREAKS", "4", 1),
        ("MAX_RECOMPILES", "10", 1),
        ("FAIL_ON", "accuracy", 0),
        ("FAIL_ON", "graph_break", 1),
        ("FAIL_ON", "graph_break; touch evil", 2),
        ("BASELINE", "$(touch evil)", 2),
    ],
)
def test_inputs(tmp_path: Path, name: str, value: str, status: int) -> None:
    inputs = {"PT2TRIAGE_PATHS": str(BREAKS), f"PT2TRIAGE_{name}": value}
    assert run_action(tmp_path, **inputs).returncode == status
    assert not (tmp_path / "evil").exists()


def test_paths_are_needed(tmp_path: Path) -> None:
    for paths in ("", "\n  \n"):
        assert run_action(tmp_path, PT2TRIAGE_PATHS=paths).returncode == 2
    assert run_action(tmp_path, PT2TRIAGE_PATHS="none.log").returncode == 2
    assert run_action(tmp_path, PT2TRIAGE_PATHS="-x").returncode == 2


def test_inputs_reach_the_shell_as_variables_only() -> None:
    text = (ACTION / "action.yml").read_text()
    for line in re.sub(r"(?m)^#.*$", "", text).splitlines():
        if "${{" in line:
            assert re.fullmatch(r" +[A-Z0-9_]+: \$\{\{ inputs\.[a-z-]+ \}\}", line), (
                line
            )
    used = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert used == set(re.findall(r"(?m)^  ([a-z-]+):$", text.partition("runs:")[0]))
    named = set(re.findall(r"PT2TRIAGE_[A-Z_]+", (ACTION / "check.sh").read_text()))
    assert named == set(re.findall(r"PT2TRIAGE_[A-Z_]+", text))


def test_commands_of_the_gitlab_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"- python -m pt2triage (.+)", GITLAB.read_text())
    assert len(found) == 3
    statuses = []
    for command in found:
        command = command.replace("$PT2TRIAGE_LOGS", str(RAISED))
        command = command.replace("$PT2TRIAGE_GATES", "--max-graph-breaks 0")
        statuses.append(main(command.removesuffix(" || true").split()))
    assert statuses == [0, 0, 0]
    assert (tmp_path / "pt2triage.html").exists()
    assert (tmp_path / "pt2triage.xml").exists()


# The skill for coding assistants.

SKILL = (ROOT / "examples" / "skill" / "SKILL.md").read_text("utf-8")


def test_skill_has_the_steps_of_the_checklist() -> None:
    titles = re.findall(r"^\d+\. \*\*(.+?)\*\*", SKILL, re.MULTILINE)
    assert titles == [title for title, *_ in _ROWS]


def test_skill_names_commands_and_options_that_are_there() -> None:
    commands = {command.NAME for command in COMMANDS}
    named = set(re.findall(r"pt2triage (\w+)", SKILL)) - {"says"}
    assert named - commands == set()
    options = set(re.findall(r"(?<=\s)--[a-z-]+[a-z]", SKILL))
    helps = "".join(
        subprocess.run(
            [sys.executable, "-m", "pt2triage", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in sorted(named)
    )
    assert {option for option in options if option not in helps} == set()


def test_skill_has_a_head() -> None:
    head = SKILL.split("---\n")[1]
    assert re.search(r"^name: [a-z0-9-]+$", head, re.MULTILINE)
    [about] = re.findall(r"^description: (.+)$", head, re.MULTILINE)
    assert len(about) <= 1024
