"""Times what comes before and after the work: start, import, an empty scan.

    python benchmarks/startup.py [--runs 101] [--python EXE]

Every round runs each command once, so that a slow spell of the machine hits all of
them. The table holds the median time on the wall, the quickest run, the median time
on processors, and how much the medians are above those of bare Python.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Command:
    """A command, and its times in milliseconds."""

    label: str
    words: list[str]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)]
        begin = time.perf_counter()
        child = os.posix_spawn(self.words[0], self.words, os.environ, file_actions=null)
        _, status, usage = os.wait4(child, 0)
        self.wall.append((time.perf_counter() - begin) * 1e3)
        self.cpu.append((usage.ru_utime + usage.ru_stime) * 1e3)
        if status:
            raise SystemExit(f"failed: {' '.join(self.words)}")


def commands(python: str, empty: str) -> list[Command]:
    program = str(Path(python).with_name("pt2triage"))
    scan = [program, "scan", "-j1", "--format"]
    return [
        Command("`python -c pass`", [python, "-c", "pass"]),
        Command("`import pt2triage`", [python, "-c", "import pt2triage"]),
        Command("scan of an empty file, json", [*scan, "json", empty]),
        Command("scan of an empty file, text", [*scan, "text", empty]),
        Command("`pt2triage --version`", [program, "--version"]),
    ]


def row(command: Command, bare: Command) -> str:
    wall, cpu = statistics.median(command.wall), statistics.median(command.cpu)
    more = wall - statistics.median(bare.wall)
    least = min(command.wall)
    return f"| {command.label} | {wall:.1f} | {least:.1f} | {cpu:.1f} | {more:+.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the start of pt2triage.")
    parser.add_argument("--runs", type=int, default=101)
    parser.add_argument("--python", default=sys.executable, metavar="EXE")
    args = parser.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".log") as empty:
        timed = commands(args.python, empty.name)
        for command in timed:  # into the page cache; byte code is written
            command.run()
            command.wall.clear()
            command.cpu.clear()
        for _ in range(args.runs):
            for command in timed:
                command.run()
    print("| command | median ms | least ms | processor ms | above bare |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for command in timed:
        print(row(command, timed[0]))


if __name__ == "__main__":
    main()
