"""``pt2triage run``: signals and terminals."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from running import BREAKS, PT2TRIAGE, is_alive, prints

pytestmark = pytest.mark.usefixtures("home")

SLEEPS = """
import signal, sys, time
def caught(number, frame):
    print('caught', number, flush=True)
    sys.exit(9)
signal.signal(signal.SIGTERM, caught)
signal.signal(signal.SIGINT, caught)
print('ready', flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_passed_on(home: Path, number: int) -> None:
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", SLEEPS]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # without a terminal
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert out == f"caught {number}\n".encode()
    assert process.returncode == 9
    assert b"exit status 9" in err


def in_terminal(code: str, keys: dict[bytes, bytes], *options: str) -> tuple[str, int]:
    """Runs `pt2triage run` with a terminal of its own; what that shows, the status.

    `keys` are typed when what they belong to is seen.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        command = [*PT2TRIAGE, "run", *options, "--", sys.executable, "-c", code]
        os.execv(sys.executable, command)
    termios.tcsetwinsize(terminal, (33, 77))
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        seen += data
        for sight, key in list(keys.items()):
            if sight in seen:
                os.write(terminal, key)
                del keys[sight]
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return seen.decode(), os.waitstatus_to_exitcode(status)


def test_a_terminal() -> None:
    code = (
        "import os, sys, time; time.sleep(0.5)\n"
        "print([os.isatty(fd) for fd in (0, 1, 2)], os.get_terminal_size(2))\n"
        "print(input('Name? ')[::-1], file=sys.stderr)\n"
        "print(os.getpgrp() == os.tcgetpgrp(0))"
    )
    seen, status = in_terminal(code, {b"Name? ": b"abc\n"})
    assert status == 0
    assert "[True, True, True] os.terminal_size(columns=77, lines=33)" in seen
    assert "\r\ncba\r\n" in seen
    assert "\r\nTrue\r\n" in seen
    assert "\r\r" not in seen
    assert "Nothing failed" in seen


def test_records_go_on_a_terminal() -> None:
    seen, _ = in_terminal(prints(BREAKS), {})
    head, _, told = seen.partition("pt2triage: ")
    assert "[__graph_breaks]" not in head
    assert "[__guards]" in head
    assert "graph_break" in told


def test_ctrl_c() -> None:
    """The command gets it once; the triage is still printed."""
    seen, status = in_terminal(SLEEPS, {b"ready": b"\x03"})
    assert seen.count("caught 2") == 1
    assert status == 9
    assert "exit status 9" in seen
    assert "Nothing failed" in seen


def test_ctrl_c_ends_a_command_that_does_not_catch_it() -> None:
    code = "import time; print('ready', flush=True); time.sleep(60)"
    seen, status = in_terminal(code, {b"ready": b"\x03"})
    assert status == 130
    assert "KeyboardInterrupt" in seen
    assert "exit status 130 (SIGINT)" in seen


def test_timeout_in_a_terminal() -> None:
    code = (
        "import subprocess, time\n"
        "p = subprocess.Popen(['sleep', '300'])\n"
        "print('pid', p.pid, flush=True)\n"
        "time.sleep(300)"
    )
    seen, status = in_terminal(code, {}, "--timeout", "1.5")
    assert status == 124
    pid = re.search(r"pid (\d+)", seen)
    assert pid is not None
    assert not is_alive(int(pid[1]))
