"""`pt2triage diff`: what is new, fixed, more and fewer."""

import importlib.resources
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import case
from hostile_texts import HOSTILE, hostile
from made_reports import report_of
from pt2triage import Clusters, Diff
from pt2triage.cli import main
from pt2triage.report.diff_text import render_diff
from pt2triage.report.layout import plain

RAISED = case("2.13.0/fullgraph_unsupported").log  # one error
LIMIT = case("2.13.0/recompile_limit").log  # a limit, and 8 recompiles before it
SEGFAULT = case("2.13.0/segfault").log
BREAKS = case("2.13.0/breaks").log

SCHEMA = json.loads(
    importlib.resources.files("pt2triage").joinpath("diff.schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
GROUPS = ("new", "fixed", "more", "fewer")


def diff(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pt2triage", "diff", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def groups(*arguments: str | Path) -> dict[str, list[tuple[str, int, int]]]:
    """Cause, before and after of each change, by group."""
    done = diff("--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    VALIDATOR.validate(made)
    return {
        group: [(c["cause"], c["before"], c["after"]) for c in made[group]]
        for group in GROUPS
    }


def folder(path: Path, *logs: Path | bytes) -> Path:
    path.mkdir()
    for index, log in enumerate(logs):
        content = log if isinstance(log, bytes) else log.read_bytes()
        (path / f"{index}.log").write_bytes(content)
    return path


def test_new_and_fixed(tmp_path: Path) -> None:
    before = folder(tmp_path / "before", RAISED, LIMIT)
    after = folder(tmp_path / "after", LIMIT, SEGFAULT)
    assert groups(before, after) == {
        "new": [("segfault", 0, 1)],
        "fixed": [("unsupported-builtin", 1, 0)],
        "more": [],
        "fewer": [],
    }
    made = pt2triage.diff(before, after)
    assert made.same == 2
    assert made
    assert repr(made) == "<Diff: 1 new, 1 fixed, 0 more, 0 fewer, 2 same>"
    assert made.counts["crashes"] == (0, 1)
    text = diff(before, after).stdout
    assert text == made.to_text()
    assert re.findall(r"^(\w+) \((\d)\): ", text, re.MULTILINE) == [
        ("new", "1"),
        ("fixed", "1"),
    ]
    assert json.loads(made.to_json()) == json.loads(
        diff("--format", "json", before, after).stdout
    )


def test_more_and_fewer(tmp_path: Path) -> None:
    once = folder(tmp_path / "once", RAISED, LIMIT)
    twice = folder(tmp_path / "twice", RAISED, LIMIT, LIMIT)
    changed = {
        "new": [],
        "fixed": [],
        "more": [("scalar-value", 8, 16), ("limit-reached", 1, 2)],
        "fewer": [],
    }
    assert groups(once, twice) == changed
    assert groups(twice, once) == changed | {
        "more": [],
        "fewer": [("scalar-value", 16, 8), ("limit-reached", 2, 1)],
    }


def test_no_difference(tmp_path: Path) -> None:
    done = diff(LIMIT, LIMIT)
    assert done.returncode == 0
    assert "No difference: 2 failures." in done.stdout
    assert not pt2triage.diff(LIMIT, LIMIT)
    (tmp_path / "empty.log").touch()
    empty = tmp_path / "empty.log"
    assert "No difference: 0 failures." in diff(empty, empty).stdout


@pytest.mark.parametrize("command", ["scan", "top"])
def test_a_saved_report_is_known_by_its_content(tmp_path: Path, command: str) -> None:
    saved = tmp_path / "odd.name"
    assert main([command, "--format", "json", str(BREAKS), "-o", str(saved)]) == 0
    for pair in ((saved, BREAKS), (BREAKS, saved), (saved, saved)):
        assert not any(groups(*pair).values())
        made = pt2triage.diff(*pair)
        assert all(row.before == row.after for row in made.lines)
        assert made.counts["graph_breaks"] == (5, 5)
    assert groups(saved, LIMIT) == groups(BREAKS, LIMIT)
    assert groups(LIMIT, saved) == groups(LIMIT, BREAKS)
    assert diff(saved, LIMIT).stdout == diff(BREAKS, LIMIT).stdout


def test_a_saved_scan_of_many_logs_is_told(tmp_path: Path) -> None:
    """`scan` reads them as one run, `diff` each for itself."""
    logs = folder(tmp_path / "logs", RAISED, BREAKS)
    saved = {"scan": tmp_path / "scan.json", "top": tmp_path / "top.json"}
    for command, path in saved.items():
        assert main([command, "--format", "json", str(logs), "-o", str(path)]) == 0
    sentence = "scan.json: scan read its 2 sources as one run"
    assert sentence in diff(saved["scan"], logs).stderr
    assert sentence in diff(saved["top"], saved["scan"]).stderr
    assert diff(saved["scan"], saved["scan"]).stderr == ""
    assert diff(saved["top"], logs).stderr == ""


def test_lines_of_json_are_no_log(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    assert main(["scan", "--format", "jsonl", str(BREAKS), "-o", str(saved)]) == 0
    done = diff(saved, BREAKS)
    assert done.returncode == 2
    assert "save it with --format json" in done.stderr


def test_by_line(tmp_path: Path) -> None:
    """By hand, from the case: print_break breaks on line 5, item on line 14."""
    lines = {
        (row.category, row.line, row.function): (row.before, row.after)
        for row in pt2triage.diff(LIMIT, BREAKS).lines
    }
    assert lines["graph_break", 5, "print_break"] == (0, 1)
    assert lines["graph_break", 14, "item"] == (0, 1)
    assert lines["recompilation", 46, "g"] == (0, 8)
    assert lines["recompilation", 34, "recompiles"] == (0, 2)  # two causes, one line
    assert lines["recompilation", 39, "f"] == (8, 0)  # without the limit itself
    text = diff(LIMIT, BREAKS).stdout
    assert "recompiles by line\n" in text
    assert "breaks.py:34 in recompiles: 0 -> 2\n      guard: n == 0\n" in text
    assert "cases.py:39 in f: 8 -> 0\n      guard: n == ''\n" in text


def test_moved_lines_are_not_new(tmp_path: Path) -> None:
    moved = re.sub(rb"(cases\.py:|line )39\b", rb"\g<1>41", LIMIT.read_bytes())
    assert moved != LIMIT.read_bytes()
    before = folder(tmp_path / "before", LIMIT)
    after = folder(tmp_path / "after", moved, moved)
    assert not groups(before, after)["new"]
    assert not groups(before, after)["fixed"]
    [line] = pt2triage.diff(before, after).lines
    assert (line.line_before, line.line, line.before, line.after) == (39, 41, 8, 16)
    assert "cases.py:41 in f (was line 39): 8 -> 16" in diff(before, after).stdout


def test_what_is_fixed_on_a_moved_line() -> None:
    """Another break of the moved line is on that line too."""

    def side(line: int, *names: str) -> Clusters:
        clusters = Clusters()
        frame = {"file": "m.py", "line": line, "function": "f", "code": None}
        more = {"category": "graph_break", "user_frame": frame, "guard_failures": []}
        clusters.add(report_of(*({"fingerprint": n * 12} | more for n in names)))
        return clusters

    [line] = Diff(side(10, "a", "b"), side(12, "a")).lines
    assert (line.line_before, line.line, line.before, line.after) == (10, 12, 2, 1)


def test_lines_of_which_one_failure_has_two() -> None:
    """As where jobs of two commits are read, in another order: nothing has changed."""

    def side(**lines: int) -> Clusters:
        clusters = Clusters()
        more = {"category": "graph_break", "guard_failures": []}
        for name, line in lines.items():
            frame = {"file": "m.py", "line": line, "function": "f", "code": None}
            finding = {"fingerprint": name * 12, "user_frame": frame}
            clusters.add(report_of(finding | more))
        return clusters

    rows = Diff(side(a=10, b=10, c=20), side(a=10, b=20, c=20)).lines
    assert all(row.before == row.after for row in rows)
    assert [(row.line_before, row.line, row.after) for row in rows] == [
        (10, 10, 1),
        (20, 20, 2),
    ]


def test_places_that_are_long_can_be_opened(tmp_path: Path) -> None:
    """The log is named whole, and of the code what tells the line."""
    deep = tmp_path / "/".join(["long-folder-name"] * 8)
    deep.mkdir(parents=True)
    log = deep / "run.log"
    code = b"/home/" + b"folder/" * 20 + b"cases.py"
    log.write_bytes(RAISED.read_bytes().replace(b"/home/dev/model/cases.py", code))
    (tmp_path / "empty.log").touch()
    for text in (
        diff(tmp_path / "empty.log", log).stdout,
        subprocess.run(
            [sys.executable, "-m", "pt2triage", "check", str(log)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        ).stdout,
    ):
        lines = [line.strip() for line in text.splitlines()]
        assert f"{log}:3" in lines
        assert any(
            line.startswith("...") and line.endswith("/cases.py:7 in f")
            for line in lines
        )


def test_text_of_very_many_failures_is_bounded() -> None:
    clusters = Clusters()
    more = {"category": "graph_break", "guard_failures": []}
    for i in range(250):
        frame = {"file": "m.py", "line": i, "function": "f", "code": None}
        clusters.add(
            report_of({"fingerprint": f"{i:012x}", "user_frame": frame} | more)
        )
    made = Diff(Clusters(), clusters)
    text = plain(render_diff(made))
    assert "new (250): not there before" in text
    assert text.count("  ... and 150 failures more: --format json\n") == 1
    assert text.count("  ... and 150 lines more: --format json\n") == 1
    assert len(text.splitlines()) < 500
    assert len(json.loads(made.to_json())["new"]) == 250


def test_reports_and_lists() -> None:
    made = pt2triage.diff(pt2triage.scan(RAISED), [RAISED, LIMIT])
    assert [c.cluster.cause for c in made.new] == ["scalar-value", "limit-reached"]
    assert "<pre>" in made._repr_html_()


def test_is_stable(tmp_path: Path) -> None:
    logs = (RAISED, LIMIT, SEGFAULT, BREAKS)
    before = folder(tmp_path / "before", *logs)
    after = folder(tmp_path / "after", *logs[::-1], BREAKS)
    texts = {diff(before, after, "-j", jobs).stdout for jobs in ("1", "4")}
    assert len(texts) == 1


def test_unreadable(tmp_path: Path) -> None:
    done = diff("none.log", RAISED)
    assert done.returncode == 2
    assert done.stderr == "pt2triage: none.log: No such file or directory\n"
    assert "new (1)" in done.stdout
    (tmp_path / "cut.json").write_text('{"schema_version": 1, "findings": [')
    done = diff(tmp_path / "cut.json", RAISED)
    assert done.returncode == 2
    assert "it is not whole JSON" in done.stderr
    assert diff("-", "-").returncode == 2
    words = ["check", str(LIMIT), "--baseline", str(tmp_path / "b.json"), "-q"]
    assert main([*words, "--update-baseline"]) == 0
    done = diff(tmp_path / "b.json", LIMIT)
    assert done.returncode == 2
    assert "it is a baseline, which pt2triage check compares with" in done.stderr
    with pytest.raises(pt2triage.OpenError, match=r"none\.log"):
        pt2triage.diff("none.log", RAISED)


def test_stdin_is_a_side() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pt2triage", "diff", "-", str(RAISED)],
        input=RAISED.read_bytes(),
        capture_output=True,
    )
    assert b"No difference: 1 failure." in done.stdout


def made(text: str, **more: Any) -> Clusters:
    clusters = Clusters()
    clusters.add(report_of(hostile(text, **more)))
    return clusters


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_a_log_is_inert(text: str) -> None:
    shown = Diff(Clusters(), made(text)).to_text()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]", shown)
    # What does not fit has a line of its own, so there has to be room.
    hostile_lines = render_diff(Diff(Clusters(), made(text)), width=10**5)
    lines = render_diff(Diff(Clusters(), made("word")), width=10**5)
    assert plain(hostile_lines).count("\n") == plain(lines).count("\n")
