"""Archives that become too much end at a limit, which is named."""

import io
import json
import struct
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import RunScan, case, kinds
from packed import COMPRESS, gz, make_tar, make_zip
from spoiled import assert_sound, scan_sound

LOG = case("2.13.0/recompile_limit").log.read_bytes()
MEBI = 1 << 20


@pytest.fixture(scope="module")
def zeros() -> bytes:
    """What becomes 100 MiB."""
    return LOG + b"\n" + b"0" * (100 * MEBI)


@pytest.mark.parametrize("name", COMPRESS)
def test_ratio(name: str, zeros: bytes, run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "bomb").write_bytes(COMPRESS[name](zeros))
    (tmp_path / "run.log").write_bytes(LOG)
    done = run_scan("--format", "json", "--max-ratio", "50", "bomb", "run.log")
    assert done.returncode == 2
    message = done.stderr.decode()
    assert message.startswith("pt2triage: bomb: it becomes more than 50 times")
    assert "--max-ratio" in message
    report = json.loads(done.stdout)
    assert_sound(report)
    assert kinds(report) == ["archive-limit"]
    assert report["sources"][0]["bytes"] <= 66 * MEBI
    assert len(report["sources"]) == 2
    assert report["category"] == "recompilation"


@pytest.mark.parametrize("make", [make_zip, make_tar])
@pytest.mark.parametrize("piped", [False, True])
def test_bytes_of_an_archive(
    make: Callable[[Mapping[str, bytes]], bytes],
    piped: bool,
    run_scan: RunScan,
    tmp_path: Path,
) -> None:
    files = {f"{i}.log": LOG + b"\n" * 300_000 for i in range(5)}
    data = gz(make(files)) if make is make_tar else make(files)
    (tmp_path / "a").write_bytes(data)
    options = ("--format", "json", "--max-archive-bytes", "1M")
    done = run_scan(*options, "-" if piped else "a", stdin=data if piped else b"")
    assert done.returncode == 2
    assert b"--max-archive-bytes" in done.stderr
    report = json.loads(done.stdout)
    assert "archive-limit" in kinds(report)
    assert sum(s["bytes"] for s in report["sources"]) < 2 * MEBI + 1000
    assert report["category"] == "recompilation"


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_number_of_members(make: object, run_scan: RunScan, tmp_path: Path) -> None:
    assert callable(make)
    (tmp_path / "a").write_bytes(make({f"{i}.log": LOG for i in range(30)}))
    done = run_scan("--format", "json", "--max-members", "10", "a")
    assert done.returncode == 2
    assert b"a: it has more than 10 members; --max-members allows more" in done.stderr
    report = json.loads(done.stdout)
    assert len(report["sources"]) == 11
    assert kinds(report) == ["archive-limit"]
    assert report["category"] == "recompilation"


@pytest.mark.slow
def test_million_members(run_scan: RunScan, tmp_path: Path) -> None:
    """A directory that would take a gigabyte to hold."""
    out = io.BytesIO()
    empty = (
        struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    )
    entry = struct.pack(
        "<4s6H3L5H2L",
        *(b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0),
        *(1, 0, 0, 0, 0, 0, 0),
    )
    number = 1_000_000
    out.write(empty * number)
    start = out.tell()
    out.write((entry + b"a") * number)
    length = out.tell() - start
    out.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, length, start, 0))
    (tmp_path / "a.zip").write_bytes(out.getvalue())
    done = run_scan("--format", "json", "a.zip", timeout=100)
    assert done.returncode == 2
    assert b"more than 100000 members" in done.stderr


def test_overlapping_members(tmp_path: Path) -> None:
    """Many entries of the directory that all name one member."""
    data = make_zip({"a.log": LOG + b"\n" * MEBI})
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[at:end]
    tail = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(entry) * 1000, at, 0
    )
    path = tmp_path / "a.zip"
    path.write_bytes(data[:at] + entry * 1000 + tail)
    report = scan_sound(path)
    assert sum(s["bytes"] > 0 for s in report["sources"]) == 1
    assert kinds(report) == ["damaged-archive"]
    assert "in 999 members" in report["diagnostics"][0]["message"]


