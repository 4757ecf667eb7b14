"""`pt2triage scan` as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pt2triage
from cases import RunScan, case
from pt2triage.cli import _console, _progress, main

LIMIT = case("2.13.0/recompile_limit").log
BREAKS = case("2.13.0/breaks").log
RAISED = case("2.13.0/fullgraph_unsupported").log
COMMAND = [sys.executable, "-m", "pt2triage"]


def run(
    *arguments: str | Path, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """The command with an environment of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
    )


# Formats.


def test_text(run_scan: RunScan) -> None:
    done = run_scan(RAISED)
    assert done.returncode == 0
    assert done.stderr == b""
    text = done.stdout.decode()
    assert text.startswith("ERROR graph_break: ")
    assert text == pt2triage.scan(RAISED).to_text()


def test_json_is_one_document(run_scan: RunScan) -> None:
    done = run_scan("--format", "json", RAISED, LIMIT)
    assert done.stdout.decode() == pt2triage.scan([RAISED, LIMIT]).to_json() + "\n"


def test_jsonl_is_one_line_each(run_scan: RunScan) -> None:
    done = run_scan("--format", "jsonl", RAISED, LIMIT)
    lines = done.stdout.decode().split("\n")
    report = pt2triage.scan([RAISED, LIMIT])
    assert lines[-1] == ""
    assert [json.loads(line) for line in lines[:-1]] == report.to_dict()["findings"]


def test_output_file(run_scan: RunScan, tmp_path: Path) -> None:
    done = run_scan("--format", "json", LIMIT, "-o", "out.json")
    assert (done.returncode, done.stdout) == (0, b"")
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["category"] == "recompilation"


