"""The report in Markdown."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jinja2 import nodes

import pt2triage
from cases import Case, RunScan, all_cases, case
from hostile_texts import HOSTILE, hostile, rendered, shape
from made_reports import report_of
from pt2triage.report import escape, search
from pt2triage.report.markdown import render_markdown
from pt2triage.report.safe import one_line
from pt2triage.report.templating import environment


def markdown(*findings: dict[str, Any], **source: Any) -> str:
    return render_markdown(report_of(*findings, **source))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_a_log_builds_nothing(text: str) -> None:
    """The parts of the page are those that harmless text gives."""
    page = markdown(hostile(text), hostile(text), name=text, torch_version=text)
    plain = markdown(hostile("word"), hostile("word"), name="word", torch_version="w")
    assert shape(page) == shape(plain)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_a_log_is_inert(text: str) -> None:
    page = markdown(hostile(text), hostile(text), name=text)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]", page)
    tokens = rendered(page)
    allowed = {"<code>", "</code>"}
    assert {t.content for t in tokens if t.type.startswith("html")} <= allowed
    assert not [t for t in tokens if t.type in ("link_open", "image")]
    in_code = False
    for token in tokens:
        if token.type == "html_inline":
            in_code = token.content == "<code>"
        if token.type in ("text", "text_special") and not in_code:
            live = r"@\w|#\d|GH-\d|://|www\.|\x1b"
            assert not re.search(live, token.content), token.content


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_sentence_shows_the_text(text: str) -> None:
    tokens = rendered(f"- {escape.text(text)}\n")
    shown = [t.content for t in tokens if t.type in ("text", "text_special")]
    assert "".join(shown).replace("\u200b", "") == one_line(text)
    assert [t.type for t in tokens if t.nesting == 1] == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
    ]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_code_and_cell_show_the_text(text: str) -> None:
    token = next(t for t in rendered(escape.code(text)) if t.type == "code_inline")
    assert token.content.strip() == one_line(text)
    table = f"| a |\n| --- |\n| {escape.cell(text)} |\n"
    cells = [t for t in rendered(table) if t.type == "inline"]
    assert len(cells) == 2
    if "<code>" in cells[1].content:
        inner = cells[1].content.removeprefix("<code>").removesuffix("</code>")
        assert unescape(inner) == one_line(text)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_fence_holds_the_text(text: str) -> None:
    tokens = rendered(f"before\n\n{escape.fence(text)}\n\nafter")
    assert [t.type for t in tokens].count("fence") == 1
    assert [t.content for t in tokens if t.type == "text"] == ["before", "after"]


MARKUP = st.text(alphabet="`~|\\*_[]()<>#@&:/!$=-+.1a \n\t\x00\u202e", max_size=40)


@settings(max_examples=400, deadline=None)
@given(MARKUP)
def test_any_text_is_inert(text: str) -> None:
    assume(one_line(text))
    page = (
        f"- {escape.text(text)}\n- {escape.code(text)}\n\n{escape.fence(text)}\n\nend"
    )
    tokens = rendered(page)
    kinds = [token.type for token in tokens if token.nesting == 1]
    item = ["list_item_open", "paragraph_open"]
    assert kinds == ["bullet_list_open", *item, *item, "paragraph_open"]
    assert not [t for t in tokens if t.type.startswith(("html", "image"))]
    assert tokens[-2].content == "end"
    table = f"| a | b |\n| --- | --- |\n| {escape.cell(text)} | x |\n"
    assert [t.type for t in rendered(table)].count("td_open") == 2


def test_every_value_of_a_template_has_a_filter() -> None:
    made = environment()
    for name in made.list_templates():
        assert made.loader is not None
        source, _, _ = made.loader.get_source(made, name)
        for output in made.parse(source).find_all(nodes.Output):
            for node in output.nodes:
                assert isinstance(node, (nodes.TemplateData, nodes.Filter)), name
                if isinstance(node, nodes.Filter):
                    page = name.endswith(".html.j2")
                    known = (
                        {"shown", "ready"}
                        if page
                        else {
                            *("cell", "code", "comment", "fence", "text"),
                            *("raw", "raw_line"),
                        }
                    )
                    assert node.name in known, (name, node.lineno)


def test_undefined_values_are_errors() -> None:
    with pytest.raises(jinja2.UndefinedError):
        environment().from_string("{{ nothing|text }}").render()


@pytest.mark.parametrize("one", all_cases(), ids=lambda one: one.id)
def test_every_case_renders(one: Case) -> None:
    report = pt2triage.scan(one.log)
    page = report.to_markdown()
    assert page.startswith("# ")
    assert "\n\n\n" not in re.sub(r"(?s)(`{3,}).*?\1", "x", page)
    if report.findings:
        assert "## Next steps" in page
        assert f"/{report.findings[0].cause}" in page.split("\n")[0]
        headings = [line for line in page.split("\n") if line.startswith("## ")]
        assert len(headings) == len(set(headings))


def test_evidence_is_quoted_with_its_line_numbers() -> None:
    page = pt2triage.scan(case("2.13.0/minify_compile").log).to_markdown()
    assert "\n   7 | Traceback (most recent call last):\n" in page
    assert "lines left out)\n" in page
    assert "was not declared in this scope" in page


def test_evidence_of_a_changed_file_is_only_named(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    content = case("2.13.0/minify_compile").log.read_bytes()
    log.write_bytes(content)
    report = pt2triage.scan(log)
    assert "| Traceback" in report.to_markdown()
    log.write_bytes(content + b"more\n")
    assert "| Traceback" not in report.to_markdown()
    assert f"`{log}`, line 7" in report.to_markdown()
    log.write_bytes(b"\n" * len(content))  # as long, but other lines
    assert "| Traceback" not in report.to_markdown()
    log.unlink()
    assert "| Traceback" not in report.to_markdown()


def test_evidence_of_a_stream_is_only_named(run_scan: RunScan) -> None:
    content = case("2.13.0/minify_compile").log.read_bytes()
    done = run_scan("--format", "markdown", "-", stdin=content)
    assert done.returncode == 0
    assert b"| Traceback" not in done.stdout
    assert b"`<stdin>`, line 7" in done.stdout
    assert b"pt2triage scan run.log" in done.stdout


def test_evidence_of_utf16_is_only_named(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(case("2.13.0/minify_compile").log.read_text("utf-8"), "utf-16")
    page = pt2triage.scan(log).to_markdown()
    assert "| Traceback" not in page
    assert "line 7" in page


def test_nothing_failed() -> None:
    page = pt2triage.scan(b"all is well @bob\n").to_markdown()
    assert page.startswith("# Nothing failed\n")


def test_output_file(run_scan: RunScan, tmp_path: Path) -> None:
    log = case("2.13.0/breaks").log
    done = run_scan(log, "--format", "markdown", "-o", "report.md")
    assert (done.returncode, done.stdout) == (0, b"")
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| graph_break | `data-dependent-branch` | warning | 1 |" in page


COLLECT_ENV = """\
Collecting environment information...
PyTorch version: 2.15.0.dev20261101+cu130
Is debug build: False
CUDA used to build PyTorch: 13.0
ROCM used to build PyTorch: N/A