def test_quine_like_nesting(tmp_path: Path) -> None:
    data = LOG
    for _ in range(50):
        data = gz(data)
    (tmp_path / "a.gz").write_bytes(data)
    report = scan_sound(tmp_path)
    assert kinds(report) == ["archive-limit"]
    for _ in range(20):
        data = make_zip({"a.zip": data})
    (tmp_path / "a.gz").write_bytes(data)
    report = scan_sound(tmp_path, limits=pt2triage.Limits(max_depth=30))
    assert kinds(report) == ["archive-limit"]


def tar_header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    info.type = kind
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("size", [1 << 40, 1 << 62])
def test_tar_with_a_huge_size(size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(make_tar({"b.log": LOG})[:-10240] + tar_header("a", size) + LOG)
    path.write_bytes(tar_header("a.log", size) + LOG)
    report = scan_sound(path)
    assert report["category"] == "recompilation"
    assert kinds(report)[-1] == "cut-archive"


@pytest.mark.parametrize(
    "kind",
    [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE],
)
def test_tar_with_a_huge_name(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    bomb = tar_header("x", 1 << 33, kind) + b"0" * (4 * MEBI)
    path.write_bytes(make_tar({"b.log": LOG}).rstrip(b"\0").ljust(10240 * 9, b"\0"))
    good = make_tar({"b.log": LOG})
    end = 512 + (len(LOG) + 511) // 512 * 512
    path.write_bytes(gz(good[:end] + bomb))
    report = scan_sound(path)
    assert report["category"] == "recompilation"
    assert kinds(report) in (["damaged-archive"], ["cut-archive"])


def test_tar_with_a_negative_size(tmp_path: Path) -> None:
    header = bytearray(tar_header("a.log", 0))
    header[124:136] = b"\xff" * 12  # -1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "a.tar"
    path.write_bytes(bytes(header) + LOG)
    scan_sound(path)


def test_many_long_names(tmp_path: Path) -> None:
    """tarfile reads them one in the other."""
    path = tmp_path / "a.tar"
    one = tar_header("x", 1, tarfile.GNUTYPE_LONGNAME) + b"x".ljust(512, b"\0")
    path.write_bytes(one * 5000)
    assert kinds(scan_sound(path)) == ["damaged-archive"]


def test_limits_are_checked() -> None:
    wrong: tuple[dict[str, Any], ...] = (
        {"max_ratio": 0},
        {"max_depth": -1},
        {"max_members": 1.5},
        {"max_archive_bytes": 1 << 63},
    )
    for limits in wrong:
        with pytest.raises(ValueError, match="must be a number"):
            pt2triage.Limits(**limits)
    assert pt2triage.Limits().of_core == pt2triage._core.LIMITS


@pytest.mark.parametrize(
    "words", [("--max-ratio", "0"), ("--max-archive-bytes", "1X"), ("--max-depth", "x")]
)
def test_wrong_limits(words: tuple[str, str], run_scan: RunScan) -> None:
    done = run_scan(*words, "a")
    assert done.returncode == 2
    assert words[1].encode() in done.stderr


def test_a_member_that_reaches_over_the_next_one(
    run_scan: RunScan, tmp_path: Path
) -> None:
    data = bytearray(make_zip({"a.log": LOG, "b.log": LOG}))
    at = data.index(b"PK\x01\x02") + 20  # the packed size of a.log
    size = int.from_bytes(data[at : at + 4], "little")
    data[at : at + 4] = (2 * size).to_bytes(4, "little")
    (tmp_path / "quoted.zip").write_bytes(data)
    done = run_scan("--format", "json", "quoted.zip")
    assert done.returncode == 2
    told = b"pt2triage: quoted.zip: bytes of one member are another one's in 1 member"
    assert done.stderr.startswith(told)
    assert json.loads(done.stdout)["category"] == "recompilation"
