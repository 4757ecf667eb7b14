"""Times `pt2triage scan` against tools that read the same bytes for less, or more.

    python benchmarks/compare.py [--mib 300] [--runs 5] [--kinds logs,ci,trace]

All tools run in one process after another, interleaved: each round runs each tool
once, so that a slow spell of the machine hits all of them. The table holds medians
over the rounds, the speed that they give, how many times as long as `wc -l` it took,
and the highest memory seen. A tool that is not installed is said to be missing.

    wc -l     reads every byte and looks for newlines: the floor
    rg -c     counts the lines that hold one of twenty failure words
    tlparse   PyTorch's own report of a trace; it writes its pages, which pt2triage
              does not

Memory counts the pages of a file that a program maps, as rg does.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import make_input

WORDS = [
    "Traceback",
    "Error:",
    "Exception:",
    "FAILED",
    "Unsupported",
    "Graph break",
    "Recompiling function",
    "recompile_limit",
    "cache_size_limit",
    "BackendCompilerFailed",
    "InductorError",
    "LoweringException",
    "RMSE",
    "Accuracy failed",
    "Segmentation fault",
    "Fatal Python error",
    "device-side assert",
    "illegal memory access",
    "out of memory",
    "Assertion",
]
LABELS = {"wc": "wc -l", "rg": "rg -c", "pt2triage": "pt2triage scan"}


@dataclass
class Tool:
    """A command, its times and its peak memory; `command` None: not installed."""

    name: str
    command: list[str] | None
    seconds: list[float] = field(default_factory=list)
    peak_kib: int = 0
    failed: str = ""

    def run(self) -> None:
        if self.command is None or self.failed:
            return
        begin = time.perf_counter()
        process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        status = process.wait()
        if status in (0, 1):  # rg says 1 where nothing matches
            self.seconds.append(time.perf_counter() - begin)
        else:
            self.failed = f"exit status {status}"

    def measure_memory(self) -> None:
        """One more run, watched. The kernel's own figure for a child starts at its
        parent's size, so the peak of the program itself is read while it runs."""
        if self.command is None or self.failed:
            return
        process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None:
            self.peak_kib = max(self.peak_kib, peak_kib(process.pid))
            time.sleep(0.002)


def peak_kib(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def find(name: str) -> str | None:
    """The program next to this Python, else on PATH."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(name)


def tools_for(kind: str, path: Path, folder: Path) -> list[Tool]:
    patterns = [argument for word in WORDS for argument in ("-e", word)]
    arguments = {
        "wc": ["-l", str(path)],
        "rg": ["-c", "-F", *patterns, str(path)],
        "pt2triage": ["scan", "--format", "json", "-j", "1", "-o", os.devnull],
    }
    arguments["pt2triage"].append(str(path))
    if kind == "trace":
        arguments["tlparse"] = ["-p", "-o", str(folder / "tlparse")]
        arguments["tlparse"] += ["--overwrite", "--no-browser", str(path)]
    tools = []
    for name, rest in arguments.items():
        program = find(name)
        tools.append(Tool(name, [program, *rest] if program else None))
    return tools


def compare(kind: str, mib: float, runs: int, folder: Path) -> list[Tool]:
    path = folder / f"{kind}.log"
    with path.open("wb") as file:
        make_input.write(kind, int(mib * 2**20), file)
    path.read_bytes()  # into the page cache
    tools = tools_for(kind, path, folder)
    for _ in range(runs):
        for tool in tools:
            tool.run()
    for tool in tools:
        tool.measure_memory()
    size = path.stat().st_size / 1e6
    floor = statistics.median(tools[0].seconds) if tools[0].seconds else None
    for tool in tools:
        print(row(kind, size, tool, floor))
    path.unlink()
    return tools


def row(kind: str, megabytes: float, tool: Tool, floor: float | None) -> str:
    start = f"| {kind}, {megabytes:.0f} MB | `{LABELS.get(tool.name, tool.name)}` |"
    if tool.command is None:
        return f"{start} not installed | | | |"
    if tool.failed or not tool.seconds:
        return f"{start} failed: {tool.failed} | | | |"
    seconds = statistics.median(tool.seconds)
    ratio = f"{seconds / floor:.1f}" if floor else ""
    memory = f"{tool.peak_kib / 1024:.0f}" if tool.peak_kib else ""
    return f"{start} {seconds:.2f} | {megabytes / seconds:.0f} | {ratio} | {memory} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare pt2triage with other tools.")
    parser.add_argument("--mib", type=float, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kinds", default="logs,ci,trace")
    args = parser.parse_args()
    print("| input | tool | seconds | MB/s | times `wc -l` | peak MiB |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="pt2triage-compare-") as folder:
        for kind in args.kinds.split(","):
            compare(kind, args.mib, args.runs, Path(folder))


if __name__ == "__main__":
    main()
