"""Clusters, and `pt2triage top`."""

import importlib.resources
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import case
from hostile_texts import HOSTILE, hostile, shape
from made_reports import report_of
from pt2triage import Clusters
from pt2triage._cluster import NAMES, PLACES
from pt2triage.cli import main
from pt2triage.report.layout import plain
from pt2triage.report.top_text import render_top, when

RAISED = case("2.13.0/fullgraph_unsupported").log  # one error
LIMIT = case("2.13.0/recompile_limit").log  # two warnings: 1 limit, 8 recompiles
CLEAN = case("2.13.0/dyn_output").log  # nothing failed
RANKS = case("2.13.0/two_ranks").log

SCHEMA = json.loads(
    importlib.resources.files("pt2triage").joinpath("top.schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

Done = "subprocess.CompletedProcess[str]"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Five logs: the error in three, the recompiles in two of them and one more."""
    folder = tmp_path / "logs"
    folder.mkdir()
    raised, limit = RAISED.read_bytes(), LIMIT.read_bytes()
    (folder / "a.log").write_bytes(raised)
    (folder / "b.log").write_bytes(raised + limit)
    (folder / "c.log").write_bytes(limit + raised)
    (folder / "d.log").write_bytes(limit)
    (folder / "e.log").write_bytes(CLEAN.read_bytes())
    return folder


def top(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pt2triage", "top", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def document(*arguments: str | Path) -> dict[str, Any]:
    done = top("--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    VALIDATOR.validate(made)
    return made


def fingerprint_of(path: Path) -> str:
    found = pt2triage.scan(path).finding
    assert found is not None
    return found


# What is in a cluster.


def test_clusters(logs: Path) -> None:
    found = document(logs)
    assert (found["sources"], found["findings"]) == (5, 9)
    assert found["counts"]["recompiles"] == 24
    rows = [
        (c["severity"], c["cause"], c["sources"], c["findings"], c["count"])
        for c in found["clusters"]
    ]
    assert rows == [
        ("error", "unsupported-builtin", 3, 3, 3),
        ("warning", "scalar-value", 3, 3, 24),
        ("warning", "limit-reached", 3, 3, 3),
    ]
    first = found["clusters"][0]
    assert first["fingerprint"] == fingerprint_of(RAISED)
    assert [Path(p["source"]).name for p in first["places"]] == [
        "a.log",
        "b.log",
        "c.log",
    ]
    assert first["remedy"]
    assert first["new"] is None


def test_from_python(logs: Path) -> None:
    found = pt2triage.cluster(logs)
    assert json.loads(found.to_json()) == document(logs)
    assert found.to_json(0).count("\n") == 0
    assert len(found) == 3 == len(found.to_dicts())
    assert found[0].place == (str(logs / "a.log"), found[0].places[0].line)
    assert [one.cause for one in found[1:]] == ["scalar-value", "limit-reached"]
    assert "<table>" in found._repr_html_()
    assert repr(found[0]).endswith(" graph_break/unsupported-builtin, 3 in 3 sources>")
    assert repr(found) == "<Clusters: 3 of 9 findings in 5 sources>"
    assert len(found.only("graph_break")) == 1
    pieces: list[str] = []
    found.write_json(pieces.append)
    assert "".join(pieces) == found.to_json() + "\n"


def test_nothing_at_all() -> None:
    assert Clusters().to_dicts() == []
    assert list(Clusters()) == []
    pieces: list[str] = []
    Clusters().write_json(pieces.append)
    VALIDATOR.validate(json.loads("".join(pieces)))


def test_missing_source_is_counted(logs: Path) -> None:
    found = pt2triage.cluster([logs / "a.log", logs / "none.log"])
    assert [tuple(one) for one in found.unreadable] == [
        (str(logs / "none.log"), "No such file or directory")
    ]
    assert len(found) == 1


def test_ranks() -> None:
    ranks = {one.cause: one.ranks for one in pt2triage.cluster(RANKS)}
    assert ranks["unsupported-method"] == (0, 1)


def made(*findings: dict[str, Any]) -> Clusters:
    clusters = Clusters()
    clusters.add(report_of(*findings))
    return clusters


@pytest.mark.parametrize(
    ("times", "first", "last"),
    [
        (["1129 10:00:00.1", "1128 23:00:00.1"], "1128 23:00:00.1", "1129 10:00:00.1"),
        (
            ["2025-04-17T06:19:22.04Z", "2025-04-17 06:19:22,030"],
            "2025-04-17 06:19:22,030",
            "2025-04-17T06:19:22.04Z",
        ),
        # One with a year tells more.
        (["1129 10:00:00.1", "2025-01-01T00:00:00Z"], *["2025-01-01T00:00:00Z"] * 2),
    ],
)
def test_times(times: list[str], first: str, last: str) -> None:
    for order in (times, times[::-1]):
        found = made(*({"first_time": t, "last_time": t} for t in order))
        assert (found[0].first_time, found[0].last_time) == (first, last)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        (
            ["2026-11-28T01:08:53.3260000Z", "2026-11-28T06:32:09.0960000Z"],
            "2026-11-28T01:08:53Z to 06:32:09Z",
        ),
        (
            ["2026-11-28 23:08:53,326", "2026-11-29 01:32:09,096"],
            "2026-11-28 23:08:53 to 2026-11-29 01:32:09",
        ),
        (["1129 16:39:41.576", "1129 16:39:41.900"], "1129 16:39:41"),
        (["16:39:41.5", "16:40:41.5"], "16:39:41 to 16:40:41"),
        (["12.3s", "14.5s"], "12.3s to 14.5s"),
    ],
)
def test_times_for_people(times: list[str], shown: str) -> None:
    [one] = made(*({"first_time": t, "last_time": t} for t in times))
    assert when(one) == shown


@pytest.mark.parametrize("width", [60, 70, 80, 100, 120])
def test_place_and_time_are_whole_at_any_width(width: int) -> None:
    """Of a path that is too long the end is shown, where the file and line are."""
    times = ["2026-11-28T01:08:53.326Z", "2026-11-28T06:32:09.096Z"]
    frame = {"file": f"/home/{'folder/' * 20}model.py", "line": 7, "function": "f"}
    message = "long words " * 30
    found = made(
        *(
            {"message": message, "user_frame": frame, "first_time": t, "last_time": t}
            for t in times
        )
    )
    lines = plain(render_top(found, width=width)).splitlines()
    assert any(line.endswith("/model.py:7 in f") for line in lines)
    assert any("2026-11-28T01:08:53Z to 06:32:09Z" in line for line in lines)
    table = lines[: lines.index("", 2)]
    assert max(len(line) for line in table if "ERROR" not in line) <= width


def test_tests_of_one_failure_are_one_cluster() -> None:
    tests = [{"test_id": f"test_{i}", "flaky": i == 0} for i in range(NAMES + 5)]
    [one] = made(*tests)
    assert one.findings == NAMES + 5
    assert one.sources == 1
    assert one.tests == tuple(f"test_{i}" for i in range(NAMES))
    assert one.more_tests
    assert not one.flaky


def test_flaky_is_told_where_all_of_it_is() -> None:
    """A test that failed for good in one log is not called flaky."""
    for others, told in ((True, True), (False, False)):
        found = made({"test_id": "t", "flaky": True}, {"test_id": "t", "flaky": others})
        for text in (found.to_markdown(), found.to_html(), plain(render_top(found))):
            assert bool(re.search(r"\(flaky\)|>flaky<|\| flaky ", text)) is told


def test_what_one_cluster_keeps_is_bounded() -> None:
    clusters = Clusters()
    for i in range(200):
        evidence = [{"source": f"s{i}", "line": 1, "offset": 0, "length": 1}]
        more = {"ranks": [i], "job": f"job {i}", "message": "x" * 100_000}
        clusters.add(report_of({"evidence": evidence, **more}))
    [one] = clusters
    assert (one.sources, len(one.places), len(one.jobs)) == (200, PLACES, NAMES)
    assert len(one.message or "") < 2000
    assert one.ranks == tuple(range(200))


def test_a_report_of_several_sources() -> None:
    clusters = Clusters()
    clusters.add(pt2triage.scan([RAISED, LIMIT, CLEAN]))
    assert clusters.sources == 3
    assert {one.sources for one in clusters} == {1}


# The command.


def test_text(logs: Path) -> None:
    done = top(logs)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "3 clusters of 9 findings in 5 sources."
    assert lines[3].startswith("1   3 of 5      3  " + fingerprint_of(RAISED))
    assert "ERROR graph_break: unsupported-builtin" in lines[3]
    assert "in f" in lines[5]
    assert f"{logs}/a.log:3" in done.stdout
    assert "  next      Move the call of `print` at" in done.stdout
    assert done.stdout == pt2triage.cluster(logs).to_text()
    assert "... and 2 more clusters" in top("-n", "1", logs).stdout


@pytest.mark.parametrize(
    "words",
    [
        ["top", "--format", "json"],
        ["scan", "--format", "json"],
        ["scan", "--format", "jsonl"],
        ["check", "--format", "json"],
        ["diff", str(RAISED), "--format", "json"],
        ["check", "--update-baseline"],
    ],
    ids=["top", "scan", "jsonl", "check", "diff", "baseline"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_reports_that_lie_among_logs_are_no_logs(
    words: list[str], packed: bool, logs: Path, tmp_path: Path
) -> None:
    """Yesterday's are often kept where the logs are, and quote what failed."""
    saved = logs / "saved"
    option = "--baseline" if "--update-baseline" in words else "-o"
    main([*words, option, str(tmp_path / "saved"), str(logs)])
    before = top(logs).stdout
    saved.write_bytes((tmp_path / "saved").read_bytes())
    assert saved.read_bytes()
    given = logs
    if packed:
        given = tmp_path / "logs.zip"
        with zipfile.ZipFile(given, "w") as archive:
            for path in sorted(logs.iterdir()):
                archive.write(path, path.name)
    done = top(given)
    assert done.stdout.partition("\n")[0] == before.partition("\n")[0]
    assert "1 reports of pt2triage" in done.stderr


def test_nothing_failed() -> None:
    assert top(CLEAN).stdout == "Nothing failed in 1 source.\n"


def test_category(logs: Path) -> None:
    found = document("--category", "recompilation", logs)
    assert {c["category"] for c in found["clusters"]} == {"recompilation"}


def test_stdin(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pt2triage", "top", "-", str(LIMIT)],
        input=RAISED.read_bytes(),
        capture_output=True,
    )
    assert b"3 clusters of 3 findings in 2 sources." in done.stdout
    assert b"<stdin>:3" in done.stdout


def test_unreadable_is_two_and_the_rest_is_told(logs: Path) -> None:
    done = top(logs, "none.log")
    assert done.returncode == 2
    assert done.stderr == "pt2triage: none.log: No such file or directory\n"
    assert "1 source could not be read." in done.stdout
    assert top("none.log").stdout == ""


@pytest.mark.parametrize("form", ["top", "report", "baseline"])
def test_since(logs: Path, tmp_path: Path, form: str) -> None:
    before = tmp_path / "before.json"
    commands = {
        "top": ["top", "--format", "json", str(RAISED), "-o", str(before)],
        "report": ["scan", "--format", "json", str(RAISED), "-o", str(before)],
        "baseline": ["check", str(RAISED), "--baseline", str(before)],
    }
    words = commands[form] + ["--update-baseline"] * (form == "baseline")
    assert main(words) == 0
    found = document("--since", before, logs)
    assert [c["new"] for c in found["clusters"]] == [False, True, True]
    text = top("--since", before, logs).stdout
    assert "; 2 new." in text
    assert text.count("(new)") == 2


def test_since_a_part(logs: Path, tmp_path: Path) -> None:
    """What was not saved cannot be known."""
    part = tmp_path / "part.json"
    assert main(["top", "-n1", "--format", "json", str(logs), "-o", str(part)]) == 0
    assert json.loads(part.read_text())["omitted_clusters"] == 2
    done = top("--since", part, logs)
    assert done.returncode == 0
    assert "part.json: not all that was found then is in it" in done.stderr
    assert top("--since", part, RAISED).stdout.startswith("1 cluster")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "it is not whole JSON"),
        (b"[]", "it is no report, clusters or baseline"),
        (b'{"schema_version": 1}', "it is not as pt2triage writes it"),
        (b'{"schema_version": 1, "kind": "baseline", "accepted": [3]}', "it is not as"),
        (b"[" * 100_000, "it is not whole JSON"),
    ],
)
def test_bad_since(logs: Path, tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    done = top("--since", tmp_path / "bad.json", logs)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert top("--since", tmp_path / "none.json", logs).returncode == 2


def test_show(logs: Path) -> None:
    fingerprint = fingerprint_of(RAISED)
    done = top("--show", fingerprint[:6], logs)
    assert done.returncode == 0
    places = re.findall(r"^    \S+/(.\.log):(\d+)$", done.stdout, re.MULTILINE)
    assert [name for name, _ in places] == ["a.log", "b.log", "c.log"]
    found = document("--show", fingerprint, logs)
    assert len(found["clusters"]) == 1
    assert len(found["clusters"][0]["places"]) == 3
    done = top("--show", "fff", logs)
    assert done.returncode == 2
    assert "no finding has a fingerprint that begins fff" in done.stderr


def test_show_heeds_the_other_options(logs: Path) -> None:
    fingerprint = fingerprint_of(RAISED)
    assert top("--show", fingerprint, "--format", "html", logs).stdout.startswith("<!D")
    assert top("--show", fingerprint, "--format", "markdown", logs).stdout[:2] == "# "
    assert top("--show", "", "-n", "1", logs).stdout.count("every place") == 1
    done = top("--show", fingerprint, "--category", "accuracy", logs)
    assert done.returncode == 2
    assert "and one of these categories" in done.stderr


def test_output_is_never_an_input(logs: Path) -> None:
    before = (logs / "a.log").read_bytes()
    assert top(logs / "a.log", "-o", logs / "a.log").returncode == 2
    assert (logs / "a.log").read_bytes() == before


# Texts of logs do nothing.


class _Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str | None, ...]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def evil(text: str) -> Clusters:
    return made(hostile(text, ranks=[0, 1], first_time=text, last_time=text))


RENDER: dict[str, Callable[[Clusters], str]] = {
    "text": Clusters.to_text,
    "markdown": Clusters.to_markdown,
    "html": Clusters.to_html,
}


@pytest.mark.parametrize("form", RENDER)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_control_comes_through(form: str, text: str) -> None:
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]", RENDER[form](evil(text))
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_builds_nothing(text: str) -> None:
    page, plain = (_Page(evil(t).to_html()) for t in (text, "word"))
    assert page.tags == plain.tags
    assert shape(evil(text).to_markdown()) == shape(evil("word").to_markdown())


def test_html_needs_nothing_else(logs: Path, tmp_path: Path) -> None:
    assert top(logs, "--format", "html", "-o", tmp_path / "top.html").returncode == 0
    page = (tmp_path / "top.html").read_text()
    tags = {tag for tag, _ in _Page(page).tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "form", "a"})
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "3 clusters of 9 findings in 5 sources." in _Page(page).text
    done = top(logs, "--format", "markdown")
    assert done.stdout.startswith("# 3 clusters of 9 findings in 5 sources.\n")
    assert done.stdout.count("\n| ") == 5
