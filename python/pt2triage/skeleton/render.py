"""Writes the test for a finding; what comes from a log only ever is a comment."""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pt2triage import __version__
from pt2triage.report.templating import environment
from pt2triage.skeleton.table import sample_for

if TYPE_CHECKING:
    from pt2triage._core import Finding
    from pt2triage.skeleton.sample import Sample

# Guards that are shown.
_GUARDS = 5


@dataclass(frozen=True)
class Skeleton:
    """A test file, and what to say about it.

    Attributes:
        code: The file.
        raises: Class of the exception with which it fails.
        place: PyTorch's test file that it belongs into.
        commands: How to run it there, with its neighbours.
    """

    code: str
    raises: str
    place: str
    commands: tuple[str, ...]


def make_skeleton(finding: Finding, file: str = "test_repro.py") -> Skeleton | None:
    """A test that fails as `finding` does; None where PT2 did not fail.

    Args:
        finding: What failed.
        file: Where it will be written, for the commands in its head.
    """
    sample = sample_for(finding)
    if sample is None:
        return None
    name = test_name(sample.category, sample.cause)
    commands = commands_of(sample, name)
    template = environment().get_template("unit_test.py.j2")
    code = template.render(
        version=__version__,
        sample=sample,
        name=name,
        suite=_class_name(sample.category),
        facts=_facts(finding),
        origin=_origin(finding),
        own_cause=sample.cause == finding.cause,
        file=shlex.quote(os.path.basename(file)),
        commands=commands,
        standard_imports=[x for x in sample.imports if " torch" not in x],
        torch_imports=[x for x in sample.imports if " torch" in x],
        body=textwrap.indent(sample.body, " " * 8),
    )
    return Skeleton(code, sample.raises, sample.topic.file, commands)


def commands_of(sample: Sample, name: str) -> tuple[str, ...]:
    """The new test in its file, then the tests that are next to it."""
    return (
        f"python {sample.topic.file} -k {name}",
        *(f"python {file} -k {word}" for file, word in sample.topic.neighbours),
    )


def test_name(category: str, cause: str) -> str:
    """A name of Python, whatever the words are.

    >>> test_name("graph_break", "data-dependent-branch")
    'test_graph_break_data_dependent_branch'
    """
    return "test_" + re.sub(r"[^a-z0-9]+", "_", f"{category}_{cause}".lower())


def _class_name(category: str) -> str:
    return "".join(word.capitalize() for word in category.split("_")) + "Test"


def _facts(finding: Finding) -> list[tuple[str, str]]:
    """What the log says, as label and value."""
    message = (finding.message or finding.reason or "").strip().split("\n")[0]
    facts = (
        ("exception", finding.exception),
        ("message", message),
        ("backend", finding.backend),
        ("test", finding.test_id),
    )
    return [(label, value) for label, value in facts if value]


def _origin(finding: Finding) -> list[str]:
    """The user's code and the guards that failed."""
    texts: list[str] = []
    frame = finding.user_frame
    if frame is not None:
        place = frame.file if frame.line is None else f"{frame.file}:{frame.line}"
        texts.append(f"{place} in {frame.function}" if frame.function else place)
        if frame.code:
            texts.append(frame.code)
    guards = finding.guard_failures[:_GUARDS]
    return texts + [f"guard failed: {guard.guard}" for guard in guards]
