"""``pt2triage run``: what stands around a command, without torch."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pt2triage._around.channel import Channel
from pt2triage._around.log_file import LogFile
from running import BREAKS, PT2TRIAGE, is_alive, prints

Done: TypeAlias = "subprocess.CompletedProcess[bytes]"
Run: TypeAlias = Callable[..., Done]


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Run:
    """Runs `pt2triage run OPTIONS -- python -c CODE`."""

    def go(code: str, *options: str, stdin: bytes = b"") -> Done:
        command = [*PT2TRIAGE, "run", *options, "--", sys.executable, "-c", code]
        return subprocess.run(
            command, input=stdin, timeout=120, cwd=tmp_path, capture_output=True
        )

    return go


def first(home: Path) -> Path:
    return home / "runs" / "1"


def record(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((first(home) / "run.json").read_text("utf-8"))
    return found


def test_ours_go_and_are_told(run: Run, home: Path) -> None:
    done = run(prints(BREAKS) + "; print('out')")
    assert done.stdout == b"out\n"
    head, _, told = done.stderr.partition(b"pt2triage: ")
    assert b"[__graph_breaks]" not in head
    assert b"[__guards]" in head  # the command's own doing
    assert b"graph_break" in told
    assert (first(home) / "stderr.log").read_bytes() == BREAKS.read_bytes()
    assert (first(home) / "stdout.log").read_bytes() == b"out\n"
    assert record(home)["category"] == "recompilation"
    assert (home / "runs").stat().st_mode & 0o777 == 0o700


def test_show_logs(run: Run) -> None:
    done = run(prints(BREAKS), "--show-logs")
    assert done.stderr.startswith(BREAKS.read_bytes())


def test_own_logs_stay(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_LOGS", "graph_breaks,recompiles,recompiles_verbose")
    done = run(prints(BREAKS))
    assert done.stderr.startswith(BREAKS.read_bytes())


def test_variables(run: Run, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    code = "import os; print(os.environ['TORCH_LOGS'], os.environ['TORCH_TRACE'])"
    monkeypatch.setenv("TORCH_LOGS", "+dynamo")
    logs, trace = run(code).stdout.decode().split()
    assert logs == "graph_breaks,recompiles,+dynamo"
    assert trace == str(first(home) / "trace")
    monkeypatch.setenv("TORCH_TRACE", "mine")
    logs, trace = run(code, "--recipe", "recompilation").stdout.decode().split()
    assert logs == "recompiles,recompiles_verbose,guards,+dynamo"
    assert trace == "mine"


def test_own_variables_win(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDYNAMO_REPRO_LEVEL", "3")
    code = "import os; print(os.environ['TORCHDYNAMO_REPRO_LEVEL'])"
    done = run(code, "--recipe", "backend_compiler_failed")
    assert done.stdout == b"3\n"
    assert b"your own TORCHDYNAMO_REPRO_LEVEL was kept" in done.stderr


def test_own_trace_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only files of this run are read."""
    monkeypatch.setenv("TORCH_TRACE", str(tmp_path / "trace"))
    (tmp_path / "trace").mkdir()
    old = tmp_path / "trace" / "old.log"
    old.write_bytes(BREAKS.read_bytes())
    os.utime(old, (1e9, 1e9))
    assert b"Nothing failed" in run("pass").stderr
    new = tmp_path / "trace" / "new.log"
    done = run(f"open({str(new)!r}, 'w').write(open({str(BREAKS)!r}).read())")
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
def test_exit_status(run: Run, home: Path, code: str, status: int) -> None:
    done = run(code)
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


def test_stdin_is_the_commands(run: Run) -> None:
    done = run("print(input()[::-1])", stdin=b"abc\n")
    assert done.stdout == b"cba\n"


def test_output_folder(run: Run, tmp_path: Path, home: Path) -> None:
    assert run("print(1)", "-o", "logs").returncode == 0
    assert (tmp_path / "logs" / "stdout.log").read_bytes() == b"1\n"
    assert not home.exists()
    done = run("print(1)", "-o", "logs")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"logs: it is not empty" in done.stderr


