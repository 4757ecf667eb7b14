"""``pt2triage run`` around real PyTorch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cases import DATA
from running import PT2TRIAGE

pytestmark = pytest.mark.torch

SCRIPT = DATA.parent / "torch_scenarios.py"


def run(
    scenario: str, folder: Path, *options: str, ours: bool = True
) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, str(SCRIPT), scenario, str(folder / "counters.json")]
    before = [*PT2TRIAGE, "run", *options, "--"] if ours else []
    return subprocess.run(
        [*before, *command], capture_output=True, cwd=folder, timeout=300
    )


@pytest.mark.parametrize(
    ("scenario", "category", "status"),
    [
        ("nothing_wrong", None, 0),
        ("prints", "graph_break", 0),
        ("new_shapes", "recompilation", 0),
        ("branch_on_data", "graph_break", 1),
    ],
)
def test_it_is_seen_as_without_us(
    home: Path, tmp_path: Path, scenario: str, category: str | None, status: int
) -> None:
    """The command's own output and status, then what failed."""
    done = run(scenario, tmp_path)
    plain = run(scenario, tmp_path, ours=False)
    assert done.returncode == plain.returncode == status
    assert done.stdout == plain.stdout
    assert done.stderr.startswith(plain.stderr + b"pt2triage: ")
    folder = home / "runs" / "1"
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["category"] == category
    assert list((folder / "trace").iterdir())
    if category is not None and status == 0:
        assert b"] [__" in (folder / "stderr.log").read_bytes()


def test_own_logs_are_shown(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "graph_code")
    done = run("new_shapes", tmp_path)
    shown = done.stderr.partition(b"pt2triage: ")[0]
    assert b"[__graph_code]" in shown
    assert b"[__recompiles]" not in shown
    assert b"[__recompiles]" in (home / "runs/1/stderr.log").read_bytes()


def test_plain_records_go(home: Path, tmp_path: Path) -> None:
    """A recipe that asks for all that Dynamo tells, at its lowest level."""
    done = run("lowering_fails", tmp_path, "--recipe", "triton_kernel")
    assert b"] [__" not in done.stderr.partition(b"pt2triage: ")[0]
    assert done.returncode == 1


def test_a_small_program_is_made(home: Path, tmp_path: Path) -> None:
    done = run("lowering_fails", tmp_path, "--escalate", "1")
    assert done.returncode == 1
    assert b"  + a small program that fails: " in done.stderr
    assert list((home / "runs/1/again-1/debug").rglob("minifier_launcher.py"))
    assert not (tmp_path / "torch_compile_debug").exists()


def test_all_processes_are_read(home: Path, tmp_path: Path) -> None:
    """Each writes a trace of its own; all are read."""
    command = [sys.executable, str(SCRIPT), "new_shapes", str(tmp_path / "x.json")]
    other = [sys.executable, str(SCRIPT), "prints", str(tmp_path / "y.json")]
    code = f"import subprocess as s\nfor c in ({command}, {other}): s.run(c)"
    subprocess.run(
        [*PT2TRIAGE, "run", "--", sys.executable, "-c", code],
        capture_output=True,
        timeout=300,
        check=True,
    )
    folder = home / "runs" / "1"
    assert len(list((folder / "trace").iterdir())) == 2
    report = json.loads((folder / "report.json").read_text("utf-8"))
    found = {finding["category"] for finding in report["findings"]}
    assert found == {"graph_break", "recompilation"}
    assert report["counts"]["recompiles"] == 2  # log and trace give each once
