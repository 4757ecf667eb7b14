"""Compressed files and archives give what is in them, and nothing else."""

import io
import json
import random
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

import pt2triage
from cases import Json, RunScan, case, kinds, scan
from packed import COMPRESS, gz, make_streamed_zip, make_tar, make_zip, zst
from spoiled import assert_sound, scan_sound

LOGS = {
    "limit.log": case("2.13.0/recompile_limit").log.read_bytes(),
    "lowering.log": case("2.13.0/inductor_lowering").log.read_bytes(),
    "breaks/trace.log": case("2.13.0/breaks").traces[0].read_bytes(),
}
LOG = LOGS["limit.log"]


def compressed_tar(
    compress: Callable[[bytes], bytes], files: Mapping[str, bytes]
) -> bytes:
    return compress(make_tar(files))


ARCHIVES: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "zip": make_zip,
    "stored.zip": lambda files: make_zip(files, zipfile.ZIP_STORED),
    "bzip2.zip": lambda files: make_zip(files, zipfile.ZIP_BZIP2),
    "lzma.zip": lambda files: make_zip(files, zipfile.ZIP_LZMA),
    "streamed.zip": make_streamed_zip,
    "tar": make_tar,
    "gnu.tar": lambda files: make_tar(files, tarfile.GNU_FORMAT),
    "ustar.tar": lambda files: make_tar(files, tarfile.USTAR_FORMAT),
    **{f"tar.{name}": partial(compressed_tar, c) for name, c in COMPRESS.items()},
}


def findings(report: Json) -> list[Json]:
    """Findings but for the names of their sources."""
    found: list[Json] = json.loads(json.dumps(report["findings"]))
    for finding in found:
        for place in finding["evidence"]:
            place["source"] = place["source"].rpartition("!")[2]
    return found


def sources(report: Json, prefix: str = "") -> list[tuple[str, int]]:
    return [(s["name"].removeprefix(prefix), s["bytes"]) for s in report["sources"]]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """The report of the plain files."""
    folder = tmp_path_factory.mktemp("plain")
    for name, data in LOGS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    report = scan([folder / name for name in LOGS])
    for finding in report["findings"]:
        for place in finding["evidence"]:
            place["source"] = str(Path(place["source"]).relative_to(folder))
    return report


# What is packed is read.


@pytest.mark.parametrize("name", COMPRESS)
@pytest.mark.parametrize("log", LOGS)
def test_compressed_file(name: str, log: str, tmp_path: Path) -> None:
    path = tmp_path / "object"  # told by content, not by name
    path.write_bytes(LOGS[log])
    expected = scan_sound(path)
    path.write_bytes(COMPRESS[name](LOGS[log]))
    for report in (
        scan_sound(path),
        scan_sound([path], jobs=1),
        scan_sound(tmp_path),
    ):
        assert report == expected
    with open(path, "rb") as file:
        assert scan_sound(file) == expected
    bytes_report = scan_sound(path.read_bytes())
    assert bytes_report["counts"] == expected["counts"]
    assert sources(bytes_report) == [("<bytes>", len(LOGS[log]))]


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive(name: str, tmp_path: Path, plain: Json) -> None:
    path = tmp_path / "object"
    path.write_bytes(ARCHIVES[name](LOGS))
    for report in (scan_sound(path), scan_sound(tmp_path), scan_sound([path], jobs=1)):
        assert findings(report) == plain["findings"]
        assert report["counts"] == plain["counts"]
        assert sources(report, f"{path}!") == [(n, len(d)) for n, d in LOGS.items()]


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive_from_a_pipe(name: str, run_scan: RunScan, plain: Json) -> None:
    done = run_scan("--format", "json", "-", stdin=ARCHIVES[name](LOGS))
    if name == "lzma.zip" or name == "bzip2.zip":
        assert done.returncode == 2
        assert b"compression method" in done.stderr
        return
    assert done.stderr == b""
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert findings(report) == plain["findings"]
    assert sources(report, "<stdin>!") == [(n, len(d)) for n, d in LOGS.items()]


@pytest.mark.parametrize("inner", [*ARCHIVES, *COMPRESS])
@pytest.mark.parametrize("outer", ["zip", "streamed.zip", "tar", "tar.gz"])
def test_nested_once(outer: str, inner: str, tmp_path: Path) -> None:
    if inner in ("bzip2.zip", "lzma.zip"):
        return
    path = tmp_path / "a"
    if inner in COMPRESS:
        data, name = COMPRESS[inner](LOG), f"{path}!b"
    else:
        data, name = ARCHIVES[inner]({"c.log": LOG}), f"{path}!b!c.log"
    path.write_bytes(ARCHIVES[outer]({"b": data, "d.log": LOG}))
    report = scan_sound(path)
    assert sources(report) == [(name, len(LOG)), (f"{path}!d.log", len(LOG))]
    assert report["category"] == "recompilation"
    assert report["diagnostics"] == []


