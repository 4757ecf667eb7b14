"""--state: a scan that goes on where an earlier one stopped; --max-errors."""

import gzip
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases import RunScan, all_cases
from packed import make_zip
from pt2triage import Limits
from pt2triage._inputs import find_inputs
from pt2triage._outcome import Outcome
from pt2triage._outcomes import scan_inputs
from pt2triage._state import State

LOGS = [case.log for case in all_cases()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for i, log in enumerate(LOGS[:40]):
        shutil.copyfile(log, folder / f"{i:02}.log")
    members = {f"{i}.log": log.read_bytes() for i, log in enumerate(LOGS[40:45])}
    (folder / "packed.zip").write_bytes(make_zip(members))
    (folder / "image.png").write_bytes(bytes(range(256)))
    return folder


def scanned(run_scan: RunScan, *arguments: str | Path) -> tuple[bytes, str]:
    """The JSON, and what stderr says."""
    given = run_scan("--format", "json", *arguments)
    assert given.returncode == 0, given.stderr
    return given.stdout, given.stderr.decode()


def test_the_second_scan_reads_nothing(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    whole, _ = scanned(run_scan, folder)
    first, told = scanned(run_scan, "--state", state, folder)
    assert (first, "unchanged" in told) == (whole, False)
    second, told = scanned(run_scan, "--state", state, folder)
    assert second == whole
    assert "41 files unchanged since an earlier scan" in told


def test_what_changed_is_read(run_scan: RunScan, folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    scanned(run_scan, "--state", state, folder)
    shutil.copyfile(LOGS[50], folder / "03.log")
    (folder / "04.log").unlink()
    shutil.copyfile(LOGS[51], folder / "new.log")
    whole, _ = scanned(run_scan, folder)
    again, told = scanned(run_scan, "--state", state, folder)
    assert again == whole
    assert "39 files unchanged" in told


def test_other_settings_read_again(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    scanned(run_scan, "--state", state, folder)
    _, told = scanned(run_scan, "--state", state, "--verify", folder)
    assert "unchanged" not in told
    _, told = scanned(run_scan, "--state", state, "--max-depth", "1", folder)
    assert "unchanged" not in told
    _, told = scanned(run_scan, "--state", state, folder)
    assert "41 files unchanged" in told


def test_what_could_not_be_read_is_tried_again(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    packed = folder / "packed.zip"
    good = packed.read_bytes()
    packed.write_bytes(good[: len(good) // 2])
    arguments = ("--state", tmp_path / "state", folder)
    assert run_scan(*arguments).returncode == 2
    assert run_scan(*arguments).returncode == 2
    packed.write_bytes(good)
    assert scanned(run_scan, *arguments)[0] == scanned(run_scan, folder)[0]


def test_every_command_can(run_scan: RunScan, folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    scanned(run_scan, "--state", state, folder)
    command = [sys.executable, "-m", "pt2triage", "top", "--format", "json"]
    plain = subprocess.run([*command, folder], capture_output=True, check=True)
    again = subprocess.run(
        [*command, "--state", state, folder], capture_output=True, check=True
    )
    assert again.stdout == plain.stdout
    assert b"41 files unchanged" in again.stderr


@pytest.mark.slow
def test_a_killed_scan_is_resumed(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    for i in range(400):  # some seconds of work
        data = LOGS[i % len(LOGS)].read_bytes()
        (folder / f"more{i}.log").write_bytes(data * (1 + (1 << 20) // len(data)))
    state = tmp_path / "state"
    command = [sys.executable, "-m", "pt2triage", "scan", "-j1", "--state", str(state)]
    process = subprocess.Popen([*command, folder], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
        if kept(state) > 20:
            process.send_signal(signal.SIGKILL)
            break
    assert process.wait() == -signal.SIGKILL
    again, told = scanned(run_scan, "--state", state, folder)
    assert again == scanned(run_scan, folder)[0]
    reused = int(told.split(" files unchanged")[0].rsplit(maxsplit=1)[-1])
    assert 20 < reused < 441


def kept(state: Path) -> int:
    """Number of files whose results are in a state."""
    try:
        data = sqlite3.connect(f"file:{state}?mode=ro", uri=True)
        try:
            row = data.execute("SELECT count(*) FROM sources WHERE identity != ''")
            return int(row.fetchone()[0])
        finally:
            data.close()
    except sqlite3.OperationalError:
        return 0  # not there yet


def test_damage_is_read_again(run_scan: RunScan, folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    scanned(run_scan, "--state", state, folder)
    data = sqlite3.connect(state)
    with data:
        data.execute("UPDATE results SET data = X'00' WHERE source % 2 = 0")
    data.close()
    assert (
        scanned(run_scan, "--state", state, folder)[0] == scanned(run_scan, folder)[0]
    )


@pytest.mark.parametrize("content", [b"my notes\n" * 1000, None])
def test_what_is_no_state_stays(
    content: bytes | None, run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "other"
    if content is None:
        data = sqlite3.connect(state)
        data.execute("CREATE TABLE mine (x)")
        data.close()
        content = state.read_bytes()
    else:
        state.write_bytes(content)
    given = run_scan("--state", state, folder)
    assert given.returncode == 2
    assert b"It is no state of pt2triage" in given.stderr
    assert state.read_bytes() == content


def test_a_state_that_cannot_be_made(run_scan: RunScan, folder: Path) -> None:
    given = run_scan("--state", "no/such/folder/state", folder)
    assert given.returncode == 2
    assert b"no/such/folder/state: " in given.stderr


def test_max_errors(run_scan: RunScan, tmp_path: Path) -> None:
    for i in range(6):
        (tmp_path / f"{i}.gz").write_bytes(gzip.compress(b"text")[:13])
    (tmp_path / "9.log").write_bytes(LOGS[0].read_bytes())
    given = run_scan("--format", "json", "--max-errors", "2", tmp_path)
    assert given.returncode == 2
    assert b"stopped: 2 inputs could not be read (--max-errors)" in given.stderr
    names = [source["name"] for source in json.loads(given.stdout)["sources"]]
    assert str(tmp_path / "9.log") not in names
    given = run_scan("--format", "json", tmp_path)
    names = [source["name"] for source in json.loads(given.stdout)["sources"]]
    assert str(tmp_path / "9.log") in names


@pytest.mark.parametrize(
    "named", [["nope1", "nope2", "nope3"], ["nope1", "cut.gz", "nope2"]]
)
def test_max_errors_counts_what_is_not_there(
    named: list[str], run_scan: RunScan, tmp_path: Path
) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"text")[:13])
    (tmp_path / "9.log").write_bytes(LOGS[0].read_bytes())
    paths = [tmp_path / name for name in [*named, "9.log"]]
    given = run_scan("--format", "json", "--max-errors", "1", *paths)
    assert given.returncode == 2
    told = given.stderr.decode().splitlines()
    assert told[0].startswith(f"pt2triage: {paths[0]}: ")
    assert told[1:] == ["pt2triage: stopped: 1 input could not be read (--max-errors)"]
    assert json.loads(given.stdout)["sources"] == []


def test_a_state_among_the_logs_is_no_log(run_scan: RunScan, folder: Path) -> None:
    whole, _ = scanned(run_scan, folder)
    state = folder / "state"
    (folder / "state-journal").write_bytes(b"text that SQLite rolls back\n")
    for _ in range(2):
        assert scanned(run_scan, "--state", state, folder)[0] == whole


def test_a_scan_that_waits_locks_no_other_one_out(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-m", "pt2triage", "scan", "--state", str(state)]
    waiting = subprocess.Popen(
        [*command, folder / "00.log", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not state.exists():
            time.sleep(0.02)
        time.sleep(0.5)
        started = time.monotonic()
        assert (
            scanned(run_scan, "--state", state, folder)[0]
            == (scanned(run_scan, folder)[0])
        )
        assert time.monotonic() - started < 8
    finally:
        waiting.communicate()
    assert waiting.returncode == 0


def test_two_scans_that_keep_the_same_archive(folder: Path, tmp_path: Path) -> None:
    path = str(folder / "packed.zip")

    with State(str(tmp_path / "state"), "") as one:
        first = outcomes_of(path, one)
        next(first)
        with State(str(tmp_path / "state"), "") as other:
            assert len(list(outcomes_of(path, other))) == 5
        assert len(list(first)) == 4
    with State(str(tmp_path / "state"), "") as again:
        assert one.problem is other.problem is None
        assert len(list(outcomes_of(path, again))) == 5


def outcomes_of(path: str, state: State) -> Iterator[Outcome]:
    return scan_inputs(
        find_inputs([path]), verify=False, jobs=1, limits=Limits(), state=state
    )


def test_a_full_disk_costs_the_state_but_not_the_report(
    run_scan: RunScan, folder: Path, tmp_path: Path
) -> None:
    whole, _ = scanned(run_scan, folder)
    state = tmp_path / "state"
    command = [sys.executable, "-m", "pt2triage", "scan", "--format", "json"]
    command += ["--state", str(state)]
    given = subprocess.run(
        ["bash", "-c", 'ulimit -f 64; exec "$@"', "bash", *command, folder],
        capture_output=True,
    )
    assert given.returncode == 2
    assert given.stdout == whole
    assert f"pt2triage: {state}: ".encode() in given.stderr
    assert b"Traceback" not in given.stderr


def test_a_state_in_no_folder_says_so(run_scan: RunScan, folder: Path) -> None:
    given = run_scan("--state", folder / "none" / "state", folder)
    assert b"There is no folder" in given.stderr
    given = run_scan("--state", folder, folder)
    assert given.returncode == 2
    assert b"It is a folder" in given.stderr
