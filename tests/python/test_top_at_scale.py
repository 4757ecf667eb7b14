"""Ten thousand logs with a hundred thousand findings: time and memory."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from peak import SCRIPT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="needs /proc (Linux)"
    ),
]

LOGS = 10_000
EACH = 10  # findings of a log
LIMIT = 300  # MiB; measured: 33 and 212
SECONDS = 90  # measured on a busy machine of two cores: 4 to 6, and 20


def graph_break(file: int, name: int, line: int) -> str:
    """A break whose fingerprint depends on `name` alone."""
    head = f"V1129 15:16:{file % 60:02d}.{line:06d} 44 torch/_dynamo/x.py:1] [{line}/0]"
    head += " [__graph_breaks]"
    return (
        f"{head} Graph break in user code at /home/dev/model.py:{line + 1}\n"
        f"{head} Reason: Unsupported: call_method {letters(name)}\n"
        f"{head} User code traceback:\n"
        f'{head}   File "/home/dev/model.py", line {line + 1}, in f\n'
        f"{head}     x.y()\n{head}\n"
    )


def letters(number: int) -> str:
    """A name: in a message numbers are no difference."""
    text = ""
    while number or not text:
        number, digit = divmod(number, 26)
        text += chr(ord("a") + digit)
    return f"name_{text}_"


@pytest.mark.parametrize("distinct", [1000, LOGS * EACH])
def test_many_logs(tmp_path: Path, distinct: int) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for file in range(LOGS):
        breaks = [
            graph_break(file, (file * EACH + i) % distinct, i) for i in range(EACH)
        ]
        (folder / f"{file:05d}.log").write_text("".join(breaks))
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "top", "--format", "json", str(folder)],
        capture_output=True,
        text=True,
    )
    took = time.monotonic() - start
    assert done.returncode == 0
    peak = int(re.search(r"\d+\Z", done.stderr)[0]) / 1024  # type: ignore[index]
    made = json.loads(done.stdout)
    print(f"{distinct:,} distinct: {took:.1f} s, {peak:.0f} MiB")
    assert (made["sources"], made["findings"]) == (LOGS, LOGS * EACH)
    assert len(made["clusters"]) == distinct
    assert {c["sources"] for c in made["clusters"]} == {LOGS * EACH // distinct}
    assert made["omitted_findings"] == 0
    assert peak < LIMIT
    assert took < SECONDS
