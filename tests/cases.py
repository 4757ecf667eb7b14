"""The cases of tests/data, and scanning for tests.

A case is a folder with `log.txt`, perhaps `trace/*.log`, and `expect.json`, the
right answer. tests/data/README.md says what its keys mean.
"""

import functools
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pt2triage

DATA = Path(__file__).parent / "data"
ROOT = DATA.parent.parent

Json = dict[str, Any]
# What the fixture `run_scan` gives: runs the command with arguments.
RunScan = Callable[..., "subprocess.CompletedProcess[bytes]"]


@dataclass(frozen=True)
class Case:
    folder: Path

    @property
    def id(self) -> str:
        """`2.13.0/breaks` or `reports/001`."""
        return "/".join(self.folder.parts[-2:])

    @property
    def scenario(self) -> str:
        return self.folder.name

    @property
    def version(self) -> str:
        """Of torch, as the corpus is sorted; `reports` for the others."""
        return self.folder.parent.name

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def traces(self) -> list[Path]:
        return sorted(self.folder.glob("trace/*.log"))

    @functools.cached_property
    def expect(self) -> Json:
        text = (self.folder / "expect.json").read_text(encoding="utf-8")
        result: Json = json.loads(text)
        return result


def all_cases() -> list[Case]:
    return [Case(path.parent) for path in sorted(DATA.rglob("expect.json"))]


def spread(cases: list[Case], step: int = 3) -> list[Any]:
    """Cases as parameters: each one in `step` runs always, the others are slow."""
    return [
        pytest.param(one, id=one.id, marks=[] if i % step == 0 else [pytest.mark.slow])
        for i, one in enumerate(cases)
    ]


def case(name: str) -> Case:
    """`case("2.13.0/breaks")`."""
    part = name if name.startswith("reports/") else f"corpus/{name}"
    return Case(DATA / part)


def all_files() -> list[Path]:
    """Every log and trace of the data."""
    return sorted([*DATA.rglob("log.txt"), *DATA.rglob("dedicated_log*.log")])


def scan(source: Any, **options: Any) -> Json:
    """What `pt2triage.scan()` finds, as the JSON of the contract."""
    report: Json = json.loads(pt2triage.scan(source, **options).to_json())
    return report


def fingerprints(text: str) -> list[str]:
    """Of what is found in a log's text, most important first."""
    report = pt2triage.scan(text.encode("utf-8", "surrogateescape"))
    return [finding.fingerprint for finding in report.findings]


@functools.cache
def scan_log(case: Case) -> Json:
    return scan(case.log)


@functools.cache
def scan_traces(case: Case) -> Json:
    return scan(case.traces)


@functools.cache
def scan_both(case: Case) -> Json:
    return scan([case.log, *case.traces])


def top_finding(report: Json) -> Json:
    """The finding that the report names as the first to look at; else empty."""
    for finding in report["findings"]:
        if finding["fingerprint"] == report["finding"]:
            result: Json = finding
            return result
    return {}


def category_of(report: Json) -> str | None:
    category: str | None = report["category"]
    return category


def kinds(report: Json) -> list[str]:
    """The kinds of the report's diagnostics."""
    return [diagnostic["kind"] for diagnostic in report["diagnostics"]]
