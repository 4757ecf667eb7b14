"""``pt2triage run``: output that is big, slow or held, and commands that hang."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pt2triage._around.channel import Channel
from pt2triage._around.log_file import LogFile
from running import PT2TRIAGE, Run, is_alive


def test_big_output(run_around: Run, home: Path) -> None:
    code = "import sys\nfor _ in range(1600): sys.{}.write('x' * 65535 + '\\n')"
    start = time.monotonic()
    out = run_around(code.format("stdout")).stdout
    assert out == (b"x" * 65535 + b"\n") * 1600
    err = run_around(code.format("stderr") + "\nprint(file=sys.stderr)").stderr
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


def test_timeout(run_around: Run, home: Path) -> None:
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
    done = run_around(code, "--timeout", "2")
    assert done.returncode == 124
    assert 6 < time.monotonic() - start < 30
    assert b"--timeout" in done.stderr
    for pid in done.stdout.split():
        assert not is_alive(int(pid))
    record = json.loads((home / "runs/1/run.json").read_text("utf-8"))
    assert record["timed_out"]


def test_a_grandchild_holds_the_pipe(run_around: Run) -> None:
    code = (
        "import subprocess\n"
        "p = subprocess.Popen(['sleep', '30'])\n"
        "print(p.pid, flush=True)"
    )
    start = time.monotonic()
    done = run_around(code)
    assert time.monotonic() - start < 15
    assert done.returncode == 0
    assert is_alive(int(done.stdout))  # it may be meant to go on
    os.kill(int(done.stdout), signal.SIGKILL)


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


@pytest.mark.slow
def test_a_slow_reader_gets_all(home: Path) -> None:
    code = "import sys; sys.stdout.write('x' * 300_000 + 'end')"
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", code]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    time.sleep(12)
    out, _ = process.communicate(timeout=60)
    assert out == b"x" * 300_000 + b"end"


@pytest.mark.slow
def test_a_grandchild_that_never_stops_writing(run_around: Run) -> None:
    code = (
        "import subprocess\n"
        "p = subprocess.Popen(['sh', '-c', 'while echo y; do :; done'])\n"
        "print('pid', p.pid, flush=True)"
    )
    start = time.monotonic()
    assert run_around(code).returncode == 0
    assert 9 < time.monotonic() - start < 40
