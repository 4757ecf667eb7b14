"""What capturing does where PyTorch is not, or has nothing to say."""

import subprocess
import sys

import pytest

import pt2triage

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
