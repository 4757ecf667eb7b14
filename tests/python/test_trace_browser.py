"""The pages of a trace in a real browser: colours, lines that belong together,
filters, keys, and texts that would act."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from browser import CHROMIUM, Browser
from browsing import ATTACKS, CONTRAST, complaints
from cases import DATA, case
from made_traces import MadeTrace, hostile_trace
from pt2triage.report.trace_pages import write_pages

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

COMPILE = "compiles/process_0-0_0.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as made:
        made.look()
        yield made


def written(source: bytes | list[Path], folder: Path) -> Path:
    given = source if isinstance(source, bytes) else [str(path) for path in source]
    write_pages(given, str(folder), lambda: pt2triage.read_trace(given))
    return folder


@pytest.fixture(scope="module")
def provenance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trace = DATA / "provenance" / "trace.log"
    return written([trace], tmp_path_factory.mktemp("provenance") / "out")


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ranks, with breaks, recompiles and a failure."""
    traces = case("2.13.0/two_ranks").traces + case("2.13.0/breaks").traces
    traces += case("2.13.0/user_exc").traces
    return written(traces, tmp_path_factory.mktemp("ranks") / "out")


def pause(browser: Browser) -> None:
    browser.run("new Promise(done => setTimeout(done, 200))")


def test_colours_when_opened(browser: Browser, provenance: Path) -> None:
    browser.open(provenance / COMPILE)
    code = "document.querySelector('details[data-language=python]')"
    before = browser.run(f"{code}.querySelector('pre').textContent")
    assert browser.run("document.querySelectorAll('pre.text span').length") == 0
    browser.run(f"{code}.querySelector('summary').focus()")
    browser.press("Enter")
    pause(browser)
    assert browser.run(f"{code}.open") is True
    assert browser.run(f"{code}.querySelectorAll('pre span.k').length") > 0
    assert browser.run(f"{code}.querySelector('pre').textContent") == before
    assert complaints(browser) == []


def test_colours_of_each_language(browser: Browser, provenance: Path) -> None:
    browser.open(provenance / COMPILE)
    browser.run("document.getElementById('all').click()")
    pause(browser)

    def words(name: str, kind: str) -> list[str]:
        found = browser.run(
            "[...document.querySelectorAll('details.artifact')].filter(d =>"
            f" d.querySelector('strong').textContent === '{name}').flatMap(d =>"
            f" [...d.querySelectorAll('pre .{kind}')].map(s => s.textContent))"
        )
        assert isinstance(found, list)
        return found

    assert {"import", "def", "static_cast", "for"} <= set(
        words("inductor_output_code", "k")
    )
    assert any("#include" in text for text in words("inductor_output_code", "c"))
    assert "return" in words("before_pre_grad_graph", "k")
    mapping = "inductor_provenance_tracking_node_mappings"
    assert '"preToPost"' in words(mapping, "s")
    assert "2.0" in words(mapping, "n")
    assert browser.run(
        "[...document.querySelectorAll('details.artifact')].every(d => d.open)"
    )
    assert complaints(browser) == []


def test_lines_that_belong_together(browser: Browser, provenance: Path) -> None:
    browser.open(provenance / COMPILE)
    browser.run("document.querySelector('.provenance').open = true")
    pause(browser)

    def marked(panel: int, line: str) -> list[list[str]]:
        """Chooses a line of a panel with the keyboard; what is marked in each."""
        browser.run(
            f"[...document.querySelectorAll('.lines')[{panel}].querySelectorAll("
            f"'button')].find(b => b.textContent.includes({line!r})).focus()"
        )
        browser.press("Enter")
        found = browser.run(
            "[...document.querySelectorAll('.lines')].map(panel =>"
            " [...panel.querySelectorAll('.marked')].map(row => row.textContent))"
        )
        assert isinstance(found, list)
        return found

    pre, post, code = marked(0, "torch.relu(")
    assert len(pre) == 1
    assert any("aten.relu.default" in line for line in post)
    assert any("relu" in line and "async_compile" in line for line in code)
    pre, post, code = marked(1, "aten.sin.default")
    assert ["y.sin()" in line for line in pre] == [True]
    assert len(post) == 1
    assert code
    pre, post, code = marked(2, "extern_kernels.mm(")
    assert any("aten.mm.default" in line for line in post)
    assert any("x @ w" in line or "matmul" in line or "l_x_ @" in line for line in pre)
    says = browser.run("document.querySelector('.says').textContent")
    assert "in the first graph" in says
    assert "small.py" in browser.run("document.querySelector('.stacks').textContent")
    assert complaints(browser) == []


SHOWN = "[...document.querySelectorAll('#table tbody tr')].filter(r => !r.hidden)"


def filtered(browser: Browser, **fields: str) -> int:
    """Sets fields of the form as a person does; how many rows are shown then."""
    browser.run("document.querySelector('#filter').reset()")
    for name, value in fields.items():
        browser.run(
            f"(() => {{ const f = document.querySelector('#filter').elements['{name}'];"
            f" f.value = {value!r};"
            " f.dispatchEvent(new Event('input', { bubbles: true })); })()"
        )
    pause(browser)
    shown = browser.run(f"{SHOWN}.length")
    assert isinstance(shown, int)
    return shown


