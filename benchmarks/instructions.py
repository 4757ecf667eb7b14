"""Counts the instructions of a scan, and says where they have become more.

    python benchmarks/instructions.py SCAN_ONCE [--update]

SCAN_ONCE is the program that `make instructions` builds. Each kind of input
(make_input.py) is scanned under valgrind, which counts instructions: unlike
times, they are the same on a busy machine and on a quiet one. An empty file's
count is taken off, so what is left is the work for each byte.

instructions.json holds the counts that are thought right, and what they were
taken with. With another compiler, library or CPU nothing is compared. A rise of
more than 5 % fails, unless a commit since instructions.json last changed says
why, in a trailer of its message: `Instructions: <why>`. `--update` writes
instructions.json anew.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BASELINE = HERE / "instructions.json"
MIB = 4
MAX_RISE = 0.05

Json = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One kind of input: instructions for each byte, then and now."""

    kind: str
    before: float | None
    now: float
    same_input: bool

    @property
    def rise(self) -> float:
        return self.now / self.before - 1 if self.before else 0.0

    def __str__(self) -> str:
        text = f"{self.kind:6} {self.now:8.2f} instructions/byte"
        if self.before is None:
            return text + ", nothing to compare with"
        text += f", was {self.before:.2f} ({self.rise:+.1%})"
        return text if self.same_input else text + "; the input has changed, too"


def compare(baseline: Json, measured: Json) -> list[Row]:
    known = baseline.get("kinds", {})
    return [
        Row(
            kind,
            known.get(kind, {}).get("per_byte"),
            found["per_byte"],
            known.get(kind, {}).get("input") == found["input"],
        )
        for kind, found in measured["kinds"].items()
    ]


def differences(baseline: Json, measured: Json) -> list[str]:
    """What the two were taken with, where that is not the same."""
    then, now = baseline.get("taken_with", {}), measured["taken_with"]
    return [
        f"{name}: {then.get(name, 'nothing')} then, {now.get(name, 'nothing')} now"
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]


def judge(baseline: Json, measured: Json, reasons: list[str]) -> tuple[int, list[str]]:
    """The exit status, and what is to be said."""
    rows = compare(baseline, measured)
    said = [str(row) for row in rows]
    if other := differences(baseline, measured):
        return 0, [*said, "not compared, since something else has changed:", *other]
    risen = [row.kind for row in rows if row.rise > MAX_RISE]
    fallen = [row.kind for row in rows if row.rise < -MAX_RISE]
    if fallen:
        said.append(f"less for {', '.join(fallen)}: keep it with --update")
    if not risen:
        return 0, said
    if reasons:
        return 0, [*said, f"more for {', '.join(risen)}, as said: {reasons[0]}"]
    said.append(
        f"more than {MAX_RISE:.0%} more for {', '.join(risen)}: repair it, or say why "
        "in a trailer `Instructions: <why>` of the commit's message"
    )
    return 1, said


def output(command: list[str | Path], **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return f"{done.stdout}{done.stderr}"


def reasons_since(file: Path) -> list[str]:
    """The `Instructions:` trailers of the commits after the last one to `file`."""

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=file.parent)
        return done.stdout.strip() if done.returncode == 0 else ""

    last = git("log", "-1", "--format=%H", "--", file.name)
    if not last:
        return []
    form = "--format=%(trailers:key=Instructions,valueonly)"
    return [line for line in git("log", form, f"{last}..HEAD").splitlines() if line]


def taken_with(program: Path) -> dict[str, str]:
    """What instruction counts depend on besides our own sources."""
    comment = output(["readelf", "-p", ".comment", program])
    compilers = sorted(set(re.findall(r"\] +(.*\S)", comment)))
    libraries = [
        Path(path).resolve().name
        for path in re.findall(r"=> (/\S+)", output(["ldd", program]))
    ]
    known = "absl_raw_hash_set|re2|simdjson|stdc"
    return {
        "compiler": "; ".join(compilers),
        "libraries": " ".join(
            sorted(n for n in libraries if re.match(f"lib({known})", n))
        ),
        "libc": " ".join(platform.libc_ver()),
        "cpu": cpu(),
        "valgrind": output(["valgrind", "--version"]).strip(),
    }


def cpu() -> str:
    """Machine and vector instructions: simdjson and libc choose their code by them."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        flags = []
    return " ".join([platform.machine(), *(f for f in ["avx2", "bmi2"] if f in flags)])


def count(program: Path, file: Path) -> int:
    """Instructions of one scan. Its path, environment and folder are always alike."""
    text = output(
        [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
            program.resolve(),
            file.name,
        ],
        cwd=file.parent,
        env={"PATH": os.environ["PATH"]},
    )
    refs = re.search(r"I +refs: +([\d,]+)", text)
    if refs is None:
        sys.exit(f"valgrind did not say how many instructions it saw:\n{text}")
    return int(refs[1].replace(",", ""))


def measure(program: Path, mib: float) -> Json:
    kinds: Json = {}
    with tempfile.TemporaryDirectory() as folder:
        input_file = Path(folder) / "input"
        input_file.touch()
        fixed = count(program, input_file)
        for kind in ("ci", "logs", "trace"):
            maker: list[str | Path] = [sys.executable, HERE / "make_input.py"]
            output([*maker, kind, str(mib), input_file])
            data = input_file.read_bytes()
            per_byte = (count(program, input_file) - fixed) / len(data)
            kinds[kind] = {
                "per_byte": round(per_byte, 3),
                "input": hashlib.sha256(data).hexdigest()[:16],
            }
    return {"taken_with": taken_with(program), "kinds": kinds}


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the instructions of scans.")
    parser.add_argument("scan_once", type=Path)
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--mib", type=float, default=MIB, help="size of each input")
    args = parser.parse_args()
    measured = measure(args.scan_once, args.mib)
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    if args.update:
        BASELINE.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
        print("\n".join(map(str, compare(baseline, measured))))
        return 0
    status, said = judge(baseline, measured, reasons_since(BASELINE))
    print("\n".join(said))
    return status


if __name__ == "__main__":
    sys.exit(main())