OS: Ubuntu 24.04 LTS (x86_64)
GCC version: (Ubuntu 13.2.0) 13.2.0
Python version: 3.12.3 | packaged by somebody (64-bit runtime)
GPU models and configuration: GPU 0: NVIDIA H200

Versions of relevant libraries:
[pip3] numpy==2.4.1
[pip3] pytorch-triton==3.6.0
[pip3] torch==2.15.0
"""
REPRO = """\
import torch
class Repro(torch.nn.Module):
    def forward(self, x):
        return (x,)
run_repro(mod, load_args, command='run')
"""


def found_in(tmp_path: Path, content: bytes) -> search.Found:
    log = tmp_path / "run.log"
    log.write_bytes(content)
    return search.search(pt2triage.scan(log).sources)


def test_environment_block(tmp_path: Path) -> None:
    prefix = "2026-01-01T00:00:00.000Z "
    lines = "".join(prefix + line + "\n" for line in COLLECT_ENV.splitlines())
    for text in (COLLECT_ENV, lines, COLLECT_ENV.replace("\n", "\r\n")):
        found = found_in(tmp_path, b"noise\n" * 9 + text.encode()).environment
        assert found["PyTorch version"] == "2.15.0.dev20261101+cu130"
        assert found["Python version"].startswith("3.12.3 | packaged")
        assert found["pytorch-triton"] == "3.6.0"
        assert "ROCM used to build PyTorch" not in found


def test_environment_without_a_block() -> None:
    page = pt2triage.scan(b"Segmentation fault (core dumped)\n").to_markdown()
    assert "Not in the log: run `pt2triage env`." in page


@pytest.mark.parametrize(
    ("line", "kind", "path"),
    [
        (
            "Minifier script written to /a/minifier/minifier_launcher.py. Run this",
            search.LAUNCHER,
            "/a/minifier/minifier_launcher.py",
        ),
        (
            "W1 after_aot.py:884] Copying repro file for convenience to /a/repro.py",
            search.MINIFIED,
            "/a/repro.py",
        ),
        (
            "W1 x.py:1] Copying /c/m_3.py to /a/repro.py for convenience",
            search.MINIFIED,
            "/a/repro.py",
        ),
        ("Writing checkpoint with 3 nodes to /c/3.py", search.CHECKPOINT, "/c/3.py"),
        (
            "see '/a/torch_compile_debug/run_2026-pid_3/x'",
            search.DEBUG_FOLDER,
            "/a/torch_compile_debug/run_2026-pid_3",
        ),
    ],
)
def test_artifacts(tmp_path: Path, line: str, kind: str, path: str) -> None:
    found = found_in(tmp_path, f"noise\n{line}\n".encode())
    assert [(a.path, a.line) for a in found.artifacts if a.kind == kind] == [(path, 2)]


def test_a_path_of_the_user_is_no_artifact(tmp_path: Path) -> None:
    assert not found_in(tmp_path, b'  File "/home/me/repro.py", line 3\n').artifacts


def test_programs(tmp_path: Path) -> None:
    found = found_in(tmp_path, b"noise\n" + REPRO.encode() + b"noise\n")
    assert found.program == (REPRO.rstrip("\n"), str(tmp_path / "run.log"), 2)
    fenced = b"Text\n```python\nimport torch\ntorch.compile(f)\n```\nmore\n"
    found = found_in(tmp_path, fenced)
    assert found.program is not None
    assert found.program[0] == "import torch\ntorch.compile(f)"
    assert found_in(tmp_path, b"```python\nimport os\n```\n").program is None


def test_search_sees_across_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"x" * 50 + b"\nnoise\n" * 300 + COLLECT_ENV.encode() + b"noise\n" * 300
    content += b"Writing checkpoint with 3 nodes to /c/3.py\n" + b"noise\n" * 90
    whole = found_in(tmp_path, content)
    for chunk, behind in ((64, 1024), (1000, 1024), (7777, 2000)):
        monkeypatch.setattr(search, "_CHUNK", chunk)
        monkeypatch.setattr(search, "_BEHIND", behind)
        assert found_in(tmp_path, content) == whole


def steps_of(page: str) -> dict[str, bool]:
    """The checklist: what is ticked."""
    pattern = r"^- \[([ x])\] ([A-Z][a-z -]+)(?= \(|:)"
    return {title: mark == "x" for mark, title in re.findall(pattern, page, re.M)}


def test_steps_are_ticked_only_with_proof(tmp_path: Path) -> None:
    bare = steps_of(pt2triage.scan(case("2.13.0/segfault").log).to_markdown())
    assert list(bare) == [
        "Environment",
        "Reproduce",
        "Minimise",
        "Failing unit test",
        "Verify on main",
        "Logs",
        "Classify",
        "Artifacts",
        "Root cause",
        "Fix",
        "Verify the fix",
        "Self-review",
        "Summary",
    ]
    assert [title for title, done in bare.items() if done] == ["Classify"]
    log = tmp_path / "run.log"
    log.write_bytes(
        COLLECT_ENV.encode()
        + b"W1129 16:41:17.961000 7331 torch/_dynamo/x.py:5] Copying repro file for "
        b"convenience to /a/repro.py\n"
        + REPRO.encode()
        + case("2.13.0/backend_fail").log.read_bytes()
    )
    full = steps_of(pt2triage.scan(log).to_markdown())
    assert [title for title, done in full.items() if done] == [
        "Environment",
        "Reproduce",
        "Minimise",
        "Verify on main",
        "Logs",
        "Classify",
        "Artifacts",
    ]


def test_failure_of_others_has_no_steps_for_pytorch() -> None:
    log = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'
    page = pt2triage.scan(log + b"KeyError: 'a'\n").to_markdown()
    assert "not a failure of torch.compile" in page
    assert "Fix" not in steps_of(page)


def test_launcher_is_quoted_for_the_shell(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(
        b"Minifier script written to /a/$(touch${IFS}x);/minifier_launcher.py.\n"
        + case("2.13.0/backend_fail").log.read_bytes()
    )
    page = pt2triage.scan(log).to_markdown()
    assert "pt2triage minify '/a/$(touch${IFS}x);/minifier_launcher.py'" in page


def test_silence_rules_nothing_out() -> None:
    page = pt2triage.scan(case("2.13.0/segfault").log).to_markdown()
    assert "Nothing, by this log." in page
    assert "not decided: recompiles" in page
