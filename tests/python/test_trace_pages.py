"""The pages of a trace: what is in them, their links, and what texts do to them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

import pt2triage
from cases import DATA, all_cases, case
from hostile_texts import HOSTILE
from html_page import Page
from made_traces import MadeTrace, hostile_trace
from peak import SCRIPT
from pt2triage._traces.chains import break_sites
from pt2triage.cli import main
from pt2triage.report import trace_index_page, trace_pages, trace_tree
from pt2triage.report.safe import one_line, printable
from pt2triage.report.trace_artifacts import Artifact, escaped
from pt2triage.report.trace_blocks import LARGE
from pt2triage.report.trace_pages import write_pages
from pt2triage.report.trace_provenance import provenances

BREAKS = case("2.13.0/breaks").traces
RANKS = case("2.13.0/two_ranks").traces
PROVENANCE = DATA / "provenance" / "trace.log"

# Parts that are there where a reason has several lines, or two payloads are equal.
MORE_TAGS = {
    ("td", ("class",)),
    ("details", ()),
    ("pre", ("class",)),
    ("p", ("class",)),
}


def pages_of(source: bytes | list[Path], folder: Path) -> dict[str, str]:
    """Writes the pages; the text of each by its name."""
    given = source if isinstance(source, bytes) else [str(path) for path in source]
    write_pages(given, str(folder), lambda: pt2triage.read_trace(given))
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.html"))
    }


def check_links(folder: Path, pages: dict[str, str]) -> None:
    """Every page is whole, and each of its links leads to something in the folder."""
    parsed = {name: Page(text) for name, text in pages.items()}
    for name, page in parsed.items():
        for link in page.links:
            assert ":" not in link, link
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path))
            target = name if not path else unquote(target)
            assert not target.startswith(("..", "/"))
            assert (folder / target).is_file(), (name, link)
            if anchor:
                assert anchor in parsed[target].ids, (name, link)


@pytest.mark.parametrize("one", [c for c in all_cases() if c.traces], ids=str)
def test_every_trace(one: object, tmp_path: Path) -> None:
    traces = one.traces  # type: ignore[attr-defined]
    pages = pages_of(traces, tmp_path / "out")
    check_links(tmp_path / "out", pages)
    trace = pt2triage.read_trace(traces)
    index = Page(pages["index.html"]).text
    for site in break_sites(trace):
        assert printable(site.row.reason)[:200] in index
        if site.row.code:
            assert printable(site.row.code) in index
    for row in trace.recompiles:
        assert one_line(row.guard)[:200] in index
    for compile in trace.compiles:
        reasons = [*compile.restart_reasons, compile.fail_reason or ""]
        for line in "\n".join(reasons).split("\n")[:20]:
            assert printable(line)[:200].strip("\n") in index
    keys = {(c.process, c.compile_id) for c in trace.compiles}
    assert len(pages) >= len(keys) + 1


def test_artifacts_are_shown_as_they_are(tmp_path: Path) -> None:
    out = tmp_path / "out"
    pages = pages_of([PROVENANCE], out)
    manifest = json.loads((out / "files" / "manifest.json").read_bytes())
    page = pages["compiles/process_0-0_0.html"]
    entries = [e for e in manifest["entries"] if e["compile_id"] == "0/0"]
    assert len(entries) > 10
    for entry in entries:
        data = (out / "files" / entry["path"]).read_bytes()
        assert f'href="../files/{entry["path"]}"' in page
        assert f'<pre class="text">\n{escaped(data)}</pre>' in page


def test_all_fields_of_metrics(tmp_path: Path) -> None:
    page = Page(pages_of([PROVENANCE], tmp_path)["compiles/process_0-0_0.html"]).text
    trace = pt2triage.read_trace(PROVENANCE)
    assert len(trace.metrics) > 40
    for row in trace.metrics:
        assert f"{row.field}: " in page


def test_first_failure_comes_first(tmp_path: Path) -> None:
    pages = pages_of(case("2.13.0/user_exc").traces, tmp_path)
    finding = pt2triage.read_trace(case("2.13.0/user_exc").traces).report.findings[0]
    assert f"{finding.category}: {finding.cause}" in Page(pages["index.html"]).text


@pytest.mark.parametrize("text", [*HOSTILE, "../../x", "a/../../b"], ids=str)
def test_text_builds_nothing(text: str, tmp_path: Path) -> None:
    evil = pages_of(hostile_trace(text), tmp_path / "a" / "evil")
    plain = pages_of(hostile_trace("word"), tmp_path / "a" / "plain")
    assert list(evil) == list(plain)
    # A reason is taken apart at its lines, so that there may be more rows.
    known = {tag for page in plain.values() for tag in Page(page).tags} | MORE_TAGS
    for name, page in evil.items():
        assert set(Page(page).tags) <= known
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b\u202e]", page)
        assert page.count("<script>") == (1 if name == "index.html" else 2)
    check_links(tmp_path / "a" / "evil", evil)
    assert {path.name for path in tmp_path.iterdir()} == {"a"}
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"evil", "plain"}


def test_ranks_share_what_is_equal(tmp_path: Path) -> None:
    code = "def f():\n    return 'only once'"
    data = b""
    for rank in range(3):
        made = MadeTrace(rank, pid=rank + 1)
        made.start("0/0", ("/home/dev/model.py", 7, "forward", None))
        made.artifact("inductor_output_code", code)
        if rank == 2:
            made.artifact("aot_forward_graph", "of rank 2")
        made.metrics("0/0")
        path = tmp_path / f"rank{rank}.log"
        path.write_bytes(made.data)
        data += made.data
    sources = sorted(tmp_path.glob("*.log"))
    pages = pages_of(sources, tmp_path / "out")
    check_links(tmp_path / "out", pages)
    names = [f"compiles/rank_{rank}-0_0.html" for rank in range(3)]
    assert [
        sum("only once" in line for line in pages[n].split("\n")) for n in names
    ] == [*(1, 0, 0)]
    assert 'href="rank_0-0_0.html#artifacts"' in pages[names[1]]
    assert 'href="rank_0-0_0.html#a0"' in pages[names[2]]
    assert "of rank 2" in pages[names[2]]
    assert len(list((tmp_path / "out" / "files").rglob("*.py"))) == 1


def test_large_payloads_are_linked(tmp_path: Path) -> None:
    made = MadeTrace()
    made.artifact("dynamo_output_graph", "x" * LARGE)
    made.artifact("aot_joint_graph", "y" * (LARGE + 1))
    page = pages_of(made.data, tmp_path)["compiles/process_0-0_0.html"]
    assert "x" * LARGE in page
    assert "y" * 1000 not in page
    assert "Too large to be shown here" in page
    check_links(
        tmp_path,
        {"compiles/process_0-0_0.html": page}
        | {"index.html": (tmp_path / "index.html").read_text(encoding="utf-8")},
    )


def test_long_lists_are_cut_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_index_page, "_COMPILES", 40)
    monkeypatch.setattr(trace_index_page, "_ROWS", 30)
    monkeypatch.setattr(trace_tree, "_NODES", 20)
    monkeypatch.setattr(trace_pages, "_PAGES", 90)
    made = MadeTrace()
    for number in range(100):
        made.start(f"{number}/0", (f"/home/dev/m{number}.py", 1, "f", None))
        made.metrics(f"{number}/0", fail_type="E", fail_reason=f"no {number}")
    pages = pages_of(made.data, tmp_path)
    assert len(pages) == 91
    index = pages["index.html"]
    assert "And 60 more compiles." in index
    assert "And 70 more reasons." in index
    assert "and more calls, which are not drawn" in index
    check_links(tmp_path, pages)


def test_deep_stacks(tmp_path: Path) -> None:
    made = MadeTrace()
    frames = [("/home/dev/m.py", line, "f", None) for line in range(1_000)]
    for number in range(20):
        made.start(f"{number}/0", *frames[: 1 + 50 * number])
    Page(pages_of(made.data, tmp_path)["index.html"])


def test_nothing_and_damage(tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"no trace\n", MadeTrace().data + b"\xff\n")):
        pages = pages_of(data, tmp_path / str(number))
        assert list(pages) == ["index.html"]
        Page(pages["index.html"])
    made = MadeTrace()
    made.artifact("graph", "the right text")
    data = made.data.replace(b"the right", b"the wrong")
    pages = pages_of(data, tmp_path / "damaged")
    assert "does not have the checksum" in pages["compiles/process_0-0_0.html"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_does_not_grow(tmp_path: Path) -> None:
    """A hundred megabytes of payloads that are all different."""
    peaks: list[float] = []
    for processes in (1, 40):
        path = tmp_path / f"{processes}.log"
        with open(path, "wb") as file:
            for process in range(processes):
                made = MadeTrace(pid=process)
                for number in range(40):
                    text = f"{process} {number} " + "x = y + 1\n" * 6_400
                    made.artifact("inductor_output_code", text, f"{number}/0")
                    made.metrics(f"{number}/0", note="z" * 4_000)
                file.write(made.data)
        out = str(tmp_path / f"out{processes}")
        command = ["trace", str(path), "--html", out, "-q", "-j1"]
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *command], capture_output=True, check=True
        )
        peaks.append(int(done.stderr) / 1024)
    assert peaks[1] < peaks[0] + 24


def artifacts_of(*titles: str) -> list[Artifact]:
    return [Artifact(title, 0, title, 1000, False, False) for title in titles]


def test_provenance_of_each_version() -> None:
    mapping = "inductor_provenance_tracking_node_mappings"
    stacks = "inductor_provenance_tracking_kernel_stack_traces"
    post, code = "inductor_post_grad_graph", "inductor_output_code"
    after, pre = "after_post_grad_graph", "before_pre_grad_graph"
    mapped, kernels = (
        "inductor_post_to_pre_grad_nodes",
        "inductor_generated_kernel_to_post_grad_nodes",
    )
    now = (pre, post, code, mapping, stacks, post, code, mapping)
    assert [tuple(p) for p in provenances(artifacts_of(*now))] == [
        (0, 1, 2, (3,), (4,)),
        (0, 5, 6, (7,), ()),
    ]
    old = (pre, after, mapped, code, kernels, mapping)
    assert [tuple(p) for p in provenances(artifacts_of(*old))] == [
        (0, 1, 3, (2, 4, 5), ())
    ]
    assert provenances(artifacts_of(pre, post, code)) == []
    assert provenances(artifacts_of(mapping, code)) == []


def test_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    arguments = ["trace", *map(str, BREAKS), "--html", str(folder), "--no-progress"]
    assert main(arguments) == 0
    told = capfd.readouterr()
    assert told.out == ""
    assert f"open {folder}{os.sep}index.html" in told.err
    assert main(arguments) == 2
    assert "give --overwrite" in capfd.readouterr().err
    assert main([*arguments, "--overwrite", "--show", "breaks"]) == 0
    assert "Graph breaks" in capfd.readouterr().out
    assert sorted(os.listdir(folder)) == [
        *("chromium_events.json", "compiles", "files", "index.html")
    ]


def test_what_is_not_ours_is_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    arguments = ["trace", *map(str, BREAKS), "--html", str(folder), "--overwrite"]
    assert main(arguments) == 0
    (folder / "mine.txt").write_text("keep")
    assert main(arguments) == 2
    assert (folder / "mine.txt").read_text() == "keep"
    (folder / "mine.txt").unlink()
    inside = folder / "files" / "trace.log"
    inside.write_bytes(BREAKS[0].read_bytes())
    assert main(["trace", str(inside), "--html", str(folder), "--overwrite"]) == 2
    assert "lies in the folder" in capfd.readouterr().err
    assert inside.exists()
    assert main(["trace", "-", "--html", str(tmp_path / "new")]) == 2
    assert not (tmp_path / "new").exists()


def test_comparison_of_ranks(tmp_path: Path) -> None:
    index = Page(pages_of(RANKS, tmp_path / "two")["index.html"]).text
    assert "2 ranks compared: 0-1" in index
    index = Page(pages_of(RANKS[:1], tmp_path / "one")["index.html"]).text
    assert "No data on what differs between ranks: the trace has 1 rank." in index
