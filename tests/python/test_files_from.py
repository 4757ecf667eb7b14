"""Names of inputs out of a file or a pipe."""

import json
from pathlib import Path

import pytest

from cases import RunScan, case
from packed import make_zip

LOG = case("2.13.0/recompile_limit").log.read_bytes()


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    names = ["a.log", "b c.log", "*.log", "-", "caf\u00e9.log", "d/e.log"]
    (tmp_path / "d").mkdir()
    for name in names:
        (tmp_path / name).write_bytes(LOG)
    (tmp_path / "z.zip").write_bytes(make_zip({"m.log": LOG}))
    return names


def names_of(out: bytes) -> list[str]:
    return [source["name"] for source in json.loads(out)["sources"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\0"])
@pytest.mark.parametrize("piped", [False, True])
def test_names(
    end: str, piped: bool, logs: list[str], run_scan: RunScan, tmp_path: Path
) -> None:
    text = "".join(name + end for name in [*logs, "z.zip"]).encode()
    (tmp_path / "list").write_bytes(text)
    words = ["--files-from", "-" if piped else "list", "--format", "json"]
    if end == "\0":
        words.append("-0")
    done = run_scan(*words, stdin=text if piped else b"")
    assert done.stderr == b""
    assert done.returncode == 0
    assert names_of(done.stdout) == [*logs, "z.zip!m.log"]


def test_with_words(logs: list[str], run_scan: RunScan) -> None:
    done = run_scan("d", "--files-from", "-", "--format", "json", stdin=b"a.log\nd\n\n")
    assert done.returncode == 0
    assert names_of(done.stdout) == ["d/e.log", "a.log"]


def test_missing_names(logs: list[str], run_scan: RunScan) -> None:
    done = run_scan("--files-from", "-", stdin=b"a.log\nnothing\n", timeout=60)
    assert done.returncode == 2
    assert done.stderr == b"pt2triage: nothing: No such file or directory\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], b"no input is named"),
        (["-0", "a.log"], b"--files-from"),
        (["-", "--files-from", "-"], b"stdin cannot be both"),
        (["--files-from", "nothing"], b"nothing: No such file"),
        (["--files-from", "d"], b"d: Is a directory"),
    ],
)
def test_wrong_usage(
    words: list[str], says: bytes, logs: list[str], run_scan: RunScan
) -> None:
    done = run_scan(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert b"Traceback" not in done.stderr


def test_empty_list(run_scan: RunScan) -> None:
    done = run_scan("--files-from", "-")
    assert done.returncode == 0
    assert b"no logs here" in done.stderr
