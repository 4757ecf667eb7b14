"""Times scans of compressed files against what they cannot be faster than.

    python benchmarks/packed.py [--mib 300] [--runs 5] [--kinds ci,logs] \
        [--files 10000]

For each kind of input, and for gzip and zstd: the decompression alone (by the core's
own decoder), the scan of the plain file, and the scan of the compressed one with
`jobs=1` and `jobs=2`. One thread can do no better than 1/(1/decompression + 1/scan);
two are compared with the decompression. Then the same for many small files: how much
faster two threads are, and what a file costs beyond its bytes. Seconds are the least of
the runs, wall clock and processor; on a busy machine only the latter means something,
and of two threads nothing does. Peers, where they are installed: `gzip -dc`, `zstd
-dc`.
"""

import argparse
import gzip
import io
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import make_input
import pt2triage
from pt2triage import _core

Seconds = tuple[float, float]  # wall clock, processor


def time_once(run: Callable[[], object]) -> Seconds:
    wall, used = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - used


def least(runs: int, *works: Callable[[], object]) -> list[Seconds]:
    """The least of each work's runs; they take turns."""
    times: list[list[Seconds]] = [[] for _ in works]
    for _ in range(runs):
        for work, seen in zip(works, times, strict=True):
            seen.append(time_once(work))
    return [(min(w for w, _ in t), min(p for _, p in t)) for t in times]


def decompress(path: Path, codec: str) -> None:
    with io.FileIO(path) as file:
        stream = _core.DecodedStream(file, codec)
        while stream.read(1 << 18):
            pass


def pack(path: Path, program: str) -> Path | None:
    if shutil.which(program) is None:
        return None
    packed = path.with_suffix(f".{program}")
    with packed.open("wb") as file:
        subprocess.run([program, "-q", "-c", str(path)], stdout=file, check=True)
    return packed


def large(path: Path, runs: int) -> None:
    size = path.stat().st_size / 1e6
    print(f"\n{path.stem}, {size:.0f} MB\n")
    print("| what | seconds | processor | MB/s | of what is possible |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for codec, program in (("gzip", "gzip"), ("zstd", "zstd")):
        packed = pack(path, program)
        if packed is None:
            print(f"| {program} is not installed | | | | |")
            continue
        peer = [program, "-dc", str(packed)]
        works: dict[str, Callable[[], object]] = {
            f"{codec}: decompression": lambda p=packed, c=codec: decompress(p, c),
            "scan of the plain file": lambda: pt2triage.scan(path, jobs=1),
            f"scan of {codec}, jobs=1": lambda p=packed: pt2triage.scan(p, jobs=1),
            f"scan of {codec}, jobs=2": lambda p=packed: pt2triage.scan(p, jobs=2),
            f"{program} -dc": lambda c=peer: subprocess.run(
                c, stdout=subprocess.DEVNULL, check=True
            ),
        }
        times = least(runs, *works.values())
        unpack, plain = times[0], times[1]
        possible = {2: sum(x[1] for x in (unpack, plain)) / times[2][1]}
        possible[3] = unpack[0] / times[3][0]
        for i, (label, (wall, used)) in enumerate(zip(works, times, strict=True)):
            share = f"{possible[i]:.2f}" if i in possible else ""
            print(
                f"| {label} | {wall:.3f} | {used:.3f} | {size / wall:.0f} | {share} |"
            )


def small(folder: Path, number: int, runs: int) -> None:
    texts = make_input.read("corpus/*/*/log.txt")
    text = max((t for t in texts if len(t) < 8000), key=len)
    packed = gzip.compress(text)
    for i in range(number):
        (folder / f"{i:05}.log.gz").write_bytes(packed)
    one = folder.parent / "all.log.gz"
    one.write_bytes(packed * number)
    alone, single, double = least(
        runs,
        lambda: pt2triage.scan(one, jobs=1),
        lambda: list(pt2triage.scan_each([folder], jobs=1)),
        lambda: list(pt2triage.scan_each([folder], jobs=2)),
    )
    cost = (single[1] - alone[1]) / number * 1e3
    print(f"\n{number} files of {len(text)} bytes, {len(packed)} compressed\n")
    print(f"all in one file, jobs=1: {alone[0]:.2f} s, processor {alone[1]:.2f} s")
    print(f"each, jobs=1: {single[0]:.2f} s, processor {single[1]:.2f} s")
    print(f"each, jobs=2: {double[0]:.2f} s, processor {double[1]:.2f} s")
    print(f"two threads: {single[0] / double[0]:.2f} times; {cost:.3f} ms a file")


def main() -> None:
    parser = argparse.ArgumentParser(description="Time scans of compressed files.")
    parser.add_argument("--mib", type=float, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kinds", default="ci,logs")
    parser.add_argument("--files", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pt2triage-packed-") as folder:
        for kind in args.kinds.split(","):
            path = Path(folder) / f"{kind}.log"
            with path.open("wb") as file:
                make_input.write(kind, int(args.mib * 2**20), file, None)
            large(path, args.runs)
        files = Path(folder) / "files"
        files.mkdir()
        small(files, args.files, args.runs)


if __name__ == "__main__":
    main()
