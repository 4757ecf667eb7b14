"""What the tests of ``pt2triage run`` share."""

import os
import sys
from pathlib import Path

import pytest

from cases import case

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


def prints(path: Path) -> str:
    return f"import sys; sys.stderr.write(open({str(path)!r}).read())"


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
