"""The Python API: what scan() takes, and what a report gives."""

import copy
import errno
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import case
from pt2triage import OpenError, Pt2TriageError, scan, scan_lines

LIMIT = case("2.13.0/recompile_limit").log
BREAKS = case("2.13.0/breaks").log
RAISED = case("2.13.0/fullgraph_unsupported").log


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """A file that takes many seconds to scan, and no room on the disk."""
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        file.write(RAISED.read_bytes())
        file.truncate(1 << 38)
    return path


# Ways in.


def test_path_may_be_str_or_pathlike() -> None:
    assert scan(str(LIMIT)) == scan(LIMIT)
    assert scan(LIMIT).sources[0].name == str(LIMIT)


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_paths_are_merged_in_order(kind: type) -> None:
    report = scan(kind([str(RAISED), LIMIT]))
    assert [source.name for source in report.sources] == [str(RAISED), str(LIMIT)]
    assert report.counts.recompiles == scan(LIMIT).counts.recompiles


def test_content() -> None:
    data = LIMIT.read_bytes()
    expected = scan(data)
    assert expected.sources[0].name == "<bytes>"
    assert expected.sources[0].bytes == len(data)
    assert scan(bytearray(data)) == expected
    assert scan(memoryview(data)) == expected
    spread = bytearray(2 * len(data))
    spread[::2] = data
    assert scan(memoryview(spread)[::2]) == expected


def test_streams() -> None:
    data = LIMIT.read_bytes()
    counts = scan(data).counts
    assert scan(io.BytesIO(data)).sources[0].name == "<stream>"
    assert scan(io.BytesIO(data)).counts == counts
    assert scan(io.StringIO(data.decode())).counts == counts
    with LIMIT.open("rb") as file:
        report = scan(file)
    assert report.sources[0].name == str(LIMIT)
    assert report.counts == counts


def test_lines() -> None:
    data = LIMIT.read_bytes()
    expected = scan(data)
    for lines in (
        data.split(b"\n")[:-1],
        data.decode().split("\n")[:-1],
        io.BytesIO(data),
        iter(data.decode().split("\n")[:-1]),
    ):
        report = scan_lines(lines)
        assert report.counts == expected.counts
        assert report.sources[0].name == "<lines>"
        assert report.sources[0].bytes == len(data)
    assert scan_lines([], name="mine").sources[0].name == "mine"


def test_text_of_undecodable_bytes_comes_back_as_it_was() -> None:
    text = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert scan_lines([text]).sources[0].bytes == len(b"caf\xe9\n")
    assert scan_lines(["\ud800"]).sources[0].lines == 1


def test_named_pipe(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(LIMIT.read_bytes()))
    writer.start()
    report = scan([RAISED, fifo])
    writer.join()
    assert [source.name for source in report.sources] == [str(RAISED), str(fifo)]
    assert report.counts.recompiles == scan(LIMIT).counts.recompiles


