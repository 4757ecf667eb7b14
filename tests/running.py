"""What the tests of ``pt2triage run`` share."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from cases import case

Done: TypeAlias = "subprocess.CompletedProcess[bytes]"
Run: TypeAlias = Callable[..., Done]

BREAKS = case("2.13.0/breaks").log
PT2TRIAGE = [sys.executable, "-m", "pt2triage"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store, and nothing of PyTorch in the environment."""
    for name in list(os.environ):
        if name.startswith("TORCH"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PT2TRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path / "home"


@pytest.fixture
def run_around(home: Path, tmp_path: Path) -> Run:
    """Runs `pt2triage run OPTIONS -- python -c CODE`."""

    def go(code: str, *options: str, stdin: bytes = b"") -> Done:
        command = [*PT2TRIAGE, "run", *options, "--", sys.executable, "-c", code]
        return subprocess.run(
            command, input=stdin, timeout=120, cwd=tmp_path, capture_output=True
        )

    return go


def prints(path: Path) -> str:
    return f"import sys; sys.stderr.write(open({str(path)!r}).read())"


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