@pytest.mark.parametrize(
    "inner", [n for n in ARCHIVES if n not in ("bzip2.zip", "lzma.zip")]
)
@pytest.mark.parametrize("outer", ["zip", "streamed.zip", "tar", "tar.gz"])
def test_a_long_archive_in_another(outer: str, inner: str, tmp_path: Path) -> None:
    """Longer than what is looked at to know it: members begin behind that."""
    noise = random.Random(7)
    logs = {f"{i}.log": LOG + noise.randbytes(999).hex().encode() for i in range(20)}
    path = tmp_path / "a"
    path.write_bytes(ARCHIVES[outer]({"b": ARCHIVES[inner](logs)}))
    report = scan_sound(path)
    assert sources(report) == [(f"{path}!b!{n}", len(d)) for n, d in logs.items()]
    assert report["diagnostics"] == []


def test_nested_deeper_is_named(run_scan: RunScan, tmp_path: Path) -> None:
    deep = make_zip({"b.tar": make_tar({"c.log.gz": gz(LOG), "d.log": LOG})})
    (tmp_path / "a.zip").write_bytes(deep)
    done = run_scan("--format", "json", "a.zip")
    assert done.returncode == 2
    assert b"a.zip!b.tar!c.log.gz: it is packed more than 2 times" in done.stderr
    assert b"--max-depth" in done.stderr
    report = json.loads(done.stdout)
    assert_sound(report)
    assert kinds(report) == ["archive-limit"]
    assert report["category"] == "recompilation"
    done = run_scan("--max-depth", "3", "a.zip", "--format", "json")
    assert done.returncode == 0


def test_the_same_with_any_number_of_jobs(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"{i}.gz").write_bytes(gz(LOG[i:]))
    (tmp_path / "a.zip").write_bytes(make_zip(LOGS))
    reports = [scan(tmp_path, jobs=jobs) for jobs in (1, 2, 5)]
    assert reports[0] == reports[1] == reports[2]


def test_large_file_on_two_threads(tmp_path: Path) -> None:
    text = b"".join(b"a line that is not like %d\n" % i for i in range(400_000)) + LOG
    path = tmp_path / "run.log.gz"
    path.write_bytes(gz(text))
    assert scan(path, jobs=2) == scan(path, jobs=1)
    path.write_bytes(zst(text))
    assert scan(path, jobs=2)["category"] == "recompilation"
    path.write_bytes(gz(text)[:-1000])
    assert scan(path, jobs=2) == scan(path, jobs=1)


def test_members_of_gzip_follow_each_other(tmp_path: Path) -> None:
    cut = len(LOG) // 2
    for compress in COMPRESS.values():
        path = tmp_path / "run.log"
        path.write_bytes(compress(LOG[:cut]) + compress(b"") + compress(LOG[cut:]))
        report = scan_sound(path)
        assert report["category"] == "recompilation"
        assert sources(report) == [(str(path), len(LOG))]
        assert report["diagnostics"] == []


def test_names_say_nothing(tmp_path: Path) -> None:
    for name in ("a.gz", "a.zip", "a.tar.xz"):
        (tmp_path / name).write_bytes(LOG)
    report = scan_sound(tmp_path)
    assert report["diagnostics"] == []
    assert [s["kind"] for s in report["sources"]] == ["torch_logs"] * 3


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"BZh9", b"PK", b"\x1f\x8b\x08\xff"])
def test_text_that_begins_like_an_archive(start: bytes) -> None:
    report = scan_sound(start + b" is where it began\n" + LOG)
    assert report["category"] == "recompilation"


# What is cut or damaged is named, and the rest is read.


