"""Small logs in the shapes that people paste (tests/synthetic)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pt2triage

FOLDER = Path(__file__).parent.parent / "synthetic"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/expect.json"))

Json = dict[str, Any]


def last(name: str | None) -> str | None:
    return name.rsplit(".", 1)[-1] if name else None


def words(text: str | None) -> str:
    return " ".join((text or "").split())


def place(frame: Json | None) -> tuple[str, int] | None:
    return (re.split(r"[/\\]", frame["file"])[-1], frame["line"]) if frame else None


def texts(finding: Json) -> str:
    chain = [link["message"] for link in finding.get("exception_chain", ())]
    return words(" ".join([finding["message"] or "", finding["reason"] or "", *chain]))


@pytest.mark.parametrize("name", NAMES)
def test_right_answer(name: str) -> None:
    expect = json.loads((FOLDER / name / "expect.json").read_text(encoding="utf-8"))
    report = pt2triage.scan(FOLDER / name / "log.txt").to_dict()
    top = report["findings"][0] if report["findings"] else {}
    assert report["category"] in expect.get(
        "acceptable_categories", [expect["category"]]
    )
    check_exception(expect, top)
    if expect["category"] not in (None, "other"):
        check_pt2(expect, top)
    check_lists(expect, report["findings"])
    check_findings(expect.get("findings", ()), report["findings"])
    for count, value in (expect.get("counts") or {}).items():
        assert report["counts"][count] == value, count
    assert set(expect.get("ranks") or ()) <= set(top.get("ranks", ()))


def check_exception(expect: Json, top: Json) -> None:
    if expect.get("primary_exception"):
        assert last(top["exception"]) == last(expect["primary_exception"])
    chain = [last(link["type"]) for link in top.get("exception_chain", ())]
    wanted = [last(name) for name in expect.get("exception_chain") or ()]
    assert set(wanted) <= set(chain)
    if wanted:
        assert chain.index(wanted[0]) == min(map(chain.index, wanted))
    if expect.get("message_head"):
        assert words(expect["message_head"])[:80] in texts(top)


def check_pt2(expect: Json, top: Json) -> None:
    assert top["cause"] in causes(expect, top)
    for field in ("phase", "compile_mode", "backend"):
        if field in expect:
            assert top[field] == expect[field], field
    if expect.get("user_frame"):
        right = [expect["user_frame"], *expect.get("user_frame_alternatives", ())]
        assert place(top["user_frame"]) in map(place, right)
    elif "user_frame" in expect:
        assert top["user_frame"] is None


def causes(want: Json, finding: Json) -> list[str]:
    """The right causes; that of the finding itself where none is wanted."""
    right: list[str] = want.get("acceptable_causes") or [
        want.get("cause", finding["cause"])
    ]
    return right


def check_lists(expect: Json, findings: list[Json]) -> None:
    guards = [words(g["guard"]) for f in findings for g in f["guard_failures"]]
    for guard in expect.get("guard_failures") or ():
        wanted = words(guard if isinstance(guard, str) else guard["guard"])
        assert any(wanted in got for got in guards), guard
    for reason in expect.get("graph_break_reasons") or ():
        assert any(words(reason)[:60] in texts(f) for f in findings), reason


def check_findings(wanted: list[Json], findings: list[Json]) -> None:
    """One finding of its own for each wanted one."""
    fits = [
        [i for i, finding in enumerate(findings) if is_wanted(want, finding)]
        for want in wanted
    ]
    for want, choices in zip(wanted, fits, strict=True):
        assert choices, want
        if want.get("test_id"):  # a test that failed is one finding
            assert len(choices) == 1, want
    assert distinct(fits), wanted


def distinct(choices: list[list[int]], used: frozenset[int] = frozenset()) -> bool:
    """Whether each wanted finding can have one of its own."""
    if not choices:
        return True
    free = [i for i in choices[0] if i not in used]
    return any(distinct(choices[1:], used | {i}) for i in free)


def is_wanted(want: Json, finding: Json) -> bool:
    name = (want.get("test_id") or "").split("::")[-1]
    return (
        finding["category"] in want.get("acceptable_categories", [want["category"]])
        and (last(want.get("primary_exception")) in (None, last(finding["exception"])))
        and name in (finding["test_id"] or "")
        and finding["flaky"] == want.get("flaky", finding["flaky"])
        and finding["cause"] in causes(want, finding)
    )


def test_there_are_cases() -> None:
    assert len(NAMES) > 130
