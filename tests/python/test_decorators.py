"""A failure is the same whoever wrapped its log (tests/decorators.py)."""

import functools

import pytest

from cases import Json, case, scan
from decorators import DECORATORS

# Failures of all kinds, plain and with several ranks.
LOGS = [
    "2.13.0/breaks",
    "2.13.0/backend_fail",
    "2.13.0/fullgraph_unsupported",
    "2.13.0/inductor_cpp_error",
    "2.13.0/recompile_limit",
    "2.13.0/segfault",
    "2.13.0/two_ranks",
    "2.13.0/accuracy",
    "2.2.2/fullgraph_recompile",
    "reports/005",
]
# It takes a telling line to know some prefixes; this log says something before.
LEARNT = ("compose", "compose_own_name", "srun")
LATE = {("reports/005", name) for name in LEARNT}
# What depends on the place or the wrapping.
LOOSE = ("evidence", "first_time", "last_time", "job", "step", "ranks")


@functools.cache
def lines_of(log: str) -> list[bytes]:
    data = case(log).log.read_bytes().replace(b"\r\n", b"\n")
    return data.removesuffix(b"\n").split(b"\n")


@functools.cache
def plain(log: str) -> Json:
    return without_place(scan(b"\n".join(lines_of(log)) + b"\n"))


def without_place(report: Json) -> Json:
    findings = [
        {key: value for key, value in finding.items() if key not in LOOSE}
        for finding in report["findings"]
    ]
    return {
        "category": report["category"],
        "counts": report["counts"],
        "findings": findings,
        "log_records": report["sources"][0]["log_records"],
    }


def check_sums(source: Json, size: int) -> None:
    assert source["bytes"] == size
    sums = source["bytes_parsed"] + source["bytes_plain"] + source["bytes_malformed"]
    assert sums == size


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("name", DECORATORS)
def test_same_triage(log: str, name: str) -> None:
    if (log, name) in LATE:
        pytest.skip("known too late")
    data = DECORATORS[name](lines_of(log))
    report = scan(data)
    assert without_place(report) == plain(log)
    check_sums(report["sources"][0], len(data))
    for finding in report["findings"]:
        for at in finding["evidence"]:  # a place in the wrapped bytes
            assert data[: at["offset"]].count(b"\n") + 1 == at["line"]
            assert at["offset"] + at["length"] <= len(data)


def scan_in_pieces(data: bytes, size: int) -> Json:
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    return scan(Stream(parts))


class Stream:
    """Gives its parts one by one."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = iter(parts)

    def read(self, size: int = -1) -> bytes:
        return next(self.parts, b"")


@pytest.mark.parametrize("size", [1, 57, 4096])
@pytest.mark.parametrize("name", DECORATORS)
def test_chunks_change_nothing(name: str, size: int) -> None:
    data = DECORATORS[name](lines_of("2.13.0/two_ranks")[:400])
    whole, cut = scan(data), scan_in_pieces(data, size)
    for report in (whole, cut):
        for finding in report["findings"]:
            finding["evidence"] = [{**at, "source": ""} for at in finding["evidence"]]
        report["sources"][0]["name"] = ""
    assert cut == whole
