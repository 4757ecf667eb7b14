"""The pictures of README.md and of the site: python docs/screenshots.py

`scan.svg` is what the program prints, with its colours; a test holds it to that.
`page.png` is the page of a scan in Chromium (`apt install chromium`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
CORPUS = ROOT / "tests" / "data" / "corpus" / "2.13.0"
CASE = CORPUS / "fullgraph_unsupported"
# Some of each kind, for the page.
PAGE_CASES = ("breaks", "recompile_limit", "fullgraph_unsupported", "accuracy")
WIDTH = 100  # columns of output that goes to no terminal
SIZE = (1180, 860)

# rich names fonts on the web; a picture loads nothing.
_FORMAT = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def printed(color: str) -> str:
    """What `pt2triage scan run.log` prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.log").write_bytes((CASE / "log.txt").read_bytes())
        done = subprocess.run(
            [sys.executable, "-m", "pt2triage", "scan", "--color", color, "run.log"],
            cwd=folder,
            stdout=subprocess.PIPE,
            check=True,
            encoding="utf-8",
        )
    return done.stdout


def scan_svg() -> str:
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(file=nowhere, record=True, width=WIDTH, legacy_windows=False)
        console.print(Text.from_ansi(printed("always")), soft_wrap=True)
        return console.export_svg(
            title="pt2triage scan run.log",
            theme=MONOKAI,
            code_format=_FORMAT,
            unique_id="scan",
        )


def page_png(path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import Browser

    logs = [CORPUS / name / "log.txt" for name in PAGE_CASES]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        command = [sys.executable, "-m", "pt2triage", "scan", "--format", "html"]
        names = [log.relative_to(CORPUS) for log in logs]
        subprocess.run([*command, *names, "-o", page], check=True, cwd=CORPUS)
        with Browser(Path(folder, "profile")) as browser:
            browser.look(width=SIZE[0], height=SIZE[1])
            browser.open(page)
            browser.screenshot(path)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "scan.svg").write_text(scan_svg(), encoding="utf-8")
    page_png(IMAGES / "page.png")
