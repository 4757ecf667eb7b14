"""Small logs in the shapes that people paste (tests/synthetic)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pt2triage

FOLDER = Path(__file__).parent.parent / "synthetic"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/expect.json"))


def last(name: str | None) -> str | None:
    return name.rsplit(".", 1)[-1] if name else None


def place(frame: dict[str, Any] | None) -> tuple[str, int] | None:
    return (re.split(r"[/\\]", frame["file"])[-1], frame["line"]) if frame else None


@pytest.mark.parametrize("name", NAMES)
def test_right_answer(name: str) -> None:
    expect = json.loads((FOLDER / name / "expect.json").read_text(encoding="utf-8"))
    report = pt2triage.scan(FOLDER / name / "log.txt").to_dict()
    top = report["findings"][0] if report["findings"] else {}
    assert report["category"] in expect.get(
        "acceptable_categories", [expect["category"]]
    )
    if expect.get("primary_exception"):
        assert last(top["exception"]) == last(expect["primary_exception"])
    chain = [last(link["type"]) for link in top.get("exception_chain", ())]
    assert set(map(last, expect.get("exception_chain") or ())) <= set(chain)
    if expect.get("user_frame"):
        right = [expect["user_frame"], *expect.get("user_frame_alternatives", ())]
        assert place(top["user_frame"]) in map(place, right)
    if expect["category"] not in (None, "other"):
        for field in ("phase", "compile_mode"):
            assert top[field] == expect.get(field, top[field])
    for count, value in (expect.get("counts") or {}).items():
        assert report["counts"][count] == value
    assert set(expect.get("ranks") or ()) <= set(top.get("ranks", ()))


def test_there_are_cases() -> None:
    assert len(NAMES) > 50