def test_filters_and_order(browser: Browser, ranks: Path) -> None:
    browser.open(ranks / "index.html")
    everything = filtered(browser)
    assert 0 < filtered(browser, rank="1") < everything
    failed = filtered(browser, outcome="failed")
    assert 0 < failed < everything
    assert filtered(browser, search="no such words") == 0
    status = browser.run("document.getElementById('status').textContent")
    assert status == f"0 of {everything} compiles are shown."
    filtered(browser)
    column = (
        "[...document.querySelectorAll('#table thead th')].findIndex("
        "h => h.textContent === 'time')"
    )
    head = f"document.querySelectorAll('#table thead th')[{column}]"
    values = f"{SHOWN}.map(r => Number(r.cells[{column}].dataset.value))"
    first = browser.run(values)
    orders = []
    for wanted in ("ascending", "descending", None):
        browser.run(f"{head}.querySelector('button').click()")
        assert browser.run(f"{head}.getAttribute('aria-sort')") == wanted
        orders.append(browser.run(values))
    assert orders == [sorted(first), sorted(first, reverse=True), first]
    assert complaints(browser) == []


def test_keys_and_links(browser: Browser, ranks: Path) -> None:
    browser.open(ranks / "index.html")
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    browser.press("/")
    assert browser.run("document.activeElement.name") == "search"
    browser.press("x")
    browser.press("Escape")
    assert browser.run("document.activeElement.value") == ""
    page = next((ranks / "compiles").glob("*-0_0.html"))
    browser.open(page, "#a0")
    assert browser.run("document.getElementById('a0').open") is True
    assert complaints(browser) == []


@pytest.mark.parametrize("page", ["index.html", "compiles/rank_0-0_0.html"])
def test_names_of_controls(browser: Browser, ranks: Path, page: str) -> None:
    browser.open(ranks / page)
    browser.call("Accessibility.enable")
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    wanted = {"searchbox", "combobox", "spinbutton", "textbox", "button", "link"}
    named = [
        node["name"]["value"]
        for node in nodes
        if node.get("role", {}).get("value") in wanted
    ]
    assert named
    assert all(named)
    levels = browser.run(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [380, 1300])
@pytest.mark.parametrize("page", ["index.html", COMPILE])
def test_fits_and_can_be_read(
    browser: Browser, provenance: Path, page: str, dark: bool, width: int
) -> None:
    browser.look(dark=dark, width=width)
    try:
        browser.open(provenance / page)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        pause(browser)
        assert browser.run("document.documentElement.scrollWidth") == width
        kinds = ["body", ".soft", "a", ".is-ok", "button"]
        if page == COMPILE:
            browser.run("document.querySelector('.lines button').click()")
            kinds += ["pre .k", "pre .s", "pre .n", "pre .c", ".marked"]
        for kind in kinds:
            assert browser.run(CONTRAST.replace("KIND", kind)) >= 4.5, kind
    finally:
        browser.look()


# What would break out of the colours or of a pattern.
TEXTS = ('"""' * 50, "'" * 999, '"\\' * 999, "/*" * 999, "`${hit=1}`")


@pytest.mark.parametrize("text", [*ATTACKS, *TEXTS])
def test_texts_do_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    folder = written(hostile_trace(text), tmp_path / "out")
    for page in sorted(folder.rglob("*.html")):
        browser.open(page)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        pause(browser)
        browser.run(
            "document.querySelectorAll('*').forEach(e =>"
            " e.dispatchEvent(new Event('mouseover')))"
        )
        assert browser.run("typeof hit") == "undefined"
        assert text in browser.run("document.body.textContent")
        assert complaints(browser) == []


def test_mapping_of_a_stranger(browser: Browser, tmp_path: Path) -> None:
    """A mapping that is no JSON, or not what it should be, breaks nothing."""
    for number, mapping in enumerate(
        (
            "not json at all, but long",
            '{"preToPost": 7, "cppCodeToPost": [[1], null]}',
            '{"__proto__": {"x": ["y"]}, "constructor": ["a"]}',
            '["a list of some length"]',
        )
    ):
        made = MadeTrace()
        made.artifact("before_pre_grad_graph", "a = 1")
        made.artifact("inductor_post_grad_graph", "b = a")
        made.artifact("inductor_output_code", "c = b")
        made.artifact("inductor_provenance_tracking_node_mappings", mapping)
        folder = written(made.data, tmp_path / str(number))
        browser.open(folder / COMPILE)
        browser.run("document.querySelector('.provenance').open = true")
        pause(browser)
        says = browser.run("document.querySelector('.says').textContent")
        assert says == "The mapping names no line of these texts."
        assert complaints(browser) == []


def test_large_code_is_coloured_soon(browser: Browser, tmp_path: Path) -> None:
    made = MadeTrace()
    for text in ('"\\' * 100_000, "'''" + "''" * 90_000, "x = y + 1  # z\n" * 15_000):
        made.artifact("inductor_output_code", text)
    browser.open(written(made.data, tmp_path / "out") / COMPILE)
    time: Any = browser.run(
        "new Promise(done => { const t = performance.now();"
        " document.querySelectorAll('details').forEach(d => d.open = true);"
        " setTimeout(() => done(performance.now() - t), 50); })"
    )
    assert time < 10_000
    assert complaints(browser) == []


def test_reads_without_script(browser: Browser, provenance: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(provenance / "index.html")
        assert browser.run("document.getElementById('filter').hidden") is True
        assert browser.run("document.querySelectorAll('#table tbody tr').length") > 0
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
