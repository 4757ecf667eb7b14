"""What comes late in a log that is full is found all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pt2triage
from pt2triage.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SEGFAULT = """Fatal Python error: Segmentation fault

Thread 0x00007f (most recent call first):
  File "/tmp/torchinductor_u/ab/cabc.py", line 33 in call
"""
LOWERING = """Traceback (most recent call last):
  File "a.py", line 1, in f
    foo()
torch._inductor.exc.InductorError: LoweringException: AssertionError: bad layout
"""


def recompile(i: int) -> str:
    head = (
        f"V1129 16:{i // 60 % 60:02}:{i % 60:02}.{i:06} 6993 "
        f"torch/_dynamo/guards.py:5396] [{i // 8}/{i % 8 + 1}] [__recompiles] "
    )
    return (
        f"{head}Recompiling function f{i} in /home/dev/model/cases.py:{i}\n"
        f"{head}    triggered by the following guard failure(s):\n"
        f"{head}    - {i // 8}/{i % 8}: tensor 'x' size mismatch at index 0. "
        f"expected {i}, actual {i + 1}\n"
    )


def user_error(i: int) -> str:
    return (
        f'Traceback (most recent call last):\n  File "a{i}.py", line 1, in f\n'
        f"    foo()\nValueError: x{i}\n"
    )


@pytest.mark.parametrize(
    ("before", "failure", "category"),
    [
        (recompile, SEGFAULT, "runtime_crash"),
        (recompile, LOWERING, "backend_compiler_failed"),
        (user_error, SEGFAULT, "runtime_crash"),
        (user_error, LOWERING, "backend_compiler_failed"),
    ],
)
def test_failure_after_many_others(before: object, failure: str, category: str) -> None:
    assert callable(before)
    text = "".join(map(before, range(20_000))) + failure
    report = pt2triage.scan(text.encode())
    assert report.category == category
    assert report.findings[0].category == category
    assert report.omitted_findings > 0
    assert len(report.findings) <= 10_000


@pytest.mark.parametrize("form", ["jsonl", "sarif", "github", "junit", "markdown"])
def test_findings_that_are_not_listed_are_told(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "full.log"
    log.write_text("".join(map(user_error, range(10_001))) + LOWERING)
    words = ["scan", "--format", form, str(log), "-o", str(tmp_path / "out")]
    assert main(words) == 0
    assert "findings are listed, 2 are not" in capsys.readouterr().err
    assert main([*words, "-q", "--no-progress"]) == 0
    assert capsys.readouterr().err == ""


def test_rank_that_has_failed_leaves_others_alone() -> None:
    rank = "".join(f"[rank0]: {line}\n" for line in user_error(0).splitlines())
    text = rank + "epoch 1\n" * 1000 + "\n" + LOWERING
    report = pt2triage.scan(text.encode())
    assert report.category == "backend_compiler_failed"
    assert [f.message for f in report.findings if f.category == "other"] == ["x0"]
