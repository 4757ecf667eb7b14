"""The report as text."""

from pathlib import Path

import pytest

import pt2triage
from cases import case
from made_reports import FINDING, report_of
from pt2triage.report.layout import cells, crop, wrap
from pt2triage.report.safe import one_line, printable
from pt2triage.report.text import render

WHOLE = """\
ERROR recompilation: scalar-value
  torch._dynamo.exc.RecompileError: Recompiling function f in model.py:12
  triggered by a guard

  where     model.py:12 in f
                y = x
  when      while compiling, torch.compile, backend inductor, compile 0/1, ranks 0, 1
  why       guard failed: n == 3 (got 4, model.py:14)
  chain     torch._dynamo.exc.RecompileError: Recompiling f
            KeyError: 'x'
  next      1. Mark n as dynamic
            2. Raise the limit
               $ export X=1
            $ TORCH_LOGS=recompiles python run.py
  evidence  run.log:88

Also found
graph_break (2 findings, 15 events)
  12x warning dynamic-shape  model.py:12 in f
      Unsupported: no such op
   3x warning other          model.py:12 in f
      Unsupported: no such op

Counts: 3 recompiles
Read run.log: 612 lines, 120 log records.
"""


def test_whole() -> None:
    other = {
        "category": "graph_break",
        "cause": "other",
        "severity": "warning",
        "count": 3,
        "guard_failures": [],
        "exception": "torch._dynamo.exc.Unsupported",
        "message": "no such op\nmore",
    }
    shape = other | {"cause": "dynamic-shape", "count": 12}
    assert render(report_of({}, shape, other)) == WHOLE


def test_nothing_failed_is_one_line() -> None:
    text = render(report_of(torch_version="2.6.0"))
    assert text == (
        "Nothing failed in run.log: 612 lines, 120 log records; torch 2.6.0.\n"
    )


def test_says_when_nothing_is_of_torch() -> None:
    assert "None of it is of TORCH_LOGS" in render(report_of(log_records=0))


def test_says_when_nothing_was_there_or_read() -> None:
    text = render(report_of(kind="empty"))
    assert text == "Nothing failed in run.log: no content.\n"
    text = render(report_of(kind="binary"))
    assert text == "Nothing was read of run.log: no text.\n"


def test_says_what_could_not_be_read() -> None:
    text = render(report_of(malformed=2, unrecognised=1))
    assert "2 places could not be read" in text
    assert "please report it" in text


def test_new_words_are_not_called_unreadable() -> None:
    head = "V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__graph_breaks] "
    report = pt2triage.scan(f"one\n{head}The graph ends here\n".encode())
    assert report.sources[0].unrecognised == 1
    text = report.to_text(width=200)
    assert "1 record of PyTorch in a wording" in text
    assert "The graph ends here" in text
    assert "could not be read" not in text


def test_real_cases_are_short_and_clean() -> None:
    for name in ("2.13.0/fullgraph_unsupported", "2.2.2/recompile_limit"):
        text = pt2triage.scan(case(name).log).to_text(width=80)
        assert text.isprintable() or "\n" in text
        assert len(text.splitlines()) < 60
        assert not [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_fits_the_width(width: int) -> None:
    finding = {
        "message": "word " * 100 + "\n" + "漢字 " * 100,
        "explanation": "because " * 50,
        "remedy": [{"action": "do this and that " * 20, "command": None}],
        "exception_chain": [],
        "next_command": None,
    }
    text = render(report_of(finding, finding), width=width)
    assert max(map(cells, text.splitlines())) <= width


def test_long_messages_are_cut() -> None:
    text = render(report_of({"message": "\n".join(f"line {i}" for i in range(100))}))
    assert "(94 more lines)" in text
    assert "line 50" not in text
    text = render(report_of({"message": "x" * 1_000_000}))
    assert len(text) < 5000
    output = ["g++ -c x.cpp", *["note"] * 50, "x.cpp:3: error: no such type", "end"]
    text = render(report_of({"message": "\n".join(output)}))
    assert "x.cpp:3: error: no such type\n  (46 more lines)" in text


def test_long_lists_are_cut() -> None:
    guard = FINDING["guard_failures"][0]
    place = FINDING["evidence"][0]
    text = render(report_of({"guard_failures": [guard] * 9, "evidence": [place] * 9}))
    assert text.count("guard failed") == 5
    assert "... and 4 more" in text
    assert "... and 6 more" in text


def test_many_findings_are_counted() -> None:
    report = report_of(*([{}] * 41))
    text = render(report)
    assert "... 30 more: --category recompilation" in text
    assert text.count("1x error") == 10
    assert render(report, all_rows=True).count("1x error") == 40


# Text from logs is never obeyed.

EVIL = "\x1b[31m\x07\x9b2J\r\b\u202e\u200b\x00\ud800end"


def test_controls_are_escaped_everywhere() -> None:
    evil = {
        key: EVIL
        for key, value in FINDING.items()
        if key not in ("category", "severity", "phase", "compile_mode")
        and (isinstance(value, str) or value is None)
    }
    frame = {"file": EVIL, "line": 1, "function": EVIL, "code": EVIL}
    guard = dict.fromkeys(FINDING["guard_failures"][0], EVIL)
    nested = {
        "user_frame": frame,
        "guard_failures": [guard],
        "hints": [EVIL],
        "exception_chain": [{"type": EVIL, "message": EVIL}] * 2,
        "remedy": [{"action": EVIL, "command": EVIL}],
        "evidence": [FINDING["evidence"][0] | {"source": EVIL}],
    }
    text = render(
        report_of(evil | nested, evil | nested, name=EVIL, torch_version=EVIL)
    )
    assert text.replace("\n", "").isprintable()
    assert "\\x1b[31m\\x07" in text


def test_printable() -> None:
    assert printable("plain \u00e9 漢") == "plain \u00e9 漢"
    assert printable("a\tb\r\nc\rd") == "a    b\nc\\x0dd"
    assert printable("\x9b\x7f") == "\\x9b\\x7f"
    assert printable("\u202e\u2066") == "\\u202e\\u2066"
    assert one_line("a\n  b\tc") == "a b c"


def test_wrap() -> None:
    assert wrap("one two three", 10) == ["one two", "three"]
    assert wrap("  indented words here", 12) == ["  indented", "  words here"]
    assert wrap("  indented words", 12, hang=2) == ["  indented", "    words"]
    assert wrap("a " + "x" * 25 + " b", 10) == ["a", "x" * 25, "b"]
    assert wrap("x" * 1001, 100) == ["x" * 100] * 8 + ["x" * 201]
    assert wrap("漢字 漢字 漢字", 10) == ["漢字 漢字", "漢字"]
    assert wrap("", 10) == [""]


def test_crop() -> None:
    assert crop("abcdef", 6) == "abcdef"
    assert crop("abcdefg", 6) == "abc..."
    assert crop("漢字漢字", 7) == "漢字..."


def test_a_cut_log_is_not_said_to_be_well(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    head = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'
    log.write_text("step 1\n" + head + "    f(x)\n")
    report = pt2triage.scan(log)
    assert report.category is None
    assert [d.kind for d in report.diagnostics] == ["truncated-traceback"]
    assert [d.line for d in report.diagnostics] == [2]
    assert render(report).startswith("Cut before the failure in")
    assert report.to_markdown().startswith("# Cut before the failure\n")
    assert "Nothing failed" not in report._repr_html_()
    # A stack that something else follows is a warning's.
    log.write_text(head + "    f(x)\nstep 2\nstep 3\n")
    assert render(pt2triage.scan(log)).startswith("Nothing failed in")
