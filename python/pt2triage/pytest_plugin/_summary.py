"""The end of a run: failures by fingerprint, and the file of all reports."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Any

from pt2triage import __version__
from pt2triage.pytest_plugin._told import ATTRIBUTE
from pt2triage.report.layout import crop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

_COLUMNS = 100
# Tests that are named of one failure.
_TESTS = 3


def summarise(failed: Iterable[pytest.TestReport], top: int) -> Iterator[str]:
    """The lines of the summary; none if PyTorch 2 did not fail.

    Args:
        failed: The reports of all phases that failed.
        top: Failures that are listed.
    """
    groups: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for test in failed:
        if facts := getattr(test, ATTRIBUTE, None):
            groups.setdefault(facts["fingerprint"], []).append((test.nodeid, facts))
    if not groups:
        return
    ranked = sorted(groups.values(), key=len, reverse=True)
    for group in ranked[:top]:
        yield from _group(group)
    if len(ranked) > top:
        yield f"and {_number(len(ranked) - top, 'more failure')}"
    totals = Counter(group[0][1]["category"] for group in ranked)
    kinds = ", ".join(f"{count:,} {name}" for name, count in sorted(totals.items()))
    tests = len({name for group in ranked for name, _ in group})
    yield f"{_number(len(ranked), 'failure')} in {_number(tests, 'test')}: {kinds}"


def write_report(path: str, failed: Iterable[pytest.TestReport]) -> None:
    """Writes the reports of all failing tests as one JSON document, or nothing."""
    tests = [
        {"test": test.nodeid, "when": test.when, "report": facts["report"]}
        for test in failed
        if (facts := getattr(test, ATTRIBUTE, None)) and "report" in facts
    ]
    tool = {"name": "pt2triage", "version": __version__}
    document = {"schema_version": 1, "tool": tool, "tests": tests}
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path))
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.write("\n")
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _group(group: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    facts = group[0][1]
    tests = list(dict.fromkeys(name for name, _ in group))
    head = f"{facts['category']}: {facts['cause']}  {facts['where']}".rstrip()
    yield f"{_number(len(tests), 'test')}  {head}"
    if facts["what"]:
        yield f"    {crop(facts['what'], _COLUMNS - 4)}"
    for name in tests[:_TESTS]:
        yield f"    {name}"
    if len(tests) > _TESTS:
        yield f"    and {len(tests) - _TESTS:,} more"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
