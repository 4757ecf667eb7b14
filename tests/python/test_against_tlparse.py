"""What tlparse writes as text is extracted with exactly the same bytes."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cases import DATA
from pt2triage._traces.extract import extract

# The largest ones of each version: tlparse takes a second for each.
BY_VERSION: dict[str, list[Path]] = {}
for path in sorted(DATA.rglob("dedicated_log*.log"), key=lambda p: -p.stat().st_size):
    if not path.parts[-3].startswith("export"):  # these carry no text
        BY_VERSION.setdefault(path.parts[-4], []).append(path)
TRACES = [path for version in sorted(BY_VERSION) for path in BY_VERSION[version][:4]]
# Beside the interpreter, whose environment need not be active.
TLPARSE = str(Path(sys.executable).with_name("tlparse"))


def texts_of_tlparse(trace: Path, folder: Path) -> Counter[bytes]:
    """The texts that it writes below the folders of compiles, and those that no
    parser of it takes."""
    done = subprocess.run(
        [TLPARSE, "-p", "--no-browser", "-o", str(folder), str(trace)],
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return Counter(
        path.read_bytes()
        for path in folder.rglob("*.txt")
        if path.parent != folder and not path.is_symlink()
    )


@pytest.mark.slow
@pytest.mark.parametrize("trace", TRACES, ids=lambda p: "/".join(p.parts[-4:-2]))
def test_every_text_of_tlparse_is_extracted(trace: Path, tmp_path: Path) -> None:
    theirs = texts_of_tlparse(trace, tmp_path / "theirs")
    assert theirs, "tlparse wrote nothing"
    extract([str(trace)], str(tmp_path / "ours"))
    manifest = json.loads((tmp_path / "ours" / "manifest.json").read_text())
    ours = Counter(
        (tmp_path / "ours" / entry["path"]).read_bytes()
        for entry in manifest["entries"]
    )
    missing = theirs - ours
    assert not missing, [text[:200] for text in missing]
