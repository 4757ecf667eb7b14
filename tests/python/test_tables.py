"""Tables on disk: what is in them, and that appending is safe."""

import datetime
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import RunScan, all_cases, case, scan
from pt2triage._batch import Scanned, scan_each
from pt2triage.cli import main

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from pt2triage import _tables  # noqa: E402
from pt2triage._history import HistoryWriter  # noqa: E402
from pt2triage._parts import Part  # noqa: E402
from pt2triage._tables import TABLES, Stamp  # noqa: E402

LIMIT = case("2.13.0/recompile_limit").log
RAISED = case("2.13.0/fullgraph_unsupported").log
BREAKS = case("2.13.0/breaks").log
DAY = datetime.date(2026, 11, 20)
EXTRA: dict[str, set[str]] = {
    table: set(_tables.extra_columns(table)) for table in TABLES
}


def files(folder: Path, table: str = "") -> list[Path]:
    """The files of a folder that have their final names."""
    found = (folder / table).rglob("*") if table else folder.rglob("*")
    return sorted(p for p in found if p.is_file() and not p.name.startswith("."))


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.is_file()]


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of all files, as in the JSON, without the columns that it has not."""
    names = EXTRA[table] if table != "sources" else EXTRA["findings"]
    tables = [parquet.ParquetFile(path).read() for path in files(folder, table)]
    return [
        {key: value for key, value in row.items() if key not in names}
        for table_ in tables
        for row in table_.to_pylist()
    ]


# What is in them.


def test_rows_are_those_of_the_json(tmp_path: Path) -> None:
    logs = [one.log for one in all_cases()]
    with HistoryWriter(str(tmp_path)) as writer:
        for scanned in scan_each(logs):
            writer.add(scanned)
    reports = [scan(log) for log in logs]
    findings = [finding for report in reports for finding in report["findings"]]
    found = rows(tmp_path, "findings")
    assert [{key: row[key] for key in findings[0]} for row in found] == findings
    guards = [guard for finding in findings for guard in finding["guard_failures"]]
    assert [
        {key: row[key] for key in guards[0]} for row in rows(tmp_path, "guard_failures")
    ] == guards
    for row, report in zip(rows(tmp_path, "sources"), reports, strict=True):
        expected = report["sources"][0] | report["counts"]
        for key in ("category", "finding", "omitted_findings"):
            expected[key] = report[key]
        assert row == expected | {"error": None}


def test_schema_of_files(tmp_path: Path) -> None:
    stamp = Stamp.now(DAY)
    with HistoryWriter(str(tmp_path), stamp=stamp) as writer:
        writer.add(Scanned("x", pt2triage.scan(RAISED), None))
    for table in TABLES:
        (path,) = files(tmp_path, table)
        file = parquet.ParquetFile(path)
        schema = file.schema_arrow
        assert schema.equals(_tables.file_schema(table))
        assert schema.metadata[b"pt2triage.tables"] == b"1"
        assert schema.metadata[b"pt2triage.version"].decode() == pt2triage.__version__
        assert not any(pa.types.is_dictionary(field.type) for field in schema)
        assert all(field.nullable for field in schema)
        if file.metadata.num_row_groups:
            assert file.metadata.row_group(0).column(0).compression == "ZSTD"
        for row in file.read().to_pylist():
            assert row["date"] == DAY
            assert row["scanned_at"] == stamp.scanned_at
            assert row["tool_version"] == pt2triage.__version__


def test_counts_are_those_of_the_json() -> None:
    assert list(_tables.COUNTS) == list(scan(b"")["counts"])


def test_names_do_not_collide() -> None:
    for table in TABLES:
        names = [field.name for field in _tables.file_schema(table)]
        assert len(names) == len(set(names))


def test_nothing_found(tmp_path: Path) -> None:
    with HistoryWriter(str(tmp_path)) as writer:
        writer.add(Scanned("x", pt2triage.scan(b""), None))
    assert rows(tmp_path, "findings") == []
    assert [row["name"] for row in rows(tmp_path, "sources")] == ["<bytes>"]


def test_what_cannot_be_read_has_a_row(tmp_path: Path, run_scan: RunScan) -> None:
    bad = b"caf\xe9.log".decode("utf-8", "surrogateescape")
    done = run_scan("--format", "parquet", "-o", tmp_path / "h", RAISED, "none", bad)
    assert done.returncode == 2
    table = rows(tmp_path / "h", "sources")
    errors = {row["name"]: row["error"] for row in table}
    missing = "No such file or directory"
    assert errors == {str(RAISED): None, "none": missing, "caf\ufffd.log": missing}
    assert b"none: No such file" in done.stderr


def test_what_cannot_be_read_to_its_end(tmp_path: Path, run_scan: RunScan) -> None:
    whole = gzip.compress(RAISED.read_bytes() + b"text of a log\n" * 100_000)
    (tmp_path / "cut.log.gz").write_bytes(whole[:-100])
    done = run_scan("--format", "parquet", "-o", "h", "cut.log.gz")
    assert done.returncode == 2
    (row,) = rows(tmp_path / "h", "sources")
    assert row["error"]
    assert row["error"] in done.stderr.decode()
    assert row["category"] == "graph_break"
    assert row["bytes"] > 0


@pytest.mark.parametrize("output", ["h/", "h.arrows"])
def test_a_list_that_cannot_be_read(
    tmp_path: Path, run_scan: RunScan, output: str
) -> None:
    done = run_scan("--format", "arrow", "-o", output, "--files-from", "nowhere")
    assert done.returncode == 2
    assert done.stderr == b"pt2triage: nowhere: No such file or directory\n"
    assert files(tmp_path) + hidden(tmp_path) == []


@pytest.mark.parametrize("group", [1, 3, 10_000])
def test_groups_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int
) -> None:
    monkeypatch.setattr(_tables, "_GROUP_ROWS", group)
    monkeypatch.setattr(_tables, "_REPORTS", min(group, 2))
    report = pt2triage.scan(BREAKS)
    with HistoryWriter(str(tmp_path)) as writer:
        for _ in range(20):
            writer.add(Scanned("x", report, None))
    assert rows(tmp_path, "sources") == rows(tmp_path, "sources")[:1] * 20
    prints = [row["fingerprint"] for row in rows(tmp_path, "findings")]
    assert prints == [f.fingerprint for f in report.findings] * 20
    groups = parquet.ParquetFile(files(tmp_path, "sources")[0]).metadata.num_row_groups
    assert groups == {1: 20, 3: 5, 10_000: 1}[group]


# Appending.


def test_appending_leaves_what_is_there(tmp_path: Path) -> None:
    command = ["scan", "--format", "parquet", "-o", str(tmp_path), str(RAISED)]
    assert main(command) == 0
    before = {path: path.read_bytes() for path in files(tmp_path)}
    assert len(before) == 3
    assert main(command) == 0
    assert {path: path.read_bytes() for path in before} == before
    assert len(files(tmp_path)) == 6
    assert len(rows(tmp_path, "sources")) == 2
    assert hidden(tmp_path) == []


def test_folder_for_each_day(tmp_path: Path) -> None:
    command = ["scan", "--format", "parquet", "--partition-by", "date", str(RAISED)]
    assert main([*command, "-o", str(tmp_path), "--date", "2026-11-20"]) == 0
    assert main([*command, "-o", str(tmp_path)]) == 0
    today = datetime.datetime.now(datetime.UTC).date()
    folders = {path.parent.name for path in files(tmp_path, "findings")}
    assert folders == {"date=2026-11-20", f"date={today}"}
    for path in files(tmp_path):
        assert "date" not in parquet.ParquetFile(path).schema_arrow.names
    table = parquet.read_table(tmp_path / "findings")  # the folders are a column
    assert len(table["date"].unique()) == 2


def test_several_programs_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pt2triage", "scan", "--format", "parquet"]
    running = [
        subprocess.Popen([*command, "-o", str(tmp_path), str(LIMIT), str(RAISED)])
        for _ in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(files(tmp_path)) == 12
    assert len(rows(tmp_path, "sources")) == 8
    assert hidden(tmp_path) == []


def test_errors_leave_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with HistoryWriter(str(tmp_path)) as writer:
            writer.add(Scanned("x", pt2triage.scan(RAISED), None))
            assert len(hidden(tmp_path)) == 3
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert files(tmp_path) + hidden(tmp_path) == []


def test_a_program_that_is_killed(tmp_path: Path) -> None:
    """It leaves no file that a reader would see."""
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    folder = tmp_path / "history"
    command = [sys.executable, "-m", "pt2triage", "scan", "--format", "parquet"]
    command += ["-o", str(folder), str(RAISED), str(fifo)]
    with subprocess.Popen(command) as process, fifo.open("wb"):  # it waits for more
        deadline = time.monotonic() + 60
        while len(hidden(folder)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(hidden(folder)) == 3
    assert files(folder) == []
    assert main(["scan", "--format", "parquet", "-o", str(folder), str(RAISED)]) == 0
    assert len(parquet.read_table(folder / "findings")) == len(
        pt2triage.scan(RAISED).findings
    )


def test_a_part_never_replaces_a_file(tmp_path: Path) -> None:
    part = Part(str(tmp_path), ".parquet")
    part.file.write(b"new")
    Path(part.path).write_bytes(b"old")
    try:
        part.publish()
    except OSError:
        part.discard()
    assert Path(part.path).read_bytes() == b"old"
    assert hidden(tmp_path) == []


def test_a_file_system_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    part = Part(str(tmp_path), ".parquet")
    part.file.write(b"new")
    part.publish()
    part.discard()
    assert Path(part.path).read_bytes() == b"new"
    assert hidden(tmp_path) == []


def test_files_of_several_versions(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    main(["scan", "--format", "parquet", "-o", str(tmp_path), str(RAISED)])
    folder = tmp_path / "findings"
    table = parquet.read_table(folder)
    older = table.drop_columns(["offset", "flaky", "user_frame"])
    parquet.write_table(older, folder / "part-older.parquet")
    newer = table.append_column("colour", pa.repeat("red", len(table)))
    parquet.write_table(newer, folder / "part-newer.parquet")
    found = duckdb.sql(
        f"select count(*), count(flaky), count(user_frame.line), count(colour) from "
        f"read_parquet('{folder}/*.parquet', union_by_name = true)"
    ).fetchall()
    n = len(table)
    assert found == [(3 * n, 2 * n, 2 * n, n)]


# The command.


def test_arrow_stream(tmp_path: Path, run_scan: RunScan) -> None:
    logs = (RAISED, LIMIT)
    expected = [f for log in logs for f in scan(log)["findings"]]
    piped = run_scan("--format", "arrow", *logs)
    assert piped.returncode == 0, piped.stderr
    to_file = run_scan("--format", "arrow", "-o", "all.arrows", *logs)
    assert (to_file.returncode, to_file.stdout) == (0, b"")
    for data in (piped.stdout, (tmp_path / "all.arrows").read_bytes()):
        table = pa.ipc.open_stream(data).read_all()
        found = [{key: row[key] for key in expected[0]} for row in table.to_pylist()]
        assert found == expected


def test_arrow_folder(tmp_path: Path) -> None:
    folder = f"{tmp_path}/history/"
    assert main(["scan", "--format", "arrow", "-o", folder, str(LIMIT)]) == 0
    assert main(["scan", "--format", "arrow", "-o", folder[:-1], str(LIMIT)]) == 0
    for table in TABLES:
        for path in files(Path(folder), table):
            assert path.suffix == ".arrows"
            assert len(pa.ipc.open_stream(path.read_bytes()).read_all())
    assert len(files(Path(folder))) == 6


def test_stdin_gates_and_categories(tmp_path: Path, run_scan: RunScan) -> None:
    done = run_scan(
        *("--format", "parquet", "-o", "h", "-", LIMIT),
        *("--category", "graph_break", "--fail-on", "recompilation"),
        stdin=RAISED.read_bytes(),
    )
    assert done.returncode == 1
    assert b"failed by --fail-on" in done.stderr
    names = {row["name"] for row in rows(tmp_path / "h", "sources")}
    assert names == {"<stdin>", str(LIMIT)}
    found = {row["category"] for row in rows(tmp_path / "h", "findings")}
    assert found == {"graph_break"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "parquet"], "add -o DIR"),
        (["--format", "parquet", "-o", "-"], "add -o DIR"),
        (["--format", "parquet", "-o", "{log}"], "cannot write"),
        (["--format", "parquet", "-o", "d", "--unit-test", "t.py"], "--unit-test"),
        (["--format", "arrow", "--partition-by", "date"], "needs a folder"),
        (["--format", "arrow", "-o", "nowhere/x"], "there is no folder"),
        (["--format", "arrow", "-o", "{log}"], "one of the inputs"),
        (["--date", "2026-11-20"], "are for --format"),
        (["--partition-by", "date", "--format", "json"], "are for --format"),
    ],
)
def test_wrong_usage(
    run_scan: RunScan, tmp_path: Path, options: list[str], message: str
) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(RAISED.read_bytes())
    done = run_scan(*(option.format(log=log) for option in options), log)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert done.stdout == b""
    assert os.listdir(tmp_path) == ["run.log"]
    assert log.read_bytes() == RAISED.read_bytes()


def test_wrong_day(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["scan", "--format", "parquet", "-o", "x", "--date", "today", str(LIMIT)])
    assert "'today' is no day" in capsys.readouterr().err


def test_without_pyarrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    folder = tmp_path / "history"
    assert main(["scan", "--format", "parquet", "-o", str(folder), str(LIMIT)]) == 2
    assert "pip install 'pt2triage[arrow]'" in capsys.readouterr().err
    assert not folder.exists()


def test_a_full_disk(run_scan: RunScan, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pt2triage", "scan", "--format", "arrow", LIMIT],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr


def test_rows_go_on_as_json(tmp_path: Path) -> None:
    """Values of files are plain: what JSON has, and dates."""
    main(["scan", "--format", "parquet", "-o", str(tmp_path), str(BREAKS)])
    assert json.dumps(rows(tmp_path, "findings"))


# Memory.

PEAK = """
import re, sys
from pt2triage.cli import main
assert main(sys.argv[1:]) == 0
with open("/proc/self/status") as file:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1])
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_sources(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc (Linux)")
    logs = [LIMIT.read_bytes(), BREAKS.read_bytes(), RAISED.read_bytes()]
    peaks = []
    for number in (500, 5_000):
        folder = tmp_path / str(number)
        folder.mkdir()
        for i in range(number):
            (folder / f"{i}.log").write_bytes(logs[i % 3])
        command = ["scan", "-j1", "--format", "parquet", str(folder)]
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *command, "-o", str(tmp_path / f"h{number}")],
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        peaks.append(int(done.stdout) / 1024)
    assert len(rows(tmp_path / "h5000", "sources")) == 5_000
    # One group of 64 MiB, once more while it is joined, and what zstd needs.
    assert peaks[1] - peaks[0] < 192, peaks