def test_without_a_store(run: Run, tmp_path: Path, home: Path) -> None:
    home.write_text("a file")
    done = run(prints(BREAKS) + "; print(1)")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert b"this run is not kept" in done.stderr
    assert b"graph_break" in done.stderr


def test_big_output(run: Run, home: Path) -> None:
    code = "import sys\nfor _ in range(1600): sys.{}.write('x' * 65535 + '\\n')"
    start = time.monotonic()
    out = run(code.format("stdout")).stdout
    assert out == (b"x" * 65535 + b"\n") * 1600
    err = run(code.format("stderr") + "\nprint(file=sys.stderr)").stderr
    assert err.startswith(out + b"\n" + b"pt2triage: ")
    assert time.monotonic() - start < 60


def test_a_reader_that_stops(home: Path) -> None:
    """As without us, the command ends by SIGPIPE, or meets an error."""
    code = "while True: print('y')"
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", code]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(30) == 1


def test_timeout(run: Run, home: Path) -> None:
    """Everybody is ended: who ignores SIGTERM, and who has left the group."""
    code = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "for new in (False, True):\n"
        "    p = subprocess.Popen(['sleep', '300'], start_new_session=new)\n"
        "    print(p.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    start = time.monotonic()
    done = run(code, "--timeout", "2")
    assert done.returncode == 124
    assert 6 < time.monotonic() - start < 30
    assert b"--timeout" in done.stderr
    for pid in done.stdout.split():
        assert not is_alive(int(pid))
    assert record(home)["timed_out"]


def test_a_grandchild_holds_the_pipe(run: Run) -> None:
    code = (
        "import subprocess\n"
        "p = subprocess.Popen(['sleep', '30'])\n"
        "print(p.pid, flush=True)"
    )
    start = time.monotonic()
    done = run(code)
    assert time.monotonic() - start < 15
    assert done.returncode == 0
    assert is_alive(int(done.stdout))  # it may be meant to go on
    os.kill(int(done.stdout), signal.SIGKILL)


def test_a_run_in_a_run(run: Run, home: Path) -> None:
    inner = [*PT2TRIAGE, "run", "--", sys.executable, "-c", prints(BREAKS)]
    done = run(f"import subprocess; subprocess.run({inner!r})")
    assert done.returncode == 0
    assert {p.name for p in (home / "runs").iterdir()} == {"1", "2"}
    assert b"[__graph_breaks]" not in done.stderr  # the outer one takes it out
    for run_folder in (home / "runs").iterdir():
        assert b"[__graph_breaks]" in (run_folder / "stderr.log").read_bytes()


def test_streams_that_are_not_there(home: Path, tmp_path: Path) -> None:
    code = "import sys; print(1); print(2, file=sys.stderr)"
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", code]
    for closing in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        script = f'exec "$@" {closing}'
        done = subprocess.run(["sh", "-c", script, "sh", *command], timeout=60)
        assert done.returncode == 0
    assert len(list((home / "runs").iterdir())) == 4
    for folder in (home / "runs").iterdir():
        assert (folder / "stdout.log").read_bytes() == b"1\n"
        assert (folder / "stderr.log").read_bytes() == b"2\n"


def test_a_long_log_keeps_its_ends(tmp_path: Path) -> None:
    log = LogFile(str(tmp_path / "x.log"), 100)
    data = bytes(range(256)) * 2
    for start in range(0, len(data), 7):
        log.write(data[start : start + 7])
    log.close()
    names = ["x.log", "x.8.log", "x.9.log"]
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    kept = [(tmp_path / name).read_bytes() for name in names]
    assert kept[0] == data[:100]
    assert kept[1] + kept[2] == data[450:]
    assert log.dropped == 350


def test_a_full_disk() -> None:
    log = LogFile("/dev/full", 1000)
    log.write(b"x" * 100)
    log.close()
    assert log.error == "No space left on device"
    log.write(b"more")


def test_a_command_goes_on_when_nothing_can_be_kept(tmp_path: Path) -> None:
    log = LogFile("/dev/full", 1 << 20)
    code = "import sys; sys.stdout.write('x' * 1000000); print('end')"
    channel = Channel(log, None)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=channel.child_fd)
    channel.started()
    while channel.open:
        channel.copy()
    assert process.wait() == 0
    log.close()
    assert log.error
