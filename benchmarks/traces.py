"""Times the trace explorer against tlparse and tlhub.

    python benchmarks/traces.py TRACE [--runs 3] [--out FOLDER] [--python EXE]

TRACE is one large file (`make_input.py model-trace`). Each program runs as a whole
process, in turns: the tables (`pt2triage trace`), the files (`pt2triage extract`),
the pages with all files (`pt2triage trace --html`), `tlparse -p`, `tlparse`, and
tlhub's reader. Outputs go to FOLDER, which should be on tmpfs: writing many small
files to a disk measures the disk. Prints medians of wall clock and processor seconds,
the highest memory, and how many times faster we are. EXE is a Python that has
tlparse==0.4.3 and tlhub==0.3.5; what it lacks is left out.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TLHUB = (
    "import sys; from pathlib import Path; from tlhub import trace_parser; "
    "trace_parser.ingest_trace_dir('run', Path(sys.argv[1]), Path(sys.argv[2]))"
)


def commands(trace: Path, python: str) -> dict[str, list[str]]:
    """What is run, by name; OUT stands for the folder that is written."""
    ours = [sys.executable, "-m", "pt2triage"]
    beside = Path(python).parent
    found = {
        "pt2triage trace": [*ours, "trace", str(trace)],
        "pt2triage extract": [*ours, "extract", str(trace), "-o", "OUT"],
        "pt2triage trace --html": [*ours, "trace", str(trace), "--html", "OUT"],
    }
    if (beside / "tlparse").exists():
        base = [str(beside / "tlparse"), "--no-browser", "-o", "OUT", str(trace)]
        found["tlparse -p"] = [*base, "-p"]
        found["tlparse"] = base
    probe = subprocess.run([python, "-c", "import tlhub"], capture_output=True)
    if probe.returncode == 0:
        found["tlhub"] = [python, "-c", TLHUB, "FOLDER", "OUT"]
    return found


def run_once(command: list[str], out: Path, folder: Path) -> tuple[float, float, int]:
    """Wall clock and processor seconds, and KiB of memory."""
    shutil.rmtree(out, ignore_errors=True)
    words = {"OUT": str(out), "FOLDER": str(folder)}
    line = [words.get(word, word) for word in command]
    begin = time.perf_counter()
    process = subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = wait(process)
    wall = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"{' '.join(line)} ended with {status}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss


def wait(
    process: "subprocess.Popen[bytes]",
) -> tuple[int, int, resource.struct_rusage]:
    import os

    pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return pid, process.returncode, used


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trace", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.out) as scratch:
        folder = Path(scratch) / "traces"
        folder.mkdir()
        (folder / args.trace.name).symlink_to(args.trace.resolve())
        todo = commands(args.trace, args.python)
        seen: dict[str, list[tuple[float, float, int]]] = {name: [] for name in todo}
        for _ in range(args.runs):
            for name, command in todo.items():
                seen[name].append(run_once(command, Path(scratch) / "out", folder))
    print(f"{args.trace.name}, {args.trace.stat().st_size / 1e6:.0f} MB\n")
    print("| what | seconds | processor | MiB | tlparse -p / it |")
    print("| --- | ---: | ---: | ---: | ---: |")
    middle = {
        name: (
            statistics.median(wall for wall, _, _ in runs),
            statistics.median(used for _, used, _ in runs),
            max(size for _, _, size in runs) / 1024,
        )
        for name, runs in seen.items()
    }
    peer = middle.get("tlparse -p", (0.0, 0.0, 0.0))[0]
    for name, (wall, used, size) in middle.items():
        ratio = f"{peer / wall:.1f}" if peer else ""
        print(f"| {name} | {wall:.2f} | {used:.2f} | {size:.0f} | {ratio} |")


if __name__ == "__main__":
    main()
