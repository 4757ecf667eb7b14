"""Formats for machines: SARIF, annotations of GitHub Actions, JUnit XML."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt2triage
from cases import DATA, all_cases, case
from hostile_texts import HOSTILE, hostile
from made_reports import report_of
from pt2triage import Clusters
from pt2triage.cli import main
from pt2triage.report._items import sheet_of
from pt2triage.report.checkout import relative, root_of
from pt2triage.report.github import harmless
from pt2triage.report.machine import FORMATS, render_machine

RAISED = case("2.13.0/fullgraph_unsupported").log  # one error
LIMIT = case("2.13.0/recompile_limit").log  # two warnings
CLEAN = case("2.13.0/dyn_output").log

SARIF = jsonschema.Draft7Validator(
    json.loads((DATA / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8")),
    format_checker=jsonschema.FormatChecker(),
)
EVIL = (
    *HOSTILE,
    "::error::x",
    "\n::add-mask::x\r::stop-commands::y\r\n  ::set-output name=a::b",
    "##[add-mask]x",
    "100%0A%25: a,b",
    "]]>&amp;<![CDATA[",
    "\ufffe\uffff\ud800\x85\u2028\U0010ffff",
    "../../../etc/passwd",
    "",
)


def made(*texts: str, **more: Any) -> Clusters:
    clusters = Clusters()
    clusters.add(report_of(*(hostile(text, **more) for text in texts)))
    return clusters


def render(clusters: Clusters, format_name: str) -> str:
    return render_machine(sheet_of(clusters), format_name)


def written(tmp_path: Path, *arguments: str | Path) -> tuple[int, str]:
    """Exit status and output of a command."""
    out = tmp_path / "out"
    status = main([*map(str, arguments), "-o", str(out)])
    return status, out.read_text("utf-8")


# Scan and check write all of them.


@pytest.mark.parametrize("command", ["scan", "check"])
@pytest.mark.parametrize("log", [RAISED, LIMIT, CLEAN])
def test_formats(tmp_path: Path, command: str, log: Path) -> None:
    sarif = json.loads(written(tmp_path, command, "--format", "sarif", log)[1])
    SARIF.validate(sarif)
    report = pt2triage.scan(log)
    results = sarif["runs"][0]["results"]
    assert sorted(r["partialFingerprints"]["pt2triage/v1"] for r in results) == sorted(
        f.fingerprint for f in report.findings
    )
    suite = ElementTree.fromstring(
        written(tmp_path, command, "--format", "junit", log)[1]
    )
    cases = suite.findall("testsuite/testcase")
    assert len(cases) == max(len(report.findings), 1)
    errors = sum(f.severity == "error" for f in report.findings)
    assert suite.get("failures") == str(errors)
    assert len(suite.findall("testsuite/testcase/failure")) == errors
    lines = written(tmp_path, command, "--format", "github", log)[1].splitlines()
    assert sum(line.startswith("::error ") for line in lines) == errors
    warnings = len(report.findings) - errors if command == "scan" else 0
    assert sum(line.startswith("::warning ") for line in lines) == warnings
    assert len(lines) == errors + warnings


@pytest.mark.parametrize("one", all_cases(), ids=lambda one: one.id)
def test_every_case(one: Any) -> None:
    clusters = Clusters()
    clusters.add(pt2triage.scan(one.log))
    SARIF.validate(json.loads(render(clusters, "sarif")))
    ElementTree.fromstring(render(clusters, "junit"))
    assert_only_our_commands(render(clusters, "github"))


def test_what_cannot_be_read_is_a_document_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = written(tmp_path, "check", "none.log", RAISED, "--format", "sarif")
    assert status == 2
    SARIF.validate(json.loads(text))
    [invocation] = json.loads(text)["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    [note] = invocation["toolExecutionNotifications"]
    assert note["message"]["text"] == "none.log: No such file or directory"
    status, text = written(tmp_path, "check", "none.log", RAISED, "--format", "junit")
    suite = ElementTree.fromstring(text)
    assert (suite.get("errors"), suite.get("failures")) == ("1", "1")
    for command in ("scan", "check"):
        status, text = written(tmp_path, command, "none.log", "--format", "sarif")
        assert status == 2
        SARIF.validate(json.loads(text))
    capsys.readouterr()


def test_what_a_gate_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--baseline", "b.json"]
    assert main(["check", str(LIMIT), *words, "--update-baseline"]) == 0
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pt2triage]\nignore = [{cause = "limit-reached", reason = "fine <1>"}]\n'
    )
    words = ["check", str(LIMIT), str(RAISED), *words, "--max-recompiles", "7"]
    status, text = written(tmp_path, *words, "--format", "sarif")
    assert status == 1
    SARIF.validate(json.loads(text))
    rows = {
        r["ruleId"]: (r["level"], r["baselineState"], "suppressions" in r)
        for r in json.loads(text)["runs"][0]["results"]
    }
    assert rows == {
        "graph_break/unsupported-builtin": ("error", "new", False),
        "recompilation/scalar-value": ("note", "unchanged", False),
        "recompilation/limit-reached": ("note", "unchanged", True),
    }
    _, text = written(tmp_path, *words, "--format", "junit")
    suite = ElementTree.fromstring(text)
    assert [suite.get(key) for key in ("tests", "failures", "skipped")] == [*"421"]
    [skipped] = suite.findall("testsuite/testcase/skipped")
    assert skipped.get("message") == "fine <1>"
    _, text = written(tmp_path, *words, "--format", "github")
    lines = text.splitlines()
    assert len(lines) == 2
    assert lines[0] == (
        "::error title=pt2triage%3A max-recompiles::8 recompiles, 7 allowed"
    )
    assert "%0Anew: once, not in the baseline%0A" in lines[1]
    capsys.readouterr()


def test_fail_on_of_a_scan(tmp_path: Path) -> None:
    words = ["scan", str(LIMIT), "--fail-on", "recompilation", "-q", "--format"]
    status, text = written(tmp_path, *words, "junit")
    assert status == 1
    assert ElementTree.fromstring(text).get("failures") == "2"
    assert written(tmp_path, *words, "github")[1].count("::error ") == 2


# Files of the checkout.


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "proj"
    for name in ("src/a b.py", "model.py", "src/model.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / ".git").mkdir()
    monkeypatch.chdir(root / "src")
    return root


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("{root}/src/a b.py", "src/a b.py"),
        ("{root}/model.py", "model.py"),
        ("/home/runner/work/proj/proj/model.py", "model.py"),
        ("/home/runner/work/proj/proj/src/model.py", "src/model.py"),
        ("src/model.py", "src/model.py"),
        ("./model.py", "model.py"),
        ("C:\\ci\\proj\\src\\model.py", "src/model.py"),
        ("/usr/lib/model.py", None),  # another one of that name
        ("C:\\model.py", None),
        ("model.pyc", None),
        ("../proj/model.py", None),
        ("/x/proj/../proj/model.py", None),
        ("<string>", None),
        ("", None),
        ("/", None),
        (".", None),
        ("./", None),
        (":", None),
        ("src", None),
        ("a\0b", None),
        ("x" * 10_000, None),
    ],
)
def test_files_of_the_checkout(checkout: Path, path: str, found: str | None) -> None:
    assert root_of() == str(checkout)
    assert relative(path.format(root=checkout), root_of()) == found


def test_places_in_the_checkout(checkout: Path) -> None:
    frame = {"file": "/ci/proj/src/a b.py", "line": 7, "function": "f", "code": None}
    clusters = Clusters()
    clusters.add(report_of({"user_frame": frame}))
    [result] = json.loads(render(clusters, "sarif"))["runs"][0]["results"]
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 7},
    }
    line = render(clusters, "github")
    assert line.startswith("::error file=src/a b.py,line=7,title=recompilation%3A ")


# Texts of logs.


def assert_only_our_commands(text: str) -> None:
    """Each line is one command of ours, as the runner reads it."""
    for line in text.split("\n")[:-1]:
        found = re.fullmatch("::(error|warning|notice) ([^:]*)::(.*)", line)
        assert found, line
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028]", line)
        for part in found[2].split(","):
            assert part.split("=")[0] in {"file", "line", "title"}
        for escape in re.findall("%.{0,2}", found[2] + found[3]):
            assert escape in {"%25", "%0A", "%0D", "%3A", "%2C"}
    assert text.endswith("\n") or not text


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_text_of_a_log_is_no_command(text: str) -> None:
    frame = {"file": text, "line": 1, "function": text, "code": text}
    assert_only_our_commands(render(made(text, user_frame=frame), "github"))


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_xml_holds_any_text(text: str) -> None:
    page = render(made(text), "junit")
    suite = ElementTree.fromstring(page.encode())
    plain = ElementTree.fromstring(render(made("word"), "junit"))
    assert [e.tag for e in suite.iter()] == [e.tag for e in plain.iter()]


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_sarif_holds_any_text(text: str) -> None:
    page = render(made(text, category="graph_break"), "sarif")
    SARIF.validate(json.loads(page))
    page.encode("utf-8")


ANY = st.text(st.characters(codec=None), max_size=20)


@given(ANY)
def test_any_text(text: str) -> None:
    clusters = made(text)
    SARIF.validate(json.loads(render(clusters, "sarif")))
    ElementTree.fromstring(render(clusters, "junit").encode())
    assert_only_our_commands(render(clusters, "github"))


def test_line_is_no_line() -> None:
    frame = {"file": "a.py", "line": 0, "function": None, "code": None}
    for form in FORMATS:
        text = render(made("x", user_frame=frame), form)
        if form == "sarif":
            SARIF.validate(json.loads(text))


def test_without_a_place() -> None:
    clusters = made("x", user_frame=None, evidence=[])
    SARIF.validate(json.loads(render(clusters, "sarif")))
    assert_only_our_commands(render(clusters, "github"))


def test_no_more_annotations_than_are_shown() -> None:
    clusters = Clusters()
    clusters.add(
        report_of(*({"fingerprint": f"{i:012x}", "count": 1} for i in range(13)))
    )
    lines = render(clusters, "github").splitlines()
    assert len(lines) == 11
    assert lines[-1].startswith("::notice title=pt2triage::3 more findings")


@given(st.text(" :\n#[a\t\r", max_size=30))
def test_no_line_of_text_is_a_command(text: str) -> None:
    made = harmless(text)
    for line in re.split("[\r\n]", made):
        assert not line.lstrip().startswith("::")
    assert "##[" not in made


@pytest.mark.parametrize("command", ["scan", "top", "check", "diff"])
def test_text_in_a_job_is_no_command(tmp_path: Path, command: str) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(
        RAISED.read_bytes().replace(
            b"Failed to trace", b"\n::add-mask::x\n##[add-mask]Failed to trace"
        )
    )
    (tmp_path / "empty.log").touch()
    words = [str(log)] if command != "diff" else [str(tmp_path / "empty.log"), str(log)]
    done = subprocess.run(
        [sys.executable, "-m", "pt2triage", command, *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "GITHUB_ACTIONS": "true"},
    )
    assert done.returncode == (command == "check")
    assert not re.search(r"^\s*::", done.stdout + done.stderr, re.MULTILINE)
    assert "##[" not in done.stdout + done.stderr
