"""``pt2triage run``: what stands around a command, without torch."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from running import BREAKS, PT2TRIAGE, Done, Run, prints


def first(home: Path) -> Path:
    return home / "runs" / "1"


def record(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((first(home) / "run.json").read_text("utf-8"))
    return found


def test_ours_go_and_are_told(run_around: Run, home: Path) -> None:
    done = run_around(prints(BREAKS) + "; print('out')")
    assert done.stdout == b"out\n"
    head, _, told = done.stderr.partition(b"pt2triage: ")
    assert b"[__graph_breaks]" not in head
    assert b"[__guards]" in head  # the command's own doing
    assert b"graph_break" in told
    assert (first(home) / "stderr.log").read_bytes() == BREAKS.read_bytes()
    assert (first(home) / "stdout.log").read_bytes() == b"out\n"
    assert record(home)["category"] == "recompilation"
    assert (home / "runs").stat().st_mode & 0o777 == 0o700


def test_show_logs(run_around: Run) -> None:
    done = run_around(prints(BREAKS), "--show-logs")
    assert done.stderr.startswith(BREAKS.read_bytes())


def test_own_logs_stay(run_around: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_LOGS", "graph_breaks,recompiles,recompiles_verbose")
    done = run_around(prints(BREAKS))
    assert done.stderr.startswith(BREAKS.read_bytes())


def test_variables(
    run_around: Run, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    code = "import os; print(os.environ['TORCH_LOGS'], os.environ['TORCH_TRACE'])"
    monkeypatch.setenv("TORCH_LOGS", "+dynamo")
    logs, trace = run_around(code).stdout.decode().split()
    assert logs == "graph_breaks,recompiles,+dynamo"
    assert trace == str(first(home) / "trace")
    monkeypatch.setenv("TORCH_TRACE", "mine")
    logs, trace = run_around(code, "--recipe", "recompilation").stdout.decode().split()
    assert logs == "recompiles,recompiles_verbose,guards,+dynamo"
    assert trace == "mine"


def test_own_variables_win(run_around: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDYNAMO_REPRO_LEVEL", "3")
    code = "import os; print(os.environ['TORCHDYNAMO_REPRO_LEVEL'])"
    done = run_around(code, "--recipe", "backend_compiler_failed")
    assert done.stdout == b"3\n"
    assert b"your own TORCHDYNAMO_REPRO_LEVEL was kept" in done.stderr


def test_own_trace_folder(
    run_around: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only files of this run are read."""
    monkeypatch.setenv("TORCH_TRACE", str(tmp_path / "trace"))
    (tmp_path / "trace").mkdir()
    old = tmp_path / "trace" / "old.log"
    old.write_bytes(BREAKS.read_bytes())
    os.utime(old, (1e9, 1e9))
    assert b"Nothing failed" in run_around("pass").stderr
    new = tmp_path / "trace" / "new.log"
    done = run_around(f"open({str(new)!r}, 'w').write(open({str(BREAKS)!r}).read())")
    assert b"graph_break" in done.stderr


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 143),
    ],
)
def test_exit_status(run_around: Run, home: Path, code: str, status: int) -> None:
    done = run_around(code)
    assert done.returncode == status
    assert f"exit status {status}".encode() in done.stderr
    assert record(home)["status"] == status


def test_no_command(home: Path, tmp_path: Path) -> None:
    def go(*words: str) -> Done:
        return subprocess.run(
            [*PT2TRIAGE, "run", *words], capture_output=True, cwd=tmp_path
        )

    done = go("--", "no-such-program")
    assert (done.returncode, b"cannot run no-such-program" in done.stderr) == (127, 1)
    assert go("--", str(tmp_path)).returncode == 126
    assert not list((home / "runs").iterdir())
    done = go("python", "x.py")
    assert done.returncode == 2
    assert b"pt2triage run -- python x.py" in done.stderr
    assert go("x", "--", "true").returncode == 2
    assert go("--recipe", "x", "--", "true").returncode == 2
    assert go("--").returncode == 2
    assert go("--timeout", "0", "--", "true").returncode == 2
    assert go("--help").returncode == 0


def test_words_are_passed_on(home: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    words = ["--help", "--", "$HOME", "-o", "", "a b"]
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", code, *words]
    assert subprocess.check_output(command).decode().strip() == str(words)


def test_stdin_is_the_commands(run_around: Run) -> None:
    done = run_around("print(input()[::-1])", stdin=b"abc\n")
    assert done.stdout == b"cba\n"


def test_output_folder(run_around: Run, tmp_path: Path, home: Path) -> None:
    assert run_around("print(1)", "-o", "logs").returncode == 0
    assert (tmp_path / "logs" / "stdout.log").read_bytes() == b"1\n"
    assert not home.exists()
    done = run_around("print(1)", "-o", "logs")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"logs: it is not empty" in done.stderr


def test_without_a_store(run_around: Run, tmp_path: Path, home: Path) -> None:
    home.write_text("a file")
    done = run_around(prints(BREAKS) + "; print(1)")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert b"this run is not kept" in done.stderr
    assert b"graph_break" in done.stderr


def test_a_run_in_a_run(run_around: Run, home: Path) -> None:
    inner = [*PT2TRIAGE, "run", "--", sys.executable, "-c", prints(BREAKS)]
    done = run_around(f"import subprocess; subprocess.run({inner!r})")
    assert done.returncode == 0
    assert {p.name for p in (home / "runs").iterdir()} == {"1", "2"}
    assert b"[__graph_breaks]" not in done.stderr  # the outer one takes it out
    for run_folder in (home / "runs").iterdir():
        assert b"[__graph_breaks]" in (run_folder / "stderr.log").read_bytes()
