"""The page in a real browser: filters, keys, links, policy, speed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from browser import CHROMIUM, Browser
from browsing import ATTACKS, CONTRAST, complaints
from cases import case
from hostile_texts import hostile
from made_reports import report_of
from pt2triage import Clusters
from pt2triage.report.html import finding_html, table_html
from pt2triage.report.page import render_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

LOGS = ("fullgraph_unsupported", "recompile_limit", "breaks", "two_ranks", "segfault")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as made:
        made.look()
        yield made


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = pt2triage.scan([case(f"2.13.0/{name}").log for name in LOGS])
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report.to_html(), encoding="utf-8")
    return path


SHOWN = "[...document.querySelectorAll('li.finding')].filter(r => r.checkVisibility())"


def filtered(browser: Browser, **fields: str) -> list[dict[str, str]]:
    """Sets fields of the form as a person does; what is shown then."""
    browser.run("document.getElementById('filter').reset()")
    for name, text in fields.items():
        browser.run(
            f"(() => {{ const field = document.querySelector('[name={name}]');"
            f"field.value = {text!r};"
            "field.dispatchEvent(new Event('input', { bubbles: true })); })()"
        )
    browser.run("new Promise(done => setTimeout(done, 200))")
    rows: list[dict[str, str]] = browser.run(
        f"{SHOWN}.map(r => ({{...r.dataset, id: r.id, text: r.textContent}}))"
    )
    return rows


def test_filters(browser: Browser, page: Path) -> None:
    browser.open(page)
    everything = filtered(browser)
    status = browser.run("document.getElementById('status').textContent")
    assert status == f"All {len(everything)} findings are shown."
    for category in {row["category"] for row in everything}:
        rows = filtered(browser, category=category)
        assert rows == [row for row in everything if row["category"] == category]
    rows = filtered(browser, severity="error", category="graph_break")
    assert rows
    assert {(row["severity"], row["category"]) for row in rows} == {
        ("error", "graph_break")
    }
    rows = filtered(browser, search="PRINT builtin")
    assert rows == [
        row
        for row in everything
        if "print" in row["text"].lower() and "builtin" in row["text"].lower()
    ]
    assert 0 < len(rows) < len(everything)
    assert filtered(browser, search="no such words") == []
    status = browser.run("document.getElementById('status').textContent")
    assert status == f"0 of {len(everything)} findings are shown."
    assert complaints(browser) == []


def test_ranks_and_compile_ids(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "made.html"
    findings = [
        {"fingerprint": "a" * 12, "ranks": [*range(8), 12], "compile_id": "0/1"},
        {"fingerprint": "b" * 12, "ranks": [], "compile_id": "10/0"},
        {"fingerprint": "c" * 12, "ranks": [9], "compile_id": "1/0_2"},
    ]
    bare: list[dict[str, Any]] = [{**f, "guard_failures": []} for f in findings]
    page.write_text(render_page(report_of(*bare)), encoding="utf-8")
    browser.open(page)

    def names(**fields: str) -> str:
        return "".join(row["id"][2] for row in filtered(browser, **fields))

    assert [names(rank=str(rank)) for rank in (0, 7, 8, 9, 12)] == [
        *("a", "a", "", "c", "a")
    ]
    ids = ("0", "0/1", "1", "1/0", "1/0_2", "10", "2")
    assert [names(compile=text) for text in ids] == ["a", "a", "c", "c", "c", "b", ""]


def test_keys(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    browser.press("/")
    assert browser.run("document.activeElement.name") == "search"
    browser.press("x")
    assert browser.run("document.activeElement.value") == "x"
    browser.press("Escape")
    assert browser.run("document.activeElement.value") == ""
    browser.run("document.querySelector('li.finding summary').focus()")
    browser.press("Enter")
    assert browser.run("document.querySelector('li.finding details').open") is True
    assert complaints(browser) == []


def test_link_opens_what_is_hidden(browser: Browser, page: Path) -> None:
    browser.open(page)
    anchor = browser.run("[...document.querySelectorAll('li.finding')].at(-1).id")
    filtered(browser, search="no such words")
    browser.run(f"location.hash = '#{anchor}'")
    browser.run("new Promise(done => setTimeout(done, 200))")
    row = f"document.getElementById('{anchor}')"
    assert browser.run(f"{row}.checkVisibility()") is True
    assert browser.run(f"{row}.querySelector('details').open") is True
    assert browser.run(f"{row}.contains(document.activeElement)") is True
    browser.open(page, f"#{anchor}")
    assert browser.run(f"{row}.querySelector('details').open") is True


def test_names_of_controls(browser: Browser, page: Path) -> None:
    """What a screen reader calls each control, and that headings skip no level."""
    browser.open(page)
    browser.call("Accessibility.enable")
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    wanted = {"searchbox", "combobox", "spinbutton", "textbox", "button", "link"}
    named = {
        (node["role"]["value"], node["name"]["value"])
        for node in nodes
        if node.get("role", {}).get("value") in wanted
    }
    assert all(name for _, name in named)
    assert ("searchbox", "Search") in named
    assert {node["role"]["value"] for node in nodes if "role" in node} >= {
        *("main", "navigation", "search", "status", "list", "table", "heading")
    }
    levels = browser.run(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [380, 1300])
def test_fits_and_can_be_read(
    browser: Browser, page: Path, dark: bool, width: int
) -> None:
    browser.look(dark=dark, width=width)
    try:
        browser.open(page)
        assert browser.run("document.documentElement.scrollWidth") == width
        for kind in ("body", ".soft", ".error", ".warning", "a", "pre", "button"):
            ratio = browser.run(CONTRAST.replace("KIND", kind))
            assert ratio >= 4.5, kind
    finally:
        browser.look()


@pytest.mark.parametrize("text", ATTACKS)
def test_texts_do_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    report = report_of(
        hostile(text), hostile(text, category="graph_break", fingerprint="b" * 12)
    )
    clusters = Clusters()
    clusters.add(report)
    notebook = finding_html(report.findings[0]) + table_html("t", [{text: text}], 1)
    for html in (render_page(report), clusters.to_html(), notebook):
        page = tmp_path / "evil.html"
        page.write_text(html, encoding="utf-8")
        browser.open(page)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        browser.run(
            "document.querySelectorAll('*').forEach(e =>"
            " e.dispatchEvent(new Event('mouseover')))"
        )
        assert browser.run("typeof hit") == "undefined"
        assert browser.run("document.body.textContent").count(text) >= 2
        assert complaints(browser) == []


def test_policy_refuses_other_scripts(browser: Browser, page: Path) -> None:
    """Were there a hole, the policy still stands before it."""
    evil = "<script>hit = 1</script><img src=x onerror='hit = 1'></main>"
    spoiled = page.with_name("spoiled.html")
    spoiled.write_text(page.read_text().replace("</main>", evil), encoding="utf-8")
    browser.open(spoiled)
    assert browser.run("typeof hit") == "undefined"
    assert browser.run("document.getElementById('filter').hidden") is False


def test_reads_without_script(browser: Browser, page: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page)
        assert browser.run("document.getElementById('filter').hidden") is True
        first = "document.querySelector('li.finding summary')"
        assert browser.run(f"{first}.checkVisibility()") is True
        assert browser.run(f"{first}.textContent").startswith("ERROR")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_ten_thousand_findings(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "many.html"
    log = "".join(
        f'Traceback (most recent call last):\n  File "a{i}.py", line 1, in f\n'
        f"    foo()\nValueError: x{i}\n"
        for i in range(10_000)
    )
    report = pt2triage.scan(log.encode())
    assert len(report.findings) == 10_000
    page.write_text(report.to_html(), encoding="utf-8")
    browser.open(page)
    assert len(filtered(browser, search="x9999")) == 1
    filtered(browser)
    last = "[...document.querySelectorAll('li.finding')].at(-1)"
    browser.run(f"location.hash = '#' + {last}.id")
    browser.run("new Promise(done => setTimeout(done, 500))")
    top = browser.run(f"{last}.getBoundingClientRect().top")
    assert 0 <= top < browser.run("innerHeight")
    assert len(filtered(browser, search="valueerror")) == 10_000