@pytest.mark.parametrize("name", COMPRESS)
def test_cut_file(name: str, run_scan: RunScan, tmp_path: Path) -> None:
    noise = random.Random(0).randbytes(400_000).hex().encode()
    data = COMPRESS[name](LOG + b"\n" + noise)
    (tmp_path / "cut").write_bytes(data[: -len(data) // 10])
    (tmp_path / "whole").write_bytes(LOG)
    done = run_scan("--format", "json", "cut", "whole")
    assert done.returncode == 2
    assert b"pt2triage: cut: its " in done.stderr
    assert b" data ends early, at byte " in done.stderr
    report = json.loads(done.stdout)
    assert_sound(report)
    assert kinds(report) == ["cut-archive"]
    (place,) = report["diagnostics"]
    assert place["source"] == "cut"
    assert place["offset"] == report["sources"][0]["bytes"]
    if name != "bz2":  # its blocks are of 900 KB
        assert report["sources"][0]["bytes"] > len(LOG)
    assert pt2triage.scan(tmp_path).category == "recompilation", "no exception"


@pytest.mark.parametrize("name", COMPRESS)
def test_trailing_garbage(name: str, run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(COMPRESS[name](LOG) + b"garbage")
    done = run_scan("--format", "json", "a")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert_sound(report)
    assert kinds(report) == ["trailing-bytes"]
    assert "7 bytes" in report["diagnostics"][0]["message"]
    assert report["category"] == "recompilation"


@pytest.mark.parametrize("archive", ["zip", "streamed.zip", "tar", "tar.gz", "tar.xz"])
def test_archive_cut_anywhere(archive: str, tmp_path: Path) -> None:
    data = ARCHIVES[archive]({"a.log": LOG, "b.log": LOG})
    path = tmp_path / "a"
    for size in range(600, len(data), max(len(data) // 60, 1)):
        path.write_bytes(data[:size])
        report = scan_sound(path)
        if archive == "tar" and not data[size:].strip(b"\0"):
            continue  # nothing but the end is missing
        assert len(report["diagnostics"]) >= 1, size
        assert {"cut-archive", "damaged-archive"} >= set(kinds(report))
        if archive != "tar.xz" and size > len(data) * 0.9:
            assert report["category"] == "recompilation"


def damage(archive: bytes, name: bytes) -> bytes:
    """Spoils the first bytes of a member."""
    at = archive.index(name) + len(name) + 40
    return archive[:at] + b"\xff" * 30 + archive[at + 30 :]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("piped", [False, True])
def test_damaged_member(
    method: int, piped: bool, run_scan: RunScan, tmp_path: Path
) -> None:
    files = {"good.log": LOG, "bad.log": LOGS["lowering.log"], "last.log": LOG}
    data = damage(make_zip(files, method), b"bad.log")
    (tmp_path / "a.zip").write_bytes(data)
    name = "-" if piped else "a.zip"
    done = run_scan("--format", "json", name, stdin=data if piped else b"")
    assert done.returncode == 2
    shown = "<stdin>" if piped else "a.zip"
    assert done.stderr.startswith(f"pt2triage: {shown}!bad.log: ".encode())
    report = json.loads(done.stdout)
    assert_sound(report)
    assert len(report["sources"]) == 3
    damaged = [d for d in report["diagnostics"] if d["kind"] == "damaged-archive"]
    assert [d["source"] for d in damaged] == [f"{shown}!bad.log"]
    evidence = [e["source"] for f in report["findings"] for e in f["evidence"]]
    assert {f"{shown}!good.log", f"{shown}!last.log"} <= set(evidence)


def test_damaged_compressed_member(tmp_path: Path) -> None:
    spoiled = bytearray(gz(LOG))
    spoiled[len(spoiled) // 2] ^= 0x55
    for make in (make_zip, make_tar):
        path = tmp_path / "a"
        path.write_bytes(make({"bad.gz": bytes(spoiled), "good.log": LOG}))
        report = scan_sound(path)
        assert report["category"] == "recompilation"
        assert report["diagnostics"][-1]["source"] == f"{path}!bad.gz"


def test_encrypted_member(run_scan: RunScan, tmp_path: Path) -> None:
    data = bytearray(make_zip({"secret.log": LOG, "b.log": LOG}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    for name, stdin in (("a.zip", b""), ("-", bytes(data))):
        (tmp_path / "a.zip").write_bytes(data)
        done = run_scan("--format", "json", name, stdin=stdin)
        assert done.returncode == 2
        assert b"!secret.log: it is encrypted" in done.stderr
        report = json.loads(done.stdout)
        assert kinds(report) == ["unread-archive"]
        assert report["category"] == "recompilation"


# What must not be read, or not followed.


EVIL_NAMES = ("/etc/passwd", "../../up.log", "a/../../b.log", "C:\\x.log", "x\ny.log")


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_names_are_only_names(
    make: Callable[[Mapping[str, bytes]], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "in" / "a"
    path.parent.mkdir()
    path.write_bytes(make(dict.fromkeys(EVIL_NAMES, LOG)))
    before = sorted(tmp_path.rglob("*"))
    report = scan_sound(path)
    assert [s["bytes"] for s in report["sources"]] == [len(LOG)] * len(EVIL_NAMES)
    assert report["sources"][0]["name"] == f"{path}!/etc/passwd"
    assert sorted(tmp_path.rglob("*")) == before, "nothing is written"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.log", LOG)
        archive.writestr("a.log", LOGS["lowering.log"])
    path = tmp_path / "a.zip"
    path.write_bytes(out.getvalue())
    report = scan_sound(path)
    sizes = [s["bytes"] for s in report["sources"]]
    assert sizes == [len(LOG), len(LOGS["lowering.log"])]


def test_special_members_of_tar(run_scan: RunScan, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in {
            "link": tarfile.SYMTYPE,
            "hard": tarfile.LNKTYPE,
            "zero": tarfile.CHRTYPE,
            "disk": tarfile.BLKTYPE,
            "pipe": tarfile.FIFOTYPE,
            "folder": tarfile.DIRTYPE,
        }.items():
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd"
            archive.addfile(info)
        for name, data in {
            "a.log": LOG,
            ".hidden/b.log": LOG,
            "weights.bin": bytes(range(256)) * 64,
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    (tmp_path / "a.tar").write_bytes(out.getvalue())
    done = run_scan("--format", "json", "a.tar")
    assert done.returncode == 0
    assert sources(json.loads(done.stdout)) == [("a.tar!a.log", len(LOG))]
    assert b"1 binary, 1 hidden, 2 links, 3 special" in done.stderr


def test_members_are_skipped_as_files_are(run_scan: RunScan, tmp_path: Path) -> None:
    files = {"a.log": LOG, ".h.log": LOG, "w.bin": bytes(range(256)) * 64, "d/": b""}
    (tmp_path / "a.zip").write_bytes(make_zip(files))
    done = run_scan("--format", "json", "a.zip")
    assert done.returncode == 0
    assert sources(json.loads(done.stdout)) == [("a.zip!a.log", len(LOG))]
    assert b"1 binary, 1 hidden" in done.stderr


def test_folder_of_compressed_files(run_scan: RunScan, tmp_path: Path) -> None:
    """They were once passed over, with exit status 0."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log.gz").write_bytes(gz(LOG))
    done = run_scan("--format", "json", "logs")
    assert json.loads(done.stdout)["category"] == "recompilation"
    assert done.stderr == b""


# Logs of a GitHub Actions run.

GHA_STEPS = {
    "build/1_Set up job.txt": b"hello\n",
    "build/2_test.txt": LOG,
    "lint/1_ruff.txt": b"clean\n",
}
GHA_WHOLE = {
    "0_build.txt": b"hello\n" + LOG,
    "1_lint.txt": b"clean\n",
}


@pytest.mark.parametrize("make", [make_zip, make_streamed_zip])
@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize(
    "layout",
    [
        GHA_WHOLE,
        GHA_STEPS,
        {**GHA_WHOLE, **GHA_STEPS},
        {**GHA_STEPS, **GHA_WHOLE},
        {**GHA_WHOLE, "-9_build.txt": LOG + b"legacy\n", **GHA_STEPS},
        {**GHA_WHOLE, "build/system.txt": b"x\n", **GHA_STEPS},
        {**GHA_WHOLE, "build/1_Set up job.txt": b"hello\n"},  # a step is missing
    ],
)
def test_no_job_counts_twice(
    layout: dict[str, bytes],
    piped: bool,
    make: Callable[[Mapping[str, bytes]], bytes],
    tmp_path: Path,
) -> None:
    data = make(layout)
    path = tmp_path / "logs.zip"
    path.write_bytes(data)
    report = scan_sound(io.BytesIO(data) if piped else path)
    assert report["counts"] == scan(LOG)["counts"]
    assert [f["count"] for f in report["findings"]] == [
        f["count"] for f in scan(LOG)["findings"]
    ]


@pytest.mark.parametrize(
    ("more", "passed_over"),
    [
        ({}, ["0_build.txt", "1_lint.txt"]),
        ({"-9_build.txt": LOG}, ["-9_build.txt", "0_build.txt", "1_lint.txt"]),
        # Steps that hold less than the whole, as where one is missing.
        ({"build/2_test.txt": b""}, ["1_lint.txt", "build/1_Set up job.txt"]),
        # What has the name of no job is a log like any other.
        ({"2_other.txt": LOG}, ["0_build.txt", "1_lint.txt"]),
    ],
)
def test_no_job_of_a_folder_counts_twice(
    more: dict[str, bytes], passed_over: list[str], run_scan: RunScan, tmp_path: Path
) -> None:
    files = {**GHA_WHOLE, **GHA_STEPS, **more}
    for name, data in files.items():
        path = tmp_path / "runs" / "run" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    done = run_scan("--format", "json", "runs")
    read = {s["name"] for s in json.loads(done.stdout)["sources"]}
    left = {f"runs/run/{name}" for name in files} - read
    assert {n for n in left if not n.endswith("build/2_test.txt")} == {
        f"runs/run/{name}" for name in passed_over
    }
    assert b"told twice" in done.stderr
    named = [f"runs/run/{name}" for name in files]
    sources_named = json.loads(run_scan("--format", "json", *named).stdout)["sources"]
    assert len(sources_named) == len(files)  # what is named is read


@pytest.mark.parametrize("make", [make_zip, make_streamed_zip])
@pytest.mark.parametrize("piped", [False, True])
def test_logs_told_apart_by_a_number_are_all_read(
    piped: bool, make: Callable[[Mapping[str, bytes]], bytes], tmp_path: Path
) -> None:
    """As where somebody packed a folder of logs that are named by number and kind."""
    names = ["60000024111_test.txt", "60000039895_test.txt", "7_test.txt"]
    data = make(dict.fromkeys(names, LOG))
    path = tmp_path / "logs.zip"
    path.write_bytes(data)
    report = scan_sound(io.BytesIO(data) if piped else path)
    assert [s["name"].rpartition("!")[2] for s in report["sources"]] == names
    assert report["findings"][0]["count"] == 3


@pytest.mark.parametrize("make", [make_zip, make_streamed_zip])
@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize(
    ("layout", "step"), [(GHA_STEPS, "test"), (GHA_WHOLE, None)], ids=["steps", "whole"]
)
def test_findings_name_job_and_step(
    layout: dict[str, bytes],
    step: str | None,
    piped: bool,
    make: Callable[[Mapping[str, bytes]], bytes],
    tmp_path: Path,
) -> None:
    data = make(layout)
    path = tmp_path / "logs.zip"
    path.write_bytes(data)
    report = scan_sound(io.BytesIO(data) if piped else path)
    assert {(f["job"], f["step"]) for f in report["findings"]} == {("build", step)}


def test_steps_are_named(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(make_zip({**GHA_WHOLE, **GHA_STEPS}))
    report = scan(path)
    assert [s["name"] for s in report["sources"]] == [f"{path}!{n}" for n in GHA_STEPS]
    place = report["findings"][0]["evidence"][0]["source"]
    assert place == f"{path}!build/2_test.txt"


def test_runs_deeper_in_an_archive_count_each_job_once(tmp_path: Path) -> None:
    layout = {**GHA_WHOLE, **GHA_STEPS}
    runs = {
        f"{run}/{name}": data for run in ("7", "8") for name, data in layout.items()
    }
    path = tmp_path / "logs.zip"
    path.write_bytes(make_zip(runs))
    report = scan(path)
    assert [s["name"] for s in report["sources"]] == [
        f"{path}!{run}/{name}" for run in ("7", "8") for name in GHA_STEPS
    ]
    assert {(f["job"], f["step"]) for f in report["findings"]} == {("build", "test")}


@pytest.mark.parametrize("layout", [GHA_WHOLE, GHA_STEPS, {**GHA_WHOLE, **GHA_STEPS}])
@pytest.mark.parametrize("below", ["", "night/run_7/"])
def test_an_unpacked_run_counts_each_job_once(
    layout: dict[str, bytes], below: str, tmp_path: Path
) -> None:
    for name, data in layout.items():
        path = tmp_path / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = scan(tmp_path)
    assert report["counts"] == scan(LOG)["counts"]
    step = None if layout is GHA_WHOLE else "test"
    assert {(f["job"], f["step"]) for f in report["findings"]} == {("build", step)}


@pytest.mark.parametrize("head", [b"7z\xbc\xaf\x27\x1c", b"\x5d\x00\x00\x80\x00"])
def test_what_is_packed_unreadably_is_an_error_of_its_own(
    head: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(head + bytes(range(256)) * 8)
    (tmp_path / "b.log").write_bytes(LOG)
    packed, log = pt2triage.scan_each([tmp_path])
    assert packed.error is not None
    assert "decompress it first" in str(packed.error)
    assert (log.error, log.report and log.report.category) == (None, "recompilation")


def test_a_database_is_no_log(tmp_path: Path, run_scan: RunScan) -> None:
    data = sqlite3.connect(tmp_path / "mlflow.db")
    with data:
        data.execute("CREATE TABLE runs (name)")
        data.execute("INSERT INTO runs VALUES ('Fatal Python error: Aborted')")
    data.close()
    done = run_scan(tmp_path)
    assert b"1 binary" in done.stderr
