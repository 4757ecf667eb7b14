"""Inputs that change, dribble, end or fail while they are read, and outputs too."""

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pt2triage
from cases import RunScan, case, kinds
from spoiled import FAILURE, GOOD, assert_sound, scan_sound

LOG = case("2.13.0/recompile_limit").log
TEXT = LOG.read_bytes()
COMMAND = [sys.executable, "-m", "pt2triage", "scan"]
# Long enough to be changed while it is read, and found out in all of it.
BIG = TEXT * 400


@contextlib.contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Does `work` again and again in another thread."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            work()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


# Files. What happens after an exact chunk is tested in C++ (faults_test.cc);
# here it happens anywhere.


def test_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(BIG)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(FAILURE)
        time.sleep(0.001)

    with meanwhile(grow):
        for _ in range(10):
            report = scan_sound(path)
            assert report["sources"][0]["bytes"] >= len(BIG)
            assert kinds(report) in ([], ["truncated-record"])


def test_file_that_shrinks_and_grows(tmp_path: Path) -> None:
    """What was cut off while it was read is said, whatever else there is."""
    path = tmp_path / "run.log"

    def change() -> None:
        path.write_bytes(BIG)
        os.truncate(path, len(TEXT) // 2)

    change()
    with meanwhile(change):
        for _ in range(20):
            report = scan_sound(path)
            assert set(kinds(report)) <= {"shrunk", "nul-bytes", "truncated-record"}


def test_file_that_comes_and_goes(run_scan: RunScan, tmp_path: Path) -> None:
    path = tmp_path / "run.log"

    def change() -> None:
        path.write_bytes(TEXT)
        path.unlink()

    with meanwhile(change):
        for _ in range(50):
            with contextlib.suppress(pt2triage.OpenError):
                scan_sound(path)


def test_file_that_is_replaced(tmp_path: Path) -> None:
    """It is one file or the other, never a mixture."""
    path = tmp_path / "run.log"
    other = tmp_path / "other"
    whole = {len(BIG), len(GOOD + FAILURE)}

    def change() -> None:
        for data in (BIG, GOOD + FAILURE):
            other.write_bytes(data)
            other.rename(path)

    change()
    with meanwhile(change):
        for _ in range(20):
            assert scan_sound(path)["sources"][0]["bytes"] in whole


def test_file_becomes_a_fifo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes to it: looking what is wrong with it does not wait for that."""
    from pt2triage import _core, _outcomes

    failure = type(
        "Failure", (), {"out_of_memory": False, "message": "x: Input/output error"}
    )
    monkeypatch.setattr(_core, "Failure", failure)
    os.mkfifo(tmp_path / "x")
    error = _outcomes._why(str(tmp_path / "x"), failure())
    assert isinstance(error, pt2triage.OpenError)
    assert error.filename == str(tmp_path / "x")


# Pipes.


def dribble(write: Callable[[bytes], object], data: bytes, size: int) -> None:
    for start in range(0, len(data), size):
        write(data[start : start + size])
        if start % (size * 40) == 0:
            time.sleep(0.002)


@pytest.mark.parametrize("blocking", [True, False], ids=["waits", "does not wait"])
def test_slow_stdin(blocking: bool) -> None:
    """Bytes come one by one, also into a pipe that is not blocking."""
    reader, writer = os.pipe()
    os.set_blocking(reader, blocking)
    with subprocess.Popen(
        [*COMMAND, "--format", "json", "-"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(reader)
        time.sleep(0.3)  # it waits for the first byte
        data = TEXT[:3000]
        dribble(lambda piece: os.write(writer, piece), data, 1)
        os.close(writer)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    report = json.loads(out)
    assert_sound(report)
    assert report["sources"][0]["bytes"] == len(data)


def test_slow_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.log"
    os.mkfifo(fifo)

    def write() -> None:
        with fifo.open("wb", buffering=0) as file:
            dribble(file.write, TEXT, 100)

    thread = threading.Thread(target=write)
    thread.start()
    done = subprocess.run(
        [*COMMAND, "--format", "json", fifo, LOG], capture_output=True, timeout=60
    )
    thread.join()
    first, second = json.loads(done.stdout)["sources"]
    assert done.returncode == 0
    assert first["name"] == str(fifo)
    assert first["bytes"] == second["bytes"] == len(TEXT)


def test_writer_that_dies() -> None:
    """The rest of its last record is missing; the pipe is read to its end."""
    script = f"import os; os.write(1, {(GOOD + FAILURE[:-20])!r}); os.abort()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE
    ) as writer:
        done = subprocess.run(
            [*COMMAND, "--verify", "--format", "json", "-"],
            stdin=writer.stdout,
            capture_output=True,
            timeout=60,
        )
    assert done.returncode == 0
    assert kinds(json.loads(done.stdout)) == ["checksum-mismatch"]


# Inputs that are none.


def test_folder_given_as_pipe(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    done = run_scan("folder", "missing.log")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"missing.log: No such file or directory" in done.stderr


def drop_rights() -> None:
    """From now on even root may read only what it is allowed to."""
    libc = ctypes.CDLL(None, use_errno=True)
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_no_permission(tmp_path: Path) -> None:
    secret = tmp_path / "secret.log"
    secret.write_bytes(TEXT)
    secret.chmod(0)
    code = f"import sys; sys.exit(open({str(secret)!r}).close())"
    probe = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=drop_rights, capture_output=True
    )
    if probe.returncode == 0:
        pytest.skip("rights cannot be dropped here")
    done = subprocess.run(
        [*COMMAND, "--format", "json", secret, LOG],
        preexec_fn=drop_rights,
        capture_output=True,
    )
    assert done.returncode == 2
    assert done.stderr == f"pt2triage: {secret}: Permission denied\n".encode()
    assert len(json.loads(done.stdout)["sources"]) == 1


# Outputs.


def limited(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("before", [None, b"a report\n"], ids=["new", "old"])
def test_no_part_of_a_report(tmp_path: Path, before: bytes | None) -> None:
    """The disk is full: what was there stays, and nothing is left behind."""
    out = tmp_path / "out.json"
    if before is not None:
        out.write_bytes(before)
    done = subprocess.run(
        [*COMMAND, "--format", "json", LOG, "-o", out],
        preexec_fn=limited(100),
        capture_output=True,
    )
    assert done.returncode == 2
    assert done.stderr == f"pt2triage: cannot write {out}: File too large\n".encode()
    left = [out] if before is not None else []
    assert list(tmp_path.iterdir()) == left
    if before is not None:
        assert out.read_bytes() == before


def test_output_replaces_the_content_only(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_bytes(b"old")
    (tmp_path / "real.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("real.json")
    assert run_scan("--format", "json", LOG, "-o", "link.json").returncode == 0
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o640
    json.loads((tmp_path / "real.json").read_bytes())
    assert len(list(tmp_path.iterdir())) == 2


def test_output_into_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "out.json"
    os.mkfifo(fifo)
    with subprocess.Popen([*COMMAND, "--format", "json", str(LOG), "-o", fifo]) as p:
        document = json.loads(fifo.read_bytes())
        assert p.wait(timeout=60) == 0
    assert document["category"] == "recompilation"


def test_output_in_the_folder_that_is_read(run_scan: RunScan, tmp_path: Path) -> None:
    """A report is no log: the second run gives the same as the first."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "run.log").write_bytes(TEXT)
    results = []
    for _ in range(2):
        arguments = ("--format", "json", "logs", "-o", "logs/report.json")
        assert run_scan(*arguments).returncode == 0
        results.append((logs / "report.json").read_bytes())
    assert results[0] == results[1]
    with (logs / "out.txt").open("wb") as file:
        subprocess.run([*COMMAND, "logs/run.log", "logs"], stdout=file, cwd=tmp_path)
    assert b"out.txt" not in (logs / "out.txt").read_bytes()


def test_head_of_a_long_report(tmp_path: Path) -> None:
    """`pt2triage scan ... | head -1` says nothing of a broken pipe."""
    many = tmp_path / "many.log"
    many.write_bytes(
        b"".join(
            b"Traceback (most recent call last):\n"
            b'  File "/home/dev/m%d.py", line 3, in f\n'
            b"torch._dynamo.exc.Unsupported: thing %d\n" % (i, i)
            for i in range(3000)
        )
    )
    for format in ("json", "jsonl", "text"):
        command = f"{' '.join(COMMAND)} --format {format} {many} | head -1"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], capture_output=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b""), format
        assert done.stdout.count(b"\n") == 1


def test_slow_reader_of_a_pipe_that_does_not_wait(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    many = [str(path) for path in LOG.parent.parent.glob("*/log.txt")]
    with subprocess.Popen(
        [*COMMAND, "--format", "json", *many], stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        time.sleep(1)
        pieces = []
        while piece := os.read(reader, 30_000):
            pieces.append(piece)
            time.sleep(0.001)
        os.close(reader)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0
    data = b"".join(pieces)
    assert len(data) > 1 << 16, "more than a pipe holds"
    assert json.loads(data)["schema_version"] == 1


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    """A pipe that nobody ends, and a file that is not there yet."""
    with subprocess.Popen(
        [*COMMAND, "--format", "json", "-", "-o", tmp_path / "out.json"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(TEXT)
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        err = process.stderr.read()
        assert process.wait(timeout=60) == 130
        process.stdin.close()
    assert err == b"pt2triage: interrupted\n"
    assert list(tmp_path.iterdir()) == []