def test_folder(tmp_path: Path) -> None:
    for name in ("b.txt", "a/2.log", "a/1.log", "c"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("text\n")
    (tmp_path / ".hidden").write_text("text\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "log").write_text("text\n")
    (tmp_path / "model.bin").write_bytes(bytes(range(256)) * 64)
    (tmp_path / "link").symlink_to(tmp_path / "b.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    names = [Path(s.name).relative_to(tmp_path) for s in scan(tmp_path).sources]
    assert list(map(str, names)) == ["a/1.log", "a/2.log", "b.txt", "c"]


def test_deep_folder(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(200):
        path /= "d"
    path.mkdir(parents=True)
    (path / "x.log").write_text("text\n")
    assert len(scan(tmp_path).sources) == 1


def test_empty_inputs(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    inputs: list[Any] = [tmp_path / "empty.log", b"", [], tmp_path]
    for nothing in inputs:
        report = scan(nothing)
        assert report.category is None
        assert report.finding is None
        assert list(report.findings) == []


# Errors.


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.log"
    with pytest.raises(OpenError) as caught:
        scan([LIMIT, path])
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(path)
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, Pt2TriageError)
    assert str(path) in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.log"
    path.touch(mode=0)
    with pytest.raises(OpenError, match="Permission denied"):
        scan(path)


def test_text_instead_of_a_path() -> None:
    with pytest.raises(OpenError, match="text, not a path"):
        scan("Traceback (most recent call last):\n  File ...\n")
    with pytest.raises(OpenError):
        scan("nul\0byte")


@pytest.mark.parametrize("wrong", [None, 3, {"a"}, object()])
def test_wrong_type(wrong: Any) -> None:
    with pytest.raises(TypeError, match="scan\\(\\) takes"):
        scan(wrong)


def test_wrong_types_inside() -> None:
    with pytest.raises(TypeError, match="must be str or PathLike"):
        scan([LIMIT, 3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="splitlines"):
        scan_lines("one text")
    with pytest.raises(ValueError, match="at least 1"):
        scan(LIMIT, jobs=0)

    class Strange:
        def read(self, size: int) -> Any:
            return 3

    with pytest.raises(TypeError, match="gave int"):
        scan(Strange())


def test_what_a_stream_raises_comes_through() -> None:
    class Broken:
        def read(self, size: int) -> bytes:
            raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError, match="gone"):
        scan(Broken())


# Progress, threads, Ctrl-C.


def test_progress_tells_bytes_and_total(tmp_path: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    paths = [LIMIT, RAISED]
    total = sum(path.stat().st_size for path in paths)
    scan(paths, progress=lambda done, of: calls.append((done, of)))
    assert calls[-1] == (total, total)
    assert calls == sorted(calls)


def test_progress_of_a_stream_knows_no_total() -> None:
    calls: list[tuple[int, int | None]] = []
    data = io.BytesIO(b"x" * 1_000_000)
    scan(data, progress=lambda done, of: calls.append((done, of)))
    assert calls[-1] == (1_000_000, None)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_progress_can_stop_a_scan(huge: Path) -> None:
    def stop(done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        scan(huge, progress=stop)
    assert time.monotonic() - start < 5


STOP_ME = """
import sys, pt2triage
print("ready", flush=True)
try:
    pt2triage.scan(sys.stdin.buffer if sys.argv[1] == "-" else sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("source", ["file", "stream", "pipe"])
def test_ctrl_c_stops_a_scan_at_once(huge: Path, source: str) -> None:
    fifo = huge.parent / "fifo"
    os.mkfifo(fifo)
    argument = {"file": str(huge), "stream": "-", "pipe": str(fifo)}[source]
    with subprocess.Popen(
        [sys.executable, "-c", STOP_ME, argument],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        # A writer that writes nothing: the reader waits for its first byte.
        with fifo.open("wb", buffering=0) if source == "pipe" else io.BytesIO():
            time.sleep(0.5)
            assert process.poll() is None
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(timeout=10)
            took = time.monotonic() - start
        assert process.stdout.read() == b"interrupted\n"
    assert took < 3


def test_other_threads_run_during_a_scan(huge: Path) -> None:
    done = threading.Event()

    def stop(done_bytes: int, total: int | None) -> None:
        if done.is_set():
            raise RuntimeError("enough")

    def work() -> None:
        with pytest.raises(RuntimeError, match="enough"):
            scan(huge, progress=stop)

    thread = threading.Thread(target=work)
    thread.start()
    start = time.monotonic()
    counted = 0
    while time.monotonic() - start < 0.5:
        counted += 1
        time.sleep(0.001)
    assert thread.is_alive()
    done.set()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert counted > 25


def test_scans_in_threads_agree() -> None:
    expected = scan([LIMIT, BREAKS, RAISED])
    reports: list[pt2triage.Report] = []

    def work() -> None:
        reports.append(scan([LIMIT, BREAKS, RAISED], jobs=2))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reports == [expected] * 6


# The report.


def test_report_is_its_json() -> None:
    report = scan([RAISED, LIMIT])
    document = report.to_dict()
    assert document == json.loads(report.to_json())
    assert report.category == document["category"]
    assert report.finding == document["finding"]
    assert report.finding == report.findings[0].fingerprint
    assert "\n" not in report.to_json(indent=0)
    for finding, data in zip(report.findings, document["findings"], strict=True):
        assert json.loads(finding.to_json()) == data
        assert as_json(finding, data) == data
    for name in ("counts", "sources", "diagnostics", "omitted_findings"):
        assert as_json(getattr(report, name), document[name]) == document[name]


def as_json(value: Any, like: Any) -> Any:
    """The attributes of an object, under the names that `like` has."""
    if isinstance(like, dict):
        return {key: as_json(getattr(value, key), like[key]) for key in like}
    if isinstance(like, list):
        return [as_json(v, item) for v, item in zip(value, like, strict=True)]
    return value


def test_views() -> None:
    report = scan([RAISED, LIMIT, BREAKS])
    assert {f.category for f in report.graph_breaks} == {"graph_break"}
    assert {f.category for f in report.recompiles} == {"recompilation"}
    assert all(f.exception for f in report.exceptions)
    assert len(report.exceptions) >= 1
    guards = [g for f in report.findings for g in f.guard_failures]
    assert list(report.guard_failures) == guards
    assert guards[0].guard.startswith("n == ")
    assert report.findings[:2] == report.findings[0:2]
    assert len(report.findings[:2]) == 2
    assert report.findings[0] in report.findings


def test_only_some_categories() -> None:
    report = scan([RAISED, LIMIT])
    left = report.only("recompilation")
    assert {f.category for f in left.findings} == {"recompilation"}
    assert left.category == "recompilation"
    assert left.finding == left.findings[0].fingerprint
    assert left.omitted_findings == len(report.findings) - len(left.findings)
    assert left.counts == report.counts
    nothing = report.only("triton_kernel")
    assert nothing.category is None
    assert nothing.finding is None


def test_reprs_are_short() -> None:
    report = scan([RAISED, LIMIT])
    assert repr(report).startswith("<Report graph_break, ")
    assert "\n" not in repr(report)
    assert repr(report.findings[0]).startswith("<Finding ")
    assert repr(report.findings).startswith("<findings: ")
    assert "guard=\"n == '" in repr(report.guard_failures[0])
    assert repr(scan(b"")) == "<Report nothing failed, 1 source>"


def test_values_cannot_be_changed() -> None:
    report = scan(LIMIT)
    for value in (report, report.findings[0], report.guard_failures[0], report.counts):
        name = next(n for n in dir(value) if not n.startswith("_"))
        with pytest.raises(AttributeError):
            setattr(value, name, None)
    with pytest.raises(TypeError):
        pt2triage.Finding()


def test_equal_values_are_equal() -> None:
    one, two = scan([RAISED, LIMIT]), scan([RAISED, LIMIT])
    assert one == two
    assert one != scan(LIMIT)
    assert one != 3
    assert one.findings == two.findings
    assert len({*one.findings, *two.findings}) == len(one.findings)
    assert hash(one.guard_failures) == hash(two.guard_failures)
    assert one.findings[0].user_frame == two.findings[0].user_frame
    assert one.sources == two.sources


def test_pickle_and_copy() -> None:
    report = scan([RAISED, LIMIT])
    for value in (
        report,
        report.findings,
        *report.findings,
        *report.guard_failures,
        *report.sources,
        report.counts,
        report.findings[0].evidence[0],
        report.findings[0].user_frame,
    ):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value
    finding = pickle.loads(pickle.dumps(report.findings[-1]))
    assert finding.evidence == report.findings[-1].evidence


def test_pickle_of_another_version_is_refused() -> None:
    counts = scan(LIMIT).counts
    make = type(counts).__new__
    with pytest.raises(ValueError, match="another version"):
        make(type(counts)).__setstate__((1, 2))


def test_undecodable_bytes_are_shown_alike() -> None:
    data = RAISED.read_bytes().replace(b"Unsupported: ", b"Unsupported: \xff\xfe ")
    report = scan(data)
    assert "\ufffd\ufffd" in (report.findings[0].message or "")
    assert report.findings[0].message == report.to_dict()["findings"][0]["message"]


# Text, HTML, pandas.


def test_text_is_that_of_the_command() -> None:
    report = scan(RAISED)
    assert report.to_text().startswith("ERROR graph_break: ")
    assert report.to_text(width=60) != report.to_text()


def test_html_is_escaped_and_short() -> None:
    data = RAISED.read_bytes().replace(
        b"Unsupported: ", b"Unsupported: <script>alert('x')</script>&\x1b[31m "
    )
    report = scan(data)
    html = report._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "\x1b" not in html
    for page in (html, report.findings._repr_html_(), report.findings[0]._repr_html_()):
        assert page.startswith('<div class="pt2triage">')
        assert "prefers-color-scheme" not in page, "colours are the notebook's"
        assert not re.search("<(script|link|img|iframe|form|a)\\b", page)
    assert "&lt;script&gt;" in report.findings[0]._repr_html_()
    assert "none" in scan(b"").findings._repr_html_()


def test_pandas_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pandas"):
        scan(LIMIT).to_pandas()


def test_pandas() -> None:
    pytest.importorskip("pandas")
    report = scan([RAISED, LIMIT])
    frame = report.to_pandas()
    assert list(frame["fingerprint"]) == [f.fingerprint for f in report.findings]
    assert frame["count"].sum() == sum(f.count for f in report.findings)
    guards = report.guard_failures.to_pandas()
    assert list(guards["guard"]) == [g.guard for g in report.guard_failures]
    empty = scan(b"").to_pandas()
    assert list(empty.columns) == list(frame.columns)
    assert len(empty) == 0


# Importing.

HEAVY = [
    *("argparse", "asyncio", "concurrent", "dataclasses", "importlib.metadata"),
    *("inspect", "jinja2", "json", "multiprocessing", "numpy", "pandas", "rich"),
]


def test_import_is_light() -> None:
    code = (
        "import sys; before = set(sys.modules); import pt2triage; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert set(HEAVY).isdisjoint(done.stdout.split())


def test_names() -> None:
    for name in pt2triage.__all__:
        assert getattr(pt2triage, name) is not None
    assert pt2triage.__version__.count(".") == 2
    assert len(pt2triage.CATEGORIES) == 8


def lines_of(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file


def test_lines_of_a_generator() -> None:
    assert scan_lines(lines_of(LIMIT)).counts == scan(LIMIT).counts
