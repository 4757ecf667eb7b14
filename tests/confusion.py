"""Expected category x got, of all cases: tests/confusion.py > docs/confusion.md

Exits with 1 if a case is judged wrongly.
"""

import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pt2triage

TESTS = Path(__file__).parent
CATEGORIES = [*pt2triage.CATEGORIES, None]

HEAD = """\
# Confusion table

Made by `python tests/confusion.py > docs/confusion.md`; a test keeps it true. Rows are
the right category of each case in `tests/data` and `tests/synthetic`, columns what a
scan of its log says. Where a case accepts several answers, the one given counts.
"""


def name(category: str | None) -> str:
    return category or "nothing failed"


@cache
def judged() -> tuple[tuple[str, str | None, str | None], ...]:
    """Case, right category, and what the scan says."""
    out = []
    for path in sorted(TESTS.rglob("expect.json")):
        log = path.with_name("log.txt")
        if not log.exists():
            continue
        expect = json.loads(path.read_text(encoding="utf-8"))
        got = pt2triage.scan(log).category
        right = expect["category"]
        if got in expect.get("acceptable_categories", ()):
            right = got
        out.append((str(path.parent.relative_to(TESTS)), right, got))
    return tuple(out)


def render() -> str:
    cells = Counter((right, got) for _, right, got in judged())
    rows = [
        "| expected | " + " | ".join(map(name, CATEGORIES)) + " |",
        "| --- |" + " ---: |" * len(CATEGORIES),
    ]
    for right in CATEGORIES:
        row = [str(cells[right, got] or "") for got in CATEGORIES]
        rows.append(f"| {name(right)} | " + " | ".join(row) + " |")
    wrong = [case for case in judged() if case[1] != case[2]]
    total = len(judged())
    rows += ["", f"{total - len(wrong)} of {total} cases are right."]
    rows += [f"- {case}: {name(right)}, got {name(got)}" for case, right, got in wrong]
    return HEAD + "\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
    sys.exit(any(right != got for _, right, got in judged()))
