"""Times `pt2triage scan` against tools that read the same bytes for less, or more.

    python benchmarks/compare.py [--mib 300] [--runs 5] [--kinds ci,trace] \
        [--model FOLDER]

All commands of a table run one after another, interleaved: each round runs each once,
so that a slow spell of the machine hits all of them. Of the rounds the table holds the
median of the wall clock and of the processor time, the speed that the former gives,
how many times as long as `pt2triage scan -j1` the command took (more is slower), and
the highest memory seen. What is not installed is said to be missing.

    wc -l        reads every byte and looks for newlines: the floor
    rg -c        counts the lines that hold one of twenty failure words
    Python re    the same with `re`, line by line
    tlparse      PyTorch's own report of a trace; it writes its pages, which pt2triage
                 does not. `-p` leaves out the highlighting
    md5sum       the floor of `--verify`, which checks the sum of each payload
    gzip, zstd   the same bytes compressed, piped into rg and into pt2triage

Memory counts the pages of a file that a program maps, as rg does; of a pipe, those of
its last program.
"""

import argparse
import os
import re
import resource
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
PYTHON_RE = (
    "import re, sys\n"
    f"find = re.compile({'|'.join(map(re.escape, WORDS)).encode()!r}).search\n"
    "print(sum(1 for line in open(sys.argv[1], 'rb') if find(line)))\n"
)
ALONE = "pt2triage scan -j1"


@dataclass
class Tool:
    """A command, or a pipe of them; `commands` None: not installed."""

    label: str
    commands: list[list[str]] | None
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    peak_kib: int = 0
    failed: str = ""

    def start(self) -> list[subprocess.Popen[bytes]]:
        processes: list[subprocess.Popen[bytes]] = []
        commands = self.commands or []
        for i, command in enumerate(commands):
            last = i + 1 == len(commands)
            process = subprocess.Popen(
                command,
                stdin=processes[-1].stdout if processes else None,
                stdout=subprocess.DEVNULL if last else subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if processes and processes[-1].stdout:
                processes[-1].stdout.close()
            processes.append(process)
        return processes

    def run(self) -> None:
        if self.commands is None or self.failed:
            return
        used = processor_seconds()
        begin = time.perf_counter()
        statuses = [process.wait() for process in self.start()]
        wall = time.perf_counter() - begin
        if all(status in (0, 1) for status in statuses):  # rg: 1, nothing matches
            self.wall.append(wall)
            self.processor.append(processor_seconds() - used)
        else:
            self.failed = f"exit status {max(statuses)}"

    def measure_memory(self) -> None:
        """One more run, watched. The kernel's own figure for a child starts at its
        parent's size, so the peak of the program itself is read while it runs."""
        if self.commands is None or self.failed:
            return
        processes = self.start()
        while processes[-1].poll() is None:
            self.peak_kib = max(self.peak_kib, peak_kib(processes[-1].pid))
            time.sleep(0.002)
        for process in processes:
            process.wait()


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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


def tool(label: str, *commands: list[str]) -> Tool:
    found = [[find(command[0]) or "", *command[1:]] for command in commands]
    return Tool(label, found if all(command[0] for command in found) else None)


def tools_for(kind: str, path: Path, folder: Path) -> list[Tool]:
    name = str(path)
    rg = ["rg", "-c", "-F", *(a for word in WORDS for a in ("-e", word))]
    scan = ["pt2triage", "scan", "--format", "json", "-o", os.devnull]
    tools = [
        tool(ALONE, [*scan, "-j1", name]),
        tool("pt2triage scan -j2", [*scan, "-j2", name]),
        tool("wc -l", ["wc", "-l", name]),
        tool("rg -c", [*rg, name]),
    ]
    if "trace" in kind:
        pages = str(folder / "tlparse")
        tlparse = ["tlparse", "-o", pages, "--overwrite", "--no-browser", name]
        return [
            *tools,
            tool("tlparse -p", [*tlparse, "-p"]),
            tool("tlparse", tlparse),
            tool("pt2triage scan -j1 --verify", [*scan, "-j1", "--verify", name]),
            tool("md5sum", ["md5sum", name]),
        ]
    python = Tool("Python re", [[sys.executable, "-c", PYTHON_RE, name]])
    tools.append(python)
    for program, suffix in (("gzip", ".gz"), ("zstd", ".zst")):
        packed = name + suffix
        if find(program):
            with open(packed, "wb") as file:
                subprocess.run([program, "-c", "-q", name], stdout=file, check=True)
        unpack = [program, "-dc", packed]
        tools.append(tool(f"{program} -dc, rg -c", unpack, rg))
        tools.append(tool(f"{program} -dc, {ALONE}", unpack, [*scan, "-j1", "-"]))
    return tools


def compare(kind: str, args: argparse.Namespace, folder: Path) -> None:
    path = folder / f"{kind}.log"
    with path.open("wb") as file:
        make_input.write(kind, int(args.mib * 2**20), file, args.model)
    path.read_bytes()  # into the page cache
    tools = tools_for(kind, path, folder)
    for _ in range(args.runs):
        for each in tools:
            each.run()
    for each in tools:
        each.measure_memory()
    megabytes = path.stat().st_size / 1e6
    print(f"\n{kind}, {megabytes:.0f} MB\n")
    print("| command | seconds | processor | MB/s | ratio | peak MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    alone = statistics.median(tools[0].wall) if tools[0].wall else None
    for each in tools:
        print(row(megabytes, each, alone))
    for file in folder.glob(f"{kind}.log*"):
        file.unlink()


def row(megabytes: float, each: Tool, alone: float | None) -> str:
    start = f"| `{each.label}` |"
    if each.commands is None:
        return f"{start} not installed | | | | |"
    if each.failed or not each.wall:
        return f"{start} failed: {each.failed} | | | | |"
    seconds = statistics.median(each.wall)
    used = statistics.median(each.processor)
    ratio = f"{seconds / alone:.2f}" if alone else ""
    memory = f"{each.peak_kib / 1024:.0f}" if each.peak_kib else ""
    speed = megabytes / seconds
    return f"{start} {seconds:.3f} | {used:.3f} | {speed:.0f} | {ratio} | {memory} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare pt2triage with other tools.")
    parser.add_argument("--mib", type=float, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kinds", help="as make_input.py has them (default: all)")
    parser.add_argument("--model", type=Path, help="what make_model_log.py has filled")
    args = parser.parse_args()
    kinds = [*make_input.KINDS, *(make_input.MODEL_KINDS if args.model else ())]
    if args.kinds:
        kinds = args.kinds.split(",")
    with tempfile.TemporaryDirectory(prefix="pt2triage-compare-") as folder:
        for kind in kinds:
            compare(kind, args, Path(folder))


if __name__ == "__main__":
    main()
