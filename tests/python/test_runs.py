"""``pt2triage runs``: the store of earlier runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cases import case
from pt2triage._around import store
from pt2triage._around.record import Record, begin, read_record
from pt2triage.cli import main
from running import BREAKS, PT2TRIAGE, prints

NO_BREAKS = case("2.13.0/error_on_recompile").log
pytestmark = pytest.mark.usefixtures("home")


def stored(size: int = 0, status: int | None = 0) -> int:
    """Puts a run into the store."""
    number, folder = store.new_folder()
    record = begin(["python", "a b.py"], "auto", {})
    record.status = status
    record.write(folder)
    with open(os.path.join(folder, "stderr.log"), "wb") as file:
        file.truncate(size)
    return number


def numbers() -> list[int]:
    return [run.number for run in store.stored_runs()]


def test_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    for log in (BREAKS, NO_BREAKS):
        command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", prints(log)]
        subprocess.run(command, check=True, capture_output=True)
    assert main(["runs"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["run", "1", "2"]
    assert "recompilation" in rows[1]
    assert main(["runs", "compare"]) == 0
    text = capsys.readouterr().out
    assert "before  run 1, status 0" in text
    assert "\nfixed (" in text
    assert "\nnew (" in text
    assert main(["runs", "compare", "--format", "json", "2", "-1"]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == []
    assert main(["runs", "show", "1"]) == 0
    text = capsys.readouterr().out
    assert "TORCH_LOGS=graph_breaks,recompiles" in text
    assert "Counts: " in text
    assert main(["runs", "show", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema_version"] == 1
    assert main(["runs", "delete", "1"]) == 0
    assert numbers() == [2]


def test_a_folder_is_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "logs"
    command = [*PT2TRIAGE, "run", "-o", str(folder), "--", sys.executable, "-c", "pass"]
    subprocess.run(command, check=True, capture_output=True)
    assert main(["runs", "compare", str(folder), str(folder)]) == 0
    assert "No difference" in capsys.readouterr().out
    assert main(["runs", "delete", str(folder)]) == 2
    assert folder.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["show", "7"],
        ["show", "last"],
        ["show", "-3"],
        ["show", "nowhere"],
        ["show", "1", "2"],
        ["compare", "1"],
        ["compare"],
        ["delete"],
        ["delete", "--all", "1"],
    ],
)
def test_wrong_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_empty_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list"]) == 0
    assert "no runs are kept" in capsys.readouterr().err


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RUNS", 3)
    monkeypatch.setattr(store, "BYTES", 10_000)
    for size in (0, 0, 0, 6000, 1):
        stored(size)
    assert store.prune(keep=5) == [1, 2]
    assert store.prune(keep=5) == []
    stored(6000)
    assert store.prune(keep=6) == [3, 4]
    assert stored(50_000) == 7
    store.prune(keep=7)
    assert numbers() == [7]


def test_what_runs_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RUNS", 1)
    stored(status=None)
    stored()
    assert store.prune(keep=2) == []
    main(["runs", "delete", "--all"])
    assert numbers() == [1]


def test_only_runs_are_deleted(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "RUNS", 1)
    kept = tmp_path / "kept"
    kept.mkdir()
    begin(["x"], "auto", {}).write(str(kept))
    stored()
    (home / "runs" / "notes").mkdir()
    (home / "runs" / "5").mkdir()  # no record
    (home / "runs" / "6").symlink_to(kept)
    assert stored() == 7 or numbers() == [1, 6]
    store.prune(keep=numbers()[-1])
    assert (home / "runs" / "notes").exists()
    assert (home / "runs" / "5").exists()
    assert (kept / "run.json").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"run_version": 2}',
        '{"run_version": 1, "command": 3, "cwd": "", "started": "", "recipe": "", '
        '"variables": {}}',
    ],
)
def test_a_record_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    assert read_record(str(tmp_path)) is None


def test_names_are_made_safe(capsys: pytest.CaptureFixture[str]) -> None:
    _, folder = store.new_folder()
    record = Record(["a\x1b[31m\n\udcff"], "/", "2026-11-30T07:00:00Z", "auto", {})
    record.status = 0
    record.write(folder)
    assert main(["runs", "list"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PT2TRIAGE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert store.root() == "/data/pt2triage/runs"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/dev")
    assert store.root() == "/home/dev/.local/share/pt2triage/runs"