def test_json_is_utf8_in_any_locale() -> None:
    done = run("scan", "--format", "json", RAISED, PYTHONIOENCODING="latin-1")
    done.stdout.decode("utf-8")
    done = run("scan", RAISED, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    done.stdout.decode("ascii")


# Inputs.


def test_stdin(run_scan: RunScan) -> None:
    done = run_scan("--format", "json", "-", stdin=RAISED.read_bytes())
    document = json.loads(done.stdout)
    assert document["category"] == "graph_break"
    assert document["sources"][0]["name"] == "<stdin>"


def test_stdin_keeps_its_place(run_scan: RunScan) -> None:
    done = run_scan("--format", "json", LIMIT, "-", RAISED, stdin=b"text\n")
    names = [source["name"] for source in json.loads(done.stdout)["sources"]]
    assert names == [str(LIMIT), "<stdin>", str(RAISED)]


def test_folder_and_glob(run_scan: RunScan, tmp_path: Path) -> None:
    for name in ("logs/b.log", "logs/a.log", "logs/sub/c.log", "logs/d.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("text\n")
    (tmp_path / "logs" / ".hidden").write_text("text\n")
    (tmp_path / "logs" / "model.bin").write_bytes(bytes(range(256)) * 64)
    done = run_scan("--format", "json", "logs")
    names = [source["name"] for source in json.loads(done.stdout)["sources"]]
    assert names == ["logs/a.log", "logs/b.log", "logs/d.txt", "logs/sub/c.log"]
    assert done.stderr == b"pt2triage: skipped in folders: 1 binary, 1 hidden\n"
    assert run_scan("-q", "logs").stderr == b""
    done = run_scan("--format", "json", "logs/**/*.log")
    names = [source["name"] for source in json.loads(done.stdout)["sources"]]
    assert names == ["logs/a.log", "logs/b.log", "logs/sub/c.log"]


def test_glob_characters_in_a_name(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "run[1].log").write_text("text\n")
    assert run_scan("run[1].log").returncode == 0


def test_folder_without_logs(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("text\n")
    done = run_scan(".")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no logs here" in done.stderr
    assert b"1 hidden" in done.stderr
    document = json.loads(run_scan("--format", "json", ".").stdout)
    assert document["sources"] == document["findings"] == []


def test_jobs_do_not_matter(run_scan: RunScan) -> None:
    paths = [LIMIT, BREAKS, RAISED]
    one = run_scan("--format", "json", "-j", "1", *paths).stdout
    assert run_scan("--format", "json", "-j", "8", *paths).stdout == one


# Exit status.


def test_gate(run_scan: RunScan) -> None:
    assert run_scan("--fail-on", "graph_break", RAISED).returncode == 1
    assert run_scan("--fail-on", "accuracy,graph_break", RAISED).returncode == 1
    assert run_scan("--fail-on", "accuracy", RAISED).returncode == 0
    done = run_scan("--fail-on", "recompilation", LIMIT)  # warnings count
    assert done.returncode == 1
    assert b"failed by --fail-on: " in done.stderr
    done = run_scan("--fail-on", "graph_break", "--category", "accuracy", RAISED)
    assert done.returncode == 1


def test_missing_input(run_scan: RunScan) -> None:
    done = run_scan("--fail-on", "graph_break", "--format", "json", "none.log", RAISED)
    assert done.returncode == 2  # wins over 1
    assert done.stderr.startswith(b"pt2triage: none.log: No such file or directory\n")
    document = json.loads(done.stdout)
    assert document["category"] == "graph_break"
    assert len(document["sources"]) == 1


def test_only_missing_inputs(run_scan: RunScan) -> None:
    done = run_scan("none.log", "*.log")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 2
    done = run_scan("--format", "json", "none.log")
    assert done.returncode == 2
    assert json.loads(done.stdout)["sources"] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_inputs(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "logs" / "locked").mkdir(parents=True)
    (tmp_path / "logs" / "a.log").write_text("text\n")
    (tmp_path / "logs" / "b.log").touch(mode=0)
    (tmp_path / "logs" / "locked").chmod(0)
    done = run_scan("logs")
    (tmp_path / "logs" / "locked").chmod(0o700)
    assert done.returncode == 2
    assert done.stderr.count(b"Permission denied") == 2
    assert b"a.log" in done.stdout


def test_malformed_content_is_no_error(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_bytes(os.urandom(1 << 16))
    assert run_scan("bad.log").returncode == 0


# Wrong usage.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--fail-on", "graphbreak"], "did you mean graph_break?"),
        (["--category", "graph-break"], "did you mean graph_break?"),
        (["--fail-on", "zzz"], "choose from graph_break, "),
        (["--fail-on", ","], "no category is named"),
        (["-j", "0"], "'0' is no number of 1 or more"),
        (["-j", "x"], "'x' is no number of 1 or more"),
        (["--format", "yaml"], "invalid choice: 'yaml'"),
        (["-o", "no/such/folder/x"], "there is no folder no/such/folder"),
        (["-o", "."], "it is a folder"),
    ],
)
def test_wrong_usage(run_scan: RunScan, arguments: list[str], sentence: str) -> None:
    done = run_scan(*arguments, LIMIT)
    assert (done.returncode, done.stdout) == (2, b"")
    assert sentence in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([])
    with pytest.raises(SystemExit, match="2"):
        main([str(LIMIT)])
    assert "did you mean: pt2triage scan" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["scna"])
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"pt2triage {pt2triage.__version__}\n"
    with pytest.raises(SystemExit, match="0"):
        main(["scan", "--help"])
    assert "exit status:" in capsys.readouterr().out


def test_category_filters(run_scan: RunScan) -> None:
    done = run_scan("--format", "json", "--category", "recompilation", RAISED, LIMIT)
    document = json.loads(done.stdout)
    assert {f["category"] for f in document["findings"]} == {"recompilation"}
    assert document["category"] == "recompilation"
    assert document["omitted_findings"] > 0
    done = run_scan("--category", "triton_kernel", RAISED)
    assert done.stdout.startswith(b"No finding of the categories asked for.\n")


# Colour, progress, what a terminal would obey.


def test_color() -> None:
    assert b"\x1b[" not in run("scan", RAISED).stdout
    assert b"\x1b[" not in run("scan", RAISED, FORCE_COLOR="1").stdout
    painted = run("scan", "--color", "always", RAISED, NO_COLOR="1", TERM="dumb").stdout
    assert b"\x1b[1;31mERROR" in painted
    assert b"\x1b[" not in run("scan", "--color", "never", RAISED).stdout


def test_color_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_console, "is_terminal", lambda stream: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert _console.wants_color("auto", to_file=False)
    assert not _console.wants_color("auto", to_file=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _console.wants_color("auto", to_file=False)
    assert _console.wants_color("always", to_file=False)


def test_color_changes_no_text() -> None:
    import re

    painted = run("scan", "--color", "always", RAISED, LIMIT).stdout.decode()
    lines = re.sub("\x1b\\[[0-9;]*m", "", painted).splitlines()
    plain = run("scan", RAISED, LIMIT).stdout.decode().splitlines()
    assert [line.rstrip() for line in lines] == plain


def test_width_of_a_pipe_is_fixed() -> None:
    assert run("scan", RAISED, COLUMNS="40").stdout == run("scan", RAISED).stdout


def test_controls_of_a_log_are_escaped(run_scan: RunScan) -> None:
    data = RAISED.read_bytes().replace(
        b"Unsupported: ", b"Unsupported: \x1b]0;title\x07\x9b\xc2\x9b "
    )
    done = run_scan("-", stdin=data)
    assert done.stdout.decode().replace("\n", "").isprintable()


def test_progress_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with _progress.progress_bar(True) as nothing:
        assert nothing is None
    monkeypatch.setattr(_progress, "is_terminal", lambda stream: True)
    monkeypatch.setattr(_progress, "_DELAY", 0)
    with _progress.progress_bar(False) as nothing:
        assert nothing is None
    with _progress.progress_bar(True) as progress:
        assert progress is not None
        progress(10, 100)
        progress(20, None)
    assert capsys.readouterr().out == ""


# Output that fails.


def test_closed_pipe_is_quiet() -> None:
    with subprocess.Popen(
        [*COMMAND, "scan", "--format", "json", str(LIMIT)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk(run_scan: RunScan) -> None:
    message = b"No space left on device\n"
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "scan", LIMIT], stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert done.stderr == b"pt2triage: cannot write to stdout: " + message
    done = run_scan(LIMIT, "-o", "/dev/full")
    assert done.returncode == 2
    assert done.stderr == b"pt2triage: cannot write /dev/full: " + message


def test_closed_stdout_and_stdin() -> None:
    command = f'{sys.executable} -m pt2triage scan "$0" {{}}'
    for close, word in ((">&-", b"stdout"), ("<&-", b"stdin")):
        path = "-" if "<" in close else str(LIMIT)
        done = subprocess.run(
            ["sh", "-c", command.format(close), path], capture_output=True, timeout=60
        )
        assert done.returncode == 2
        assert word in done.stderr
        assert b"Traceback" not in done.stderr


def test_ctrl_c(tmp_path: Path) -> None:
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.write(b"text\n")
        file.truncate(1 << 38)
    with subprocess.Popen(
        [*COMMAND, "scan", str(huge)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        time.sleep(1.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert (out, err) == (b"", b"pt2triage: interrupted\n")


def test_output_is_never_one_of_the_inputs(run_scan: RunScan, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(LIMIT.read_bytes())
    done = run_scan(log, "-o", log)
    assert done.returncode == 2
    assert b"one of the inputs" in done.stderr
    assert log.read_bytes() == LIMIT.read_bytes()
