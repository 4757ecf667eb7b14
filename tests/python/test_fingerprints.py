"""A fingerprint is the same wherever and whenever a failure is printed.

Equal over machines, runs, ranks, process ids, temporary paths, addresses, times,
compile ids and lines that moved; different for different failures. Hypothesis
picks the log, the edits and their values; the edits are in tests/edits.
"""

import functools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import DATA, Json, fingerprints, scan
from edits import EDITS
from edits.failures import FAILURES, Finding
from fingerprint_misses import MISSES, NOT_APPLICABLE, SAME_FAILURE, UNSEEN
from hypothesis_settings import SAME_EACH_TIME

# The edits know lines as programs write them. One that is JSON or in parts has the
# fingerprint of its text (test_decorators.py).
LOGS = {
    "/".join(path.parent.parts[-2:]): path
    for folder in (DATA, DATA.parent / "synthetic")
    for path in sorted(folder.rglob("log.txt"))
    if not path.parent.name.startswith("wrapped_")
}
NUMBERS = st.integers(0, 10**6)


@functools.cache
def text_of(log: str) -> str:
    return LOGS[log].read_bytes().decode("utf-8", "surrogateescape")


def findings_of(text: str) -> list[Finding]:
    report: Json = scan(text.encode("utf-8", "surrogateescape"))
    findings: list[Finding] = report["findings"]
    return findings


@functools.cache
def wanted(log: str) -> list[str]:
    return fingerprints(text_of(log))


@functools.cache
def edited_by(edit: str) -> list[str]:
    """The logs that this edit changes, and that it must not harm."""
    never = NOT_APPLICABLE.get(edit, set()) | MISSES.get(edit, ("", set()))[1]
    apply = EDITS[edit]
    return [
        log
        for log in LOGS
        if log not in never and apply(text_of(log), 1) != text_of(log)
    ]


@pytest.mark.parametrize("edit", EDITS)
@settings(SAME_EACH_TIME, max_examples=60)
@given(data=st.data())
def test_print_does_not_matter(edit: str, data: st.DataObject) -> None:
    log = data.draw(st.sampled_from(edited_by(edit)))
    text = EDITS[edit](text_of(log), data.draw(NUMBERS))
    assert fingerprints(text) == wanted(log)


@settings(SAME_EACH_TIME, max_examples=400)
@given(
    log=st.sampled_from(sorted(LOGS)),
    edits=st.lists(
        st.tuples(st.sampled_from(sorted(EDITS)), NUMBERS),
        min_size=2,
        max_size=4,
        unique_by=lambda one: one[0],
    ),
)
def test_edits_together_do_not_matter(log: str, edits: list[tuple[str, int]]) -> None:
    text = text_of(log)
    for edit, number in edits:
        never = NOT_APPLICABLE.get(edit, set()) | MISSES.get(edit, ("", set()))[1]
        if log not in never:
            text = EDITS[edit](text, number)
    assert fingerprints(text) == wanted(log)


MISSED = [(edit, log) for edit, (_, logs) in MISSES.items() for log in sorted(logs)]


@pytest.mark.parametrize(("edit", "log"), MISSED)
def test_known_misses(edit: str, log: str, request: pytest.FixtureRequest) -> None:
    """Each is still one. What is repaired fails here, and moves to the tests above."""
    missing, _ = MISSES[edit]
    request.applymarker(pytest.mark.xfail(reason=missing, strict=True))
    for number in (7, 123, 40961):
        assert fingerprints(EDITS[edit](text_of(log), number)) == wanted(log)


# ---- Different failures


@functools.cache
def failing_by(kind: str) -> list[tuple[str, int]]:
    """The findings that this edit makes another failure of: log and position."""
    return [
        (log, at)
        for log in LOGS
        for at, finding in enumerate(findings_of(text_of(log)))
        if FAILURES[kind](text_of(log), finding) != text_of(log)
        and log not in UNSEEN.get(kind, ("", set()))[1]
    ]


@pytest.mark.parametrize("kind", FAILURES)
@settings(SAME_EACH_TIME, max_examples=60)
@given(data=st.data())
def test_another_failure_has_another_fingerprint(
    kind: str, data: st.DataObject
) -> None:
    log, at = data.draw(st.sampled_from(failing_by(kind)))
    finding = findings_of(text_of(log))[at]
    other = FAILURES[kind](text_of(log), finding)
    assert finding["fingerprint"] not in fingerprints(other)


UNSEEN_IN = [(kind, log) for kind, (_, logs) in UNSEEN.items() for log in sorted(logs)]


@pytest.mark.parametrize(("kind", "log"), UNSEEN_IN)
def test_known_collisions(kind: str, log: str, request: pytest.FixtureRequest) -> None:
    missing, _ = UNSEEN[kind]
    request.applymarker(pytest.mark.xfail(reason=missing, strict=True))
    for finding in findings_of(text_of(log)):
        other = FAILURES[kind](text_of(log), finding)
        if other != text_of(log):
            assert finding["fingerprint"] not in fingerprints(other)


def test_synthetic_failures_do_not_collide() -> None:
    """But for one failure in several dresses, as SAME_FAILURE lists them."""
    seen: dict[str, set[str]] = {}
    for log in LOGS:
        if log.startswith("synthetic/"):
            for fingerprint in wanted(log):
                seen.setdefault(fingerprint, set()).add(log.removeprefix("synthetic/"))
    groups = [logs for logs in seen.values() if len(logs) > 1]
    unexplained = [
        sorted(logs)
        for logs in groups
        if not any(all(re.match(same, log) for log in logs) for same in SAME_FAILURE)
    ]
    assert unexplained == []


@pytest.mark.parametrize("log", ["reports/012", "synthetic/torchrun_internal"])
def test_source_does_not_matter(log: str, tmp_path: Path) -> None:
    """Neither a file's name nor the folder, nor whether it was a file at all."""
    path = tmp_path / "job 7" / "3_test.log"
    path.parent.mkdir()
    path.write_bytes(LOGS[log].read_bytes())
    for source in (path, path.parent):
        found = [finding["fingerprint"] for finding in scan(source)["findings"]]
        assert found == wanted(log)
