"""Errors say which file or word they are about, and the way out."""

import subprocess
import sys
from pathlib import Path

import pytest

ERRORS = [
    # What is called, what is said. a.log, other.json, cut.zip and bad.toml are there.
    (["scan"], "no input is named; name a file, a folder or - for stdin"),
    (["scan", "no.log"], "no.log: No such file or directory"),
    (["scan", "no*.log"], "no*.log: No file matches the pattern"),
    (["scan", "cut.zip"], "cut.zip: it ends in a header, cut off: fetch it again"),
    (["scan", "a.log", "-o", "."], "cannot write .: it is a folder"),
    (["scan", "a.log", "-o", "no/x"], "cannot write no/x: there is no folder no"),
    (["scan", "a.log", "-o", "a.log"], "cannot write a.log: it is one of the inputs"),
    (["scan", "a.log", "--unit-test", "a.log"], "a.log is there already; name a new"),
    (["scan", "a.log", "--category", "graph-brake"], "did you mean graph_break"),
    (["scan", "a.log", "--state", "other.json"], "other.json: It is no state"),
    (["scan", "a.log", "--fromat", "json"], "did you mean --format?"),
    (["scan", "a.log", "--zzz"], "Try 'pt2triage scan --help'."),
    (["runs", "list", "--zzz"], "Try 'pt2triage runs --help'."),
    (["run", "--recipes", "auto", "--", "true"], "did you mean --recipe?"),
    (["a.log"], "did you mean: pt2triage scan a.log"),
    (["top", "a.log", "--since", "other.json"], "as scan --format json, top"),
    (["top", "a.log", "--show", "fff"], "begins fff; top lists them"),
    (["diff", "-", "-"], "stdin can be one side only; name a file for the other"),
    (["check", "a.log", "--baseline", "no.json"], "no.json: there is no baseline yet"),
    (["check", "a.log", "--baseline", "no.json"], "--update-baseline makes it"),
    (["check", "a.log", "--config", "bad.toml"], "bad.toml: it is no TOML: "),
    (["check", "a.log", "--config", "bad.toml"], "at line 2, column "),
    (["explain", "recompilatoin"], "did you mean: recompilation"),
    (["explain", "zzzqqq"], "pt2triage explain --list shows all words"),
    (["minify", "a.log"], "a.log: it does not import"),
    (["run"], "it stands after --: pt2triage run -- python train.py"),
    (["run", "-o", ".", "--", "true"], ".: it is not empty; name a new folder"),
    (["runs", "show", "999"], "there is no run 999; see pt2triage runs list"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("errors")
    (path / "a.log").write_text("nothing\n")
    (path / "other.json").write_text('{"x": 1}\n')
    (path / "cut.zip").write_bytes(b"PK\3\4broken")
    (path / "bad.toml").write_text("[tool.pt2triage]\nmax-recompiles = \n")
    return path


@pytest.mark.parametrize(("words", "told"), ERRORS, ids=lambda value: str(value)[:40])
def test_what_is_told(words: list[str], told: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pt2triage", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_table_needs_a_folder(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    words = ["scan", "a.log", "--format", "parquet", "-o", "other.json"]
    test_what_is_told(words, "other.json: it is a file; name a folder", folder)
