"""Files at URLs, read from real servers on this machine: moto's for S3, Python's for
HTTP. No other network is used."""

import functools
import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import pt2triage
from cases import RunScan, scan
from s3_bucket import LOG, OBJECTS
from spoiled import assert_sound


def test_s3_objects(bucket: str) -> None:
    for name in ("logs/plain", "logs/a.log.gz"):
        report = scan(f"{bucket}/{name}")
        assert_sound(report)
        assert report["category"] == "recompilation"
        assert [(s["name"], s["bytes"]) for s in report["sources"]] == [
            (f"{bucket}/{name}", len(LOG))
        ]


@pytest.mark.parametrize("name", ["b.tar.gz", "c.zip"])
def test_s3_archives(bucket: str, name: str) -> None:
    report = scan(f"{bucket}/logs/deep/{name}")
    assert_sound(report)
    assert [s["bytes"] for s in report["sources"]] == [len(LOG)] * 2
    assert report["sources"][0]["name"] == f"{bucket}/logs/deep/{name}!x.log"


@pytest.mark.parametrize(
    ("word", "number"),
    [("logs/*.gz", 1), ("logs/**/*.*", 5), ("logs/deep/[bc].*", 4), ("logs/p????", 1)],
)
def test_s3_globs(bucket: str, word: str, number: int, run_scan: RunScan) -> None:
    done = run_scan("--format", "json", f"{bucket}/{word}")
    assert done.stderr == b""
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["sources"]) == number


def test_s3_folder(bucket: str, run_scan: RunScan) -> None:
    done = run_scan("--format", "json", f"{bucket}/logs")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["sources"]) == 6
    assert b"1 binary, 1 hidden" in done.stderr


def test_s3_names_from_a_list(bucket: str, run_scan: RunScan) -> None:
    names = "".join(f"{bucket}/{n}\n" for n in ("logs/plain", "logs/a.log.gz"))
    done = run_scan("--format", "json", "--files-from", "-", stdin=names.encode())
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["sources"]) == 2


@pytest.mark.parametrize("word", ["logs/nothing", "logs/*.nothing", "../other/x"])
def test_s3_missing(bucket: str, word: str, run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "run.log").write_bytes(LOG)
    done = run_scan("--format", "json", f"{bucket}/{word}", "run.log")
    assert done.returncode == 2
    assert done.stderr.startswith(f"pt2triage: {bucket}/{word}: ".encode())
    assert done.stderr.count(b"\n") == 1
    assert json.loads(done.stdout)["category"] == "recompilation"


def test_s3_without_a_server(
    bucket: str, run_scan: RunScan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    done = run_scan(f"{bucket}/logs/plain")
    assert done.returncode == 2
    assert done.stderr.startswith(b"pt2triage: s3://ci-logs/logs/plain: ")
    assert b"Traceback" not in done.stderr


def test_scan_each_reads_s3(bucket: str) -> None:
    scanned = list(pt2triage.scan_each([f"{bucket}/logs/deep/c.zip", f"{bucket}/x"]))
    assert [s.error is None for s in scanned] == [True, True, False]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A web server, which knows no ranges."""
    pytest.importorskip("fsspec", reason="needs fsspec: pip install '.[dev]'")
    pytest.importorskip("aiohttp", reason="needs aiohttp: pip install '.[dev]'")
    folder = tmp_path_factory.mktemp("web")
    for name, data in OBJECTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=os.fspath(folder))
    )
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["plain", "a.log.gz", "deep/b.tar.gz", "deep/c.zip"])
def test_web(web: str, name: str) -> None:
    report = scan(f"{web}/logs/{name}?token=secret")
    assert_sound(report)
    assert report["category"] == "recompilation"
    assert report["diagnostics"] == []
    assert report["sources"][0]["name"].startswith(f"{web}/logs/{name}")
    assert "secret" not in json.dumps(report)


def test_web_missing(web: str, run_scan: RunScan) -> None:
    done = run_scan(f"{web.replace('//', '//me:secret@')}/nothing?token=secret")
    assert done.returncode == 2
    assert b"/nothing: No such file" in done.stderr
    assert b"secret" not in done.stderr


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """A web server that has all files, and gives out none."""
    pytest.importorskip("fsspec", reason="needs fsspec: pip install '.[dev]'")
    pytest.importorskip("aiohttp", reason="needs aiohttp: pip install '.[dev]'")

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

        def do_HEAD(self) -> None:
            if self.path.startswith("/403"):
                self.send_error(403)
                return
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()

        def do_GET(self) -> None:
            self.send_error(int(self.path[1:4]))

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("status", [401, 403, 500])
def test_web_refuses(refusing: str, status: int, run_scan: RunScan) -> None:
    done = run_scan(f"{refusing.replace('//', '//me:secret@')}/{status}?sig=secret")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    told = f"pt2triage: {refusing}/{status}: The server answers {status} "
    assert line.startswith(told)
    assert "secret" not in line


def test_web_without_a_server(run_scan: RunScan) -> None:
    pytest.importorskip("fsspec", reason="needs fsspec: pip install '.[dev]'")
    pytest.importorskip("aiohttp", reason="needs aiohttp: pip install '.[dev]'")
    done = run_scan("http://127.0.0.1:1/x.log?sig=secret")
    assert done.returncode == 2
    assert b"http://127.0.0.1:1/x.log: Cannot connect to host" in done.stderr
    assert b"secret" not in done.stderr


# Without the extra.


def test_extra_is_named(run_scan: RunScan, tmp_path: Path) -> None:
    (tmp_path / "fsspec").mkdir()
    (tmp_path / "fsspec" / "__init__.py").write_text("raise ImportError('gone')")
    (tmp_path / "run.log").write_bytes(LOG)
    done = run_scan("s3://ci/x.log", "run.log", "--format", "json")
    assert done.returncode == 2
    assert b"pip install 'pt2triage[remote]'" in done.stderr
    assert json.loads(done.stdout)["category"] == "recompilation"


def test_unknown_scheme(run_scan: RunScan) -> None:
    pytest.importorskip("fsspec")
    done = run_scan("nonsense://x/y")
    assert done.returncode == 2
    assert done.stderr.startswith(b"pt2triage: nonsense://x/y: ")
    assert done.stderr.count(b"\n") == 1
