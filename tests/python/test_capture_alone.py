"""What capturing does where PyTorch is not, or has nothing to say."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.error import UsageError

import pt2triage
from pt2triage._magic import CellFailedError

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import pt2triage
try:
    with pt2triage.capture():
        pass
except ImportError as error:
    assert isinstance(error, pt2triage.Pt2TriageError)
    print(error)
"""


def test_without_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.startswith(
        "pt2triage.capture() needs PyTorch, which cannot be imported: "
    )


def test_exceptions_that_others_caught() -> None:
    """They need no torch: the text is that of Python."""
    cap = pt2triage.capture()
    assert not cap.report.findings
    try:
        raise ValueError("mine")
    except ValueError as error:
        cap.add_exception(error)
    assert cap.report.category == "other"
    assert cap.report.exceptions[0].message == "mine"
    assert repr(cap).startswith("<Capture new, ")


def test_an_exception_without_a_text() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    cap = pt2triage.capture()
    cap.add_exception(Mute())
    assert cap.lost in (0, 1)  # newer Pythons print it all the same


def test_it_is_exported() -> None:
    assert {"Capture", "capture"} <= set(pt2triage.__all__)
    with pytest.raises(AttributeError):
        pt2triage.Spool  # type: ignore[attr-defined]  # noqa: B018


class Shell:
    """As much of IPython's shell as the magic needs."""

    def __init__(self) -> None:
        self.user_ns: dict[str, object] = {}
        self.magic: Callable[[str, str], pt2triage.Report] | None = None

    def register_magic_function(self, magic: Any, kind: str) -> None:
        assert (magic.__name__, kind) == ("pt2triage", "cell")
        self.magic = magic

    def run_cell(self, cell: str) -> SimpleNamespace:
        error = None
        try:
            exec(cell, self.user_ns)
        except Exception as caught:
            error = caught
        return SimpleNamespace(error_before_exec=None, error_in_exec=error)


@pytest.mark.torch
def test_magic() -> None:
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    shell = Shell()
    pt2triage.load_ipython_extension(shell)  # type: ignore[attr-defined]
    assert shell.magic is not None
    with pytest.raises(UsageError, match="takes the name of a variable, not 'a b'"):
        shell.magic("a b", "")
    assert shell.magic("", "x = 1").category is None
    with pytest.raises(CellFailedError):  # so that "run all" stops there
        shell.magic(" report ", "raise KeyError(x)")
    report: Any = shell.user_ns["report"]
    assert report.category == "other"
    assert report.exceptions[0].exception == "KeyError"


def test_magic_in_ipython() -> None:
    pytest.importorskip("IPython")
    code = "%load_ext pt2triage\nget_ipython().find_cell_magic('pt2triage').__name__"
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "-c", code],
        capture_output=True,
        text=True,
    )
    assert "'pt2triage'" in done.stdout
