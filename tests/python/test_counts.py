"""Counts are PyTorch's own where it keeps them, else what its log shows.

The second source of truth is the plain reader of tests/oracle: it counts first
lines of records, which is how the contract defines them.
"""

import re

import pytest

from cases import Case, Json, all_cases, scan, scan_log
from oracle import Record, read_records

CORPUS = [case for case in all_cases() if case.version != "reports"]


def log_records(case: Case) -> list[Record]:
    return read_records(case.log.read_bytes())


def breaks(records: list[Record]) -> tuple[list[Record], list[Record]]:
    """Graph breaks that torch counts, and frames skipped for one, which it does not."""
    logged = [record for record in records if record.artifact == "graph_breaks"]
    skipped = [
        record
        for record in logged
        if record.text.startswith(("Graph break: skip", "Graph break: torch.compile "))
        or "Failed to handle graph break gracefully" in record.text
    ]
    return [record for record in logged if record not in skipped], skipped


def guard_failures(recompile: Record) -> int:
    """One per failed cache entry and guard.

    Each reason stands on a line `    - REASON`. Where reasons begin with the
    cache entry's id (2.6 on), lines without one go on with the reason before.
    """
    reasons = re.findall(r"(?m)^    - (.*)$", recompile.text)
    entries = [reason for reason in reasons if re.match(r"!?\d[\d/_]*: ", reason)]
    return len(entries or reasons)


def of_kind(records: list[Record], head: str) -> list[Record]:
    return [record for record in records if record.text.startswith(head)]


def counts(case: Case) -> Json:
    result: Json = scan_log(case)["counts"]
    return result


def name_of(case: Case) -> str:
    return case.id


@pytest.mark.parametrize(
    "case", [c for c in CORPUS if "torch_counters" in c.expect], ids=name_of
)
def test_graph_breaks_are_torch_counters(case: Case) -> None:
    assert counts(case)["graph_breaks"] == case.expect["torch_counters"]["graph_break"]


@pytest.mark.parametrize("case", CORPUS, ids=name_of)
def test_graph_breaks_are_the_records(case: Case) -> None:
    counted, _ = breaks(log_records(case))
    assert counts(case)["graph_breaks"] == len(counted)


@pytest.mark.parametrize("case", CORPUS, ids=name_of)
def test_recompiles_are_the_records(case: Case) -> None:
    recompiles = of_kind(log_records(case), "Recompiling function ")
    assert counts(case)["recompiles"] == len(recompiles)
    assert counts(case)["guard_failures"] == sum(map(guard_failures, recompiles))


@pytest.mark.parametrize("case", CORPUS, ids=name_of)
def test_limit_hits_are_the_records(case: Case) -> None:
    hits = of_kind(log_records(case), "torch._dynamo hit config.")
    assert counts(case)["recompile_limit_hits"] == len(hits)


@pytest.mark.parametrize("case", CORPUS, ids=name_of)
def test_skipped_frames_are_the_records(case: Case) -> None:
    records = log_records(case)
    _, skipped = breaks(records)
    gave_up = of_kind(records, "WON'T CONVERT")
    assert counts(case)["skipped_frames"] == len(skipped) + len(gave_up)


@pytest.mark.parametrize(
    "case", [c for c in CORPUS if "exit_code" in c.expect], ids=name_of
)
def test_exit_code_tells_exceptions_and_crashes(case: Case) -> None:
    """Each script of the corpus does one thing: 1 is one escaped exception."""
    status = case.expect["exit_code"]
    assert counts(case)["exceptions"] == (status == 1)
    assert counts(case)["crashes"] == (status >= 128)


def test_accuracy_failures() -> None:
    """RMSE line, verdict and exception of one comparison are one failure."""
    for case in CORPUS:
        if case.scenario in ("accuracy", "accuracy_dynamo"):
            broke_off = case.id == "2.13.0/accuracy_dynamo"
            assert broke_off or counts(case)["accuracy_failures"] == 1, case.id
        elif case.scenario != "nan_assert":
            assert counts(case)["accuracy_failures"] == 0, case.id


def test_ranks_count_apart() -> None:
    """The same recompile on two ranks is two recompiles and one finding."""
    line = (
        "[rank{0}]:V1129 15:22:57.25{0}000 965{0} torch/_dynamo/guards.py:5396] [0/1] "
        "[__recompiles] {1}\n"
    )
    text = "".join(
        line.format(rank, part)
        for part in (
            "Recompiling function f in /home/dev/model.py:7",
            "    triggered by the following guard failure(s):",
            "    - 0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3",
        )
        for rank in (0, 1)
    )
    report = scan(text.encode())
    assert report["counts"]["recompiles"] == 2
    assert report["counts"]["guard_failures"] == 2
    assert [finding["count"] for finding in report["findings"]] == [2]
    assert report["findings"][0]["ranks"] == [0, 1]


def test_two_records_in_one_tick_are_two() -> None:
    """The clock of torch's log ticks in milliseconds; the texts differ."""
    line = (
        "V1129 15:22:57.252000 9659 torch/_dynamo/guards.py:5396] [0/1] "
        "[__recompiles] {}\n"
    )
    text = "".join(
        line.format(part)
        for name in ("f", "g")
        for part in (
            f"Recompiling function {name} in /home/dev/model.py:7",
            "    triggered by the following guard failure(s):",
            "    - 0/0: n == 3",
        )
    )
    assert scan(text.encode())["counts"]["recompiles"] == 2


def test_the_same_file_twice_counts_twice_only_if_it_is_another_run() -> None:
    """A scan reads each file once, however often it is named."""
    case = next(case for case in CORPUS if case.id == "2.13.0/recompile_limit")
    report = scan([case.log, case.log])
    assert report["counts"] == scan_log(case)["counts"]
    assert len(report["sources"]) == 1
