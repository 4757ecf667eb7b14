"""Traces that PyTorch writes here and now: captured, compared, in a cell."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pt2triage

pytestmark = pytest.mark.torch

# Breaks its graph once and recompiles once; what is compiled after reset() has the
# same numbers again.
PROGRAM = """
import torch

@torch.compile(backend="eager")
def f(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2

f(torch.ones(3))
f(torch.ones(4))
torch.compiler.reset()
f(torch.ones(5))
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> pt2triage.Trace:
    folder = tmp_path_factory.mktemp("trace")
    script = folder / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "TORCH_TRACE": str(folder / "trace")}
    subprocess.run([sys.executable, str(script)], env=environment, check=True)
    return pt2triage.read_trace(folder / "trace")


def test_what_was_compiled(trace: pt2triage.Trace) -> None:
    ids = [row.compile_id for row in trace.compiles]
    assert ids == ["0/0", "1/0", "0/1", "1/1", "0/0", "1/0"]
    assert {row.outcome for row in trace.compiles} == {"ok"}
    (process,) = trace.processes
    assert process.torch_version is not None
    # Each compile of f breaks its graph.
    assert [row.line for row in trace.graph_breaks] == [7, 7, 7]
    guards = {row.guard for row in trace.recompiles if row.compile_id == "0/1"}
    assert any("size mismatch at index 0. expected 3, actual 4" in g for g in guards)


def test_payloads_are_intact(trace: pt2triage.Trace) -> None:
    assert all(record.is_intact in (True, None) for record in trace.records())


def test_a_capture_has_the_trace_of_its_block() -> None:
    import torch

    torch.compiler.reset()
    with pt2triage.capture() as cap:
        torch.compile(torch.sin, backend="eager")(torch.ones(2))
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    assert [row.outcome for row in cap.trace.compiles][-1:] == ["ok"]
    assert any(r.title == "dynamo_output_graph" for r in cap.trace.records())
    figure = cap.report.plot.timeline()
    assert "compile" in figure.axes[0].get_title(loc="left")
    with pt2triage.capture(trace=False) as without:
        pass
    with pytest.raises(pt2triage.Pt2TriageError, match="without trace"):
        _ = without.trace


@pytest.fixture
def shell() -> Any:
    from IPython.testing.globalipapp import get_ipython, start_ipython

    made = start_ipython() or get_ipython()
    made.run_line_magic("load_ext", "pt2triage")
    return made


def test_a_cell_that_fails_has_failed(shell: Any) -> None:
    assert shell.run_cell("%%pt2triage good\n1 + 1").success
    assert not shell.run_cell("%%pt2triage bad\nraise ValueError('oops')").success
    assert shell.user_ns["bad"].findings[0].exception == "ValueError"
    assert not shell.run_cell("%%pt2triage class\n1").success


def test_a_crash_tells_where_it_was(tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text(
        "import ctypes, torch\n"
        "torch.compile(torch.sin, backend='eager')(torch.ones(2))\n"
        "ctypes.string_at(0)\n"
    )
    environment = {
        **os.environ,
        "PT2TRIAGE_HOME": str(tmp_path / "home"),
        "NO_COLOR": "1",
    }
    environment.pop("PYTHONFAULTHANDLER", None)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pt2triage", "run", "--"),
            sys.executable,
            str(script),
        ],
        env=environment,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 139
    assert b"runtime_crash: segfault" in done.stderr
    assert b"crash.py:3" in done.stderr
