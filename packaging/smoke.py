"""Asks an installed pt2triage whether all of it is there: smoke.py CASE

CASE is a folder with `log.txt` and `expect.json`, the right answer. Needs nothing but
pt2triage and what it depends on; what is compared with is the checkout that this file
lies in.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(sys.executable).with_name("pt2triage")
# Made by running; no part of a package.
_LEFT = {"__pycache__", ".mypy_cache"}


def ask(*words: str | Path) -> str:
    """What the installed program prints."""
    done = subprocess.run(
        [PROGRAM, *map(str, words)],
        stdout=subprocess.PIPE,
        check=True,
        # Only what is installed is imported.
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        encoding="utf-8",
    )
    return done.stdout


def files_of(folder: Path) -> set[str]:
    """The files of a package, without compiled ones."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".so" and _LEFT.isdisjoint(path.parts)
    }


def check_version() -> None:
    stated = re.search(
        r"project\(pt2triage VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert stated is not None
    assert metadata.version("pt2triage") == stated[1]
    assert ask("--version") == f"pt2triage {stated[1]}\n"


def check_files() -> None:
    import pt2triage

    folder = Path(pt2triage.__file__).parent
    assert ROOT not in folder.parents or "site-packages" in folder.parts, folder
    wanted = files_of(ROOT / "python" / "pt2triage")
    assert {"py.typed", "_core.pyi"} <= wanted
    assert files_of(folder) == wanted, files_of(folder) ^ wanted
    assert set(dir(pt2triage)) >= set(pt2triage.__all__)
    assert all(getattr(pt2triage, name) is not None for name in pt2triage.__all__)


def check_scan(case: Path) -> None:
    expect = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    report = json.loads(ask("scan", "--format", "json", case / "log.txt"))
    first = next(f for f in report["findings"] if f["fingerprint"] == report["finding"])
    assert report["category"] == expect["category"]
    assert first["cause"] == expect["cause"]
    for key, value in expect["user_frame"].items():
        assert first["user_frame"][key] == value
    for key, value in expect["counts"].items():
        assert report["counts"][key] == value
    # Templates, styles and tables of words are read when they are needed.
    for form in ("text", "html", "markdown", "sarif"):
        assert expect["cause"] in ask("scan", "--format", form, case / "log.txt")
    assert expect["category"] in ask("explain", expect["category"])


def check_threads() -> None:
    """A free-threaded Python stays one with our module in it."""
    import pt2triage

    assert pt2triage.CATEGORIES
    enabled = getattr(sys, "_is_gil_enabled", None)
    if sys.version_info >= (3, 13) and "free-threading" in sys.version:
        assert enabled is not None
        assert not enabled(), "importing pt2triage switched the GIL on"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_version()
    check_files()
    check_scan(Path(sys.argv[1]))
    check_threads()
    print(f"pt2triage {metadata.version('pt2triage')} works on Python {sys.version}")


if __name__ == "__main__":
    main()
