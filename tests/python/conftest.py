"""What every Python test shares."""

import subprocess
import sys
from pathlib import Path

import pytest

from cases import RunScan
from running import home, run_around  # noqa: F401  fixtures
from s3_bucket import bucket  # noqa: F401  a fixture


@pytest.fixture
def run_scan(tmp_path: Path) -> RunScan:
    """Runs `pt2triage scan ARGUMENTS` as a user would, in an empty folder."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", timeout: float = 120
    ) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "pt2triage", "scan", *map(str, arguments)]
        return subprocess.run(
            command, input=stdin, capture_output=True, timeout=timeout, cwd=tmp_path
        )

    return run
