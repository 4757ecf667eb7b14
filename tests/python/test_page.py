"""The report as a page of HTML: what is in it, and what texts of logs do to it."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import pt2triage
from cases import all_cases, case
from hostile_texts import HOSTILE, hostile
from html_page import Page
from made_reports import report_of
from pt2triage import Report
from pt2triage.cli import main
from pt2triage.report.context import key_of, read_passages
from pt2triage.report.page import render_page

RAISED = case("2.13.0/fullgraph_unsupported").log
LIMIT = case("2.13.0/recompile_limit").log
BREAKS = case("2.13.0/breaks").log
RANKS = case("2.13.0/two_ranks").log
CLEAN = case("2.13.0/dyn_output").log


def made(text: str) -> Report:
    return report_of(
        hostile(text),
        hostile(text, category="graph_break", fingerprint="f00000000001"),
        hostile(text, fingerprint="f00000000001"),
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_builds_nothing(text: str) -> None:
    page = render_page(made(text))
    assert Page(page).tags == Page(render_page(made("word"))).tags
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]", page)
    assert page.count("<script>") == 1


@pytest.mark.parametrize("one", all_cases(), ids=str)
def test_every_case(one: object) -> None:
    log = getattr(one, "log", None)
    if log is None or not log.exists():
        pytest.skip("it has no log")
    report = pt2triage.scan(log)
    page = Page(report.to_html())
    assert {link[1:] for link in page.links} <= set(page.ids)
    anchors = [name for name in page.ids if name.startswith("f-")]
    assert len(anchors) == len(report.findings)


def test_needs_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    options = ["--format", "html", "-o", str(target)]
    assert main(["scan", *options, str(RAISED), str(BREAKS), str(LIMIT)]) == 0
    text = target.read_text(encoding="utf-8")
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"link", "img", "iframe", "object", "base", "svg"})
    assert all(link.startswith("#") for link in page.links)
    assert "default-src 'none'" in text
    assert "@import" not in text
    assert "url(" not in text
    assert not re.search(r"<[a-z]+ [^>]*\b(on\w+|style|src)=", text)
    assert "prefers-color-scheme: dark" in text


def test_says_what_is_asked_for() -> None:
    report = pt2triage.scan([RAISED, BREAKS, LIMIT, RANKS])
    page = Page(report.to_html())
    words = " ".join(page.text.split())
    assert "The failure to look at first" in words
    assert "Graph breaks by line of your code" in words
    assert "Recompiles by function" in words
    for finding in report.findings:
        if finding.user_frame is not None and finding.user_frame.code:
            assert " ".join(finding.user_frame.code.split()) in words
        for guard in finding.guard_failures:
            assert guard.guard in words
        for link in finding.exception_chain:
            assert link.type in words
    first = report.findings[0].evidence[0]
    lines = Path(first.source).read_text().splitlines()
    assert f"{first.line} | {lines[first.line - 1]}"[:100] in words.replace("  ", " ")


def test_nothing_failed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--format", "html", str(CLEAN)]) == 0
    page = Page(capsys.readouterr().out)
    assert "Nothing failed" in page.text
    assert "script" not in {tag for tag, _ in page.tags}


def test_categories_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--format", "html", "--category", "accuracy"]
    assert main(["scan", *options, str(RAISED)]) == 0
    page = Page(capsys.readouterr().out)
    assert "No finding of the categories asked for" in page.text
    assert "1 finding not shown" in page.text


# Evidence with the lines around it.

Change = Callable[[bytes], bytes]


def test_context(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    before = b"".join(b"step %d\n" % i for i in range(1, 6))
    log.write_bytes(before + RAISED.read_bytes() + b"step 6\nstep 7\n")
    report = pt2triage.scan(log)
    place = report.findings[0].evidence[0]
    passage = read_passages(report.sources, [place])[key_of(place)]
    lines = log.read_text().splitlines()
    shown = "\n".join((passage.before, passage.lines, passage.after)).splitlines()
    numbers = []
    for line in shown:
        number, _, text = line.partition(" | ")
        if number.strip():
            numbers.append(int(number))
            assert lines[int(number) - 1].rstrip()[:200] == text[:200].rstrip()
    assert numbers == sorted(numbers)
    assert place.line in numbers
    assert passage.before.count("\n") == 2
    assert passage.before.splitlines()[-1].strip().startswith(f"{place.line - 1} |")


@pytest.mark.parametrize(
    "change",
    [lambda data: data + b"x", lambda data: b"\n" + data[:-1], lambda data: b""],
)
def test_no_context_of_another_file(tmp_path: Path, change: Change) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(RAISED.read_bytes())
    report = pt2triage.scan(log)
    log.write_bytes(change(log.read_bytes()))
    places = report.findings[0].evidence
    assert read_passages(report.sources, places) == {}
    assert "run.log:" in report.to_html()
    log.unlink()
    assert read_passages(report.sources, places) == {}


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_named_pipe_is_not_waited_for(
    tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[RAISED.read_bytes()])
    writer.start()
    assert main(["scan", "--format", format, str(pipe)]) == 0
    writer.join()
    assert "unsupported-builtin" in capsys.readouterr().out


def test_many_places_of_one_file() -> None:
    report = pt2triage.scan(LIMIT)
    places = [place for finding in report.findings for place in finding.evidence]
    found = read_passages(report.sources, reversed(places))
    assert set(found) == {key_of(place) for place in places}
