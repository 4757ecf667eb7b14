"""`pt2triage check`: gates, baselines, what is ignored."""

import importlib.resources
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import case

RAISED = case("2.13.0/fullgraph_unsupported").log  # one error of category graph_break
LIMIT = case("2.13.0/recompile_limit").log  # warnings: a limit, 8 recompiles
BREAKS = case("2.13.0/breaks").log  # warnings: 5 graph breaks, 11 recompiles ...
CLEAN = case("2.13.0/dyn_output").log
SEGFAULT = case("2.13.0/segfault").log

Done = subprocess.CompletedProcess[str]
Check = Callable[..., Done]


def schema(name: str) -> jsonschema.Draft202012Validator:
    text = importlib.resources.files("pt2triage").joinpath(name).read_text()
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Runs `pt2triage check ARGUMENTS` in an empty folder."""

    def run(*arguments: str | Path | int, stdin: str = "") -> Done:
        command = [sys.executable, "-m", "pt2triage", "check", *map(str, arguments)]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=tmp_path
        )

    return run


def fingerprint(path: Path) -> str:
    found = pt2triage.scan(path).finding
    assert found is not None
    return found


# Gates.


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([RAISED], 1),  # an error
        ([SEGFAULT], 1),
        ([LIMIT], 0),  # warnings
        ([BREAKS], 0),
        ([CLEAN], 0),
        ([CLEAN, RAISED], 1),
        ([BREAKS, "--max-graph-breaks", 5], 0),
        ([BREAKS, "--max-graph-breaks", 4], 1),
        ([BREAKS, "--max-recompiles", 11], 0),
        ([BREAKS, "--max-recompiles", 10], 1),
        ([BREAKS, LIMIT, "--max-recompiles", 19], 0),  # in all together
        ([BREAKS, LIMIT, "--max-recompiles", 18], 1),
        ([BREAKS, "--max-graph-breaks", 5, "--max-recompiles", 0], 1),
        ([CLEAN, "--max-graph-breaks", 0, "--max-recompiles", 0], 0),
        ([RAISED, "--max-recompiles", 0], 0),  # only what is asked for
        ([RAISED, "--max-recompiles", 0, "--fail-on", "graph_break"], 1),
        ([RAISED, "--fail-on", "accuracy"], 0),
        ([LIMIT, "--fail-on", "accuracy,recompilation"], 1),  # warnings too
    ],
)
def test_gates(check: Check, arguments: list[Any], status: int) -> None:
    done = check(*arguments)
    assert done.returncode == status, done.stdout
    assert done.stdout.startswith(("Passed: ", "Failed: ")[status])
    document = json.loads(check("--format", "json", *arguments).stdout)
    schema("check.schema.json").validate(document)
    assert document["passed"] == (not status)
    assert bool(document["broken"]) == bool(status)


def test_says_what_broke_which_gate(check: Check) -> None:
    done = check(RAISED, BREAKS, "--max-graph-breaks", 4, "--fail-on", "graph_break")
    text = done.stdout
    assert text.startswith("Failed: fail-on, max-graph-breaks (2 sources).\n")
    found = f"graph_break: unsupported-builtin  {fingerprint(RAISED)}"
    assert f"  fail-on           {found}" in text
    assert "  max-graph-breaks  5 graph breaks, 4 allowed\n" in text
    assert "cases.py:7 in f\n" in text
    assert f"{RAISED}:3\n" in text
    assert "--update-baseline" in text
    assert "A budget is raised by its option" in text


def test_errors_that_no_gate_looks_at_are_told(check: Check) -> None:
    text = check(RAISED, "--max-recompiles", 0).stdout
    assert "1 error that no gate looks at: --fail-on names categories." in text
    assert "no gate" not in check(RAISED, "--fail-on", "graph_break").stdout


def test_what_no_gate_looks_at_is_not_called_accepted(check: Check) -> None:
    check(LIMIT, "--baseline", "b.json", "--update-baseline")
    done = check(LIMIT, RAISED, "--baseline", "b.json", "--fail-on", "accuracy")
    assert done.returncode == 0
    assert "3 findings in 2 sources, all that count accepted." in done.stdout


# Inputs.


def test_no_input_does_not_pass(check: Check, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = check("empty")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is nothing to check" in done.stderr
    assert check("empty", "--baseline", "b.json", "--update-baseline").returncode == 2
    assert not (tmp_path / "b.json").exists()
    # A quiet run leaves an empty log.
    (tmp_path / "quiet.log").touch()
    assert check("quiet.log").returncode == 0


def test_unreadable_wins(check: Check) -> None:
    done = check(RAISED, "none.log")
    assert done.returncode == 2
    assert "none.log: No such file or directory" in done.stderr
    assert done.stdout.startswith("Failed: error (1 source).")
    assert check(CLEAN, "none.log").returncode == 2


def test_stdin(check: Check) -> None:
    assert check("-", stdin=RAISED.read_text()).returncode == 1
    assert check("-", stdin="").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [LIMIT, "--max-recompiles", "-1"],
        [LIMIT, "--max-recompiles", "x"],
        [LIMIT, "--fail-on", "nonsense"],
        [LIMIT, "--update-baseline"],
        [LIMIT, "--baseline", "none.json"],
        [LIMIT, "--config", "none.toml"],
        [LIMIT, "-o", "no/such/folder"],
        [],
    ],
)
def test_wrong_usage(check: Check, arguments: list[Any]) -> None:
    done = check(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


# Baselines.


def test_baseline(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "accepted.json"
    done = check(BREAKS, "--baseline", file)
    assert done.returncode == 2
    assert "there is no baseline yet: --update-baseline makes it" in done.stderr
    done = check(BREAKS, "--baseline", file, "--update-baseline")
    assert (done.returncode, done.stdout) == (0, "")
    assert "11 findings accepted (11 new, 0 changed, 0 removed)" in done.stderr
    schema("baseline.schema.json").validate(json.loads(file.read_text()))
    done = check(BREAKS, "--baseline", file)
    assert done.returncode == 0
    assert "all of them accepted" in done.stdout
    # Errors are compared too, and so are warnings.
    for log in (RAISED, LIMIT):
        done = check(BREAKS, log, "--baseline", file)
        assert done.returncode == 1
        assert f"  {fingerprint(log)}  " in done.stdout
        assert "Failed: new (2 sources)." in done.stdout
    # More of the same.
    done = check(BREAKS, BREAKS, "--baseline", file)
    assert done.returncode == 0  # one file, named twice
    (tmp_path / "copy.log").write_bytes(BREAKS.read_bytes())
    done = check(BREAKS, "copy.log", "--baseline", file)
    assert done.returncode == 1
    assert "Failed: more (2 sources)." in done.stdout
    assert "16 times, 8 in the baseline" in done.stdout
    # Only some categories.
    for category, status in (("graph_break", 0), ("recompilation", 1)):
        words = ["--baseline", file, "--fail-on", category]
        assert check(BREAKS, LIMIT, *words).returncode == status
    # Fewer.
    done = check(CLEAN, "--baseline", file)
    assert done.returncode == 0
    assert "11 findings of the baseline did not happen" in done.stdout
    document = json.loads(check(CLEAN, "--baseline", file, "--format", "json").stdout)
    assert len(document["gone"]) == 11


def test_an_update_changes_what_has_changed(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "accepted.json"
    words = ("--baseline", file, "--update-baseline")
    check(BREAKS, *words)
    first = json.loads(file.read_text())
    order = [(a["category"], a["cause"], a["fingerprint"]) for a in first["accepted"]]
    assert order == sorted(order)
    text = file.read_text().replace('"Data-dependent branching"', '"seen by hand"')
    file.write_text(text)
    check(BREAKS, *words)
    assert file.read_text() == text
    done = check(BREAKS, RAISED, *words)
    assert "12 findings accepted (1 new, 0 changed, 0 removed)" in done.stderr
    added = set(file.read_text().splitlines()) - set(text.splitlines())
    assert f'      "fingerprint": "{fingerprint(RAISED)}",' in added
    done = check(RAISED, *words)
    assert "1 findings accepted (0 new, 0 changed, 11 removed)" in done.stderr
    assert "/home/" not in file.read_text()  # no folders of a machine


def test_a_saved_report_is_a_baseline(check: Check, tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text(pt2triage.scan(LIMIT).to_json())
    assert check(LIMIT, "--baseline", "before.json").returncode == 0
    done = check(RAISED, "--baseline", "before.json")
    assert done.returncode == 1
    assert "with --baseline FILE --update-baseline" in done.stdout
    # It is not overwritten.
    done = check(RAISED, "--baseline", "before.json", "--update-baseline")
    assert done.returncode == 2
    assert "it is no baseline; it stays as it is" in done.stderr


def test_a_baseline_among_the_logs_is_no_log(check: Check, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_bytes(LIMIT.read_bytes())
    words = ("logs", "--baseline", "logs/accepted.json")
    check(*words, "--update-baseline")
    assert "2 findings in 1 source, all of them accepted" in check(*words).stdout
    (tmp_path / "logs" / "a.log").unlink()
    assert check(*words).returncode == 2


def test_an_update_replaces_no_log(check: Check, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(LIMIT.read_bytes())
    for paths in ([log], [RAISED]):
        assert check(*paths, "--baseline", log, "--update-baseline").returncode == 2
    assert log.read_bytes() == LIMIT.read_bytes()


def test_no_update_of_half_the_inputs(check: Check, tmp_path: Path) -> None:
    words = ("--baseline", "accepted.json", "--update-baseline")
    check(BREAKS, *words)
    before = (tmp_path / "accepted.json").read_bytes()
    done = check(LIMIT, "none.log", *words)
    assert done.returncode == 2
    assert "the baseline stays as it is" in done.stderr
    assert (tmp_path / "accepted.json").read_bytes() == before


# Settings.


def settings(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.pt2triage]\n{text}\n")


def test_settings(check: Check, tmp_path: Path) -> None:
    settings(tmp_path, "max-graph-breaks = 4")
    assert check(BREAKS).returncode == 1
    assert check(BREAKS, "--max-graph-breaks", 5).returncode == 0  # the option wins
    settings(tmp_path, "max-recompiles = 11")
    assert check(BREAKS).returncode == 0
    settings(tmp_path, 'fail-on = ["recompilation"]')
    done = check(BREAKS)
    assert done.returncode == 1
    assert "settings: pyproject.toml" in done.stdout
    assert check(BREAKS, "--fail-on", "accuracy").returncode == 0


IGNORE = [
    'fingerprint = "{fingerprint}"',
    'fingerprint = "{start}*"',
    'cause = "unsupported-builtin"',
    'cause = "graph_break/*"',
    'file = "model/cases.py"',
    'file = "/home/*"',
    'message = "Failed to trace*"',
    'fingerprint = "{start}*", cause = "unsupported-*", file = "cases.py"',
]
KEEP = [
    'fingerprint = "000000000000"',
    'cause = "recompilation/*"',
    'file = "el/cases.py"',
    'test = "*"',  # it has no test
    'fingerprint = "{start}*", cause = "generator"',  # all must match
]


@pytest.mark.parametrize("rule", [*IGNORE, *KEEP])
def test_ignore(check: Check, tmp_path: Path, rule: str) -> None:
    one = fingerprint(RAISED)
    rule = rule.format(fingerprint=one, start=one[:4])
    settings(tmp_path, f'ignore = [{{ {rule}, reason = "a known one" }}]')
    done = check(RAISED)
    ignored = rule in [r.format(fingerprint=one, start=one[:4]) for r in IGNORE]
    assert done.returncode == (not ignored)
    assert ("a known one" in done.stdout) == ignored
    # What is ignored is in no baseline.
    check(RAISED, "--baseline", "b.json", "--update-baseline")
    accepted = json.loads((tmp_path / "b.json").read_text())["accepted"]
    assert len(accepted) == (not ignored)


def test_budgets_count_what_is_ignored(check: Check, tmp_path: Path) -> None:
    settings(tmp_path, 'ignore = [{ cause = "graph_break/*", reason = "x" }]')
    assert check(BREAKS, "--max-graph-breaks", 4).returncode == 1


def test_the_nearest_file_with_settings(check: Check, tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    settings(tmp_path, "max-graph-breaks = 4")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")

    def status(*arguments: str) -> int:
        command = [sys.executable, "-m", "pt2triage", "check", str(BREAKS), *arguments]
        return subprocess.run(command, cwd=inner, capture_output=True).returncode

    assert status() == 1
    settings(tmp_path / "a", "max-graph-breaks = 5")
    assert status() == 0
    assert status("--config", str(tmp_path / "pyproject.toml")) == 1


@pytest.mark.parametrize(
    ("text", "key", "sentence"),
    [
        ("max-graph-break = 1", "max-graph-break", "there is no such key"),
        ("max-graph-breaks = -1", "max-graph-breaks", "no number of 0 or more"),
        ("max-recompiles = true", "max-recompiles", "no number of 0 or more"),
        ("max-recompiles = '1'", "max-recompiles", "no number of 0 or more"),
        ('fail-on = ["x"]', "fail-on[0]", "there is no category 'x'"),
        ("fail-on = 3", "fail-on", "it must be a list of categories"),
        ("fail-on = [3]", "fail-on[0]", "there is no category 3"),
        ("ignore = 'x'", "ignore", "it must be a list of tables"),
        ("ignore = ['x']", "ignore[0]", "it must be a table"),
        ("ignore = [{cause = 'x'}]", "ignore[0]", "it has no reason"),
        ("ignore = [{reason = 'x'}]", "ignore[0]", "nothing to ignore"),
        ("ignore = [{reason = ' ', file = 'x'}]", "ignore[0].reason", "says something"),
        ("ignore = [{reason = 'x', fil = 'x'}]", "ignore[0].fil", "no such key"),
        ("ignore = [{reason = 'x', file = 1}]", "ignore[0].file", "says something"),
    ],
)
def test_wrong_settings(
    check: Check, tmp_path: Path, text: str, key: str, sentence: str
) -> None:
    settings(tmp_path, text)
    done = check(CLEAN)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pyproject.toml: tool.pt2triage.{key}: " in done.stderr
    assert sentence in done.stderr


def test_broken_settings(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    for content, sentence in (
        (b"[tool.pt2triage", "it is no TOML"),
        (b"\xff", "it is no TOML"),
        (b"[tool]\npt2triage = 3", "tool.pt2triage: it must be a table"),
    ):
        file.write_bytes(content)
        done = check(CLEAN)
        assert done.returncode == 2
        assert f"{file}: " in done.stderr
        assert sentence in done.stderr
    file.write_text("tool = 3")
    assert check(CLEAN).returncode == 0
    assert "it has no [tool.pt2triage]" in check(CLEAN, "--config", file).stderr
