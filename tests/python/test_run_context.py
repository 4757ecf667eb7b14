"""Job, step, attempt and time of findings."""

from typing import Any

import pytest

from cases import Json, scan
from pt2triage import _core

TRACEBACK = b"""\
Traceback (most recent call last):
  File "/home/me/train.py", line 7, in step
    loss = model(x)
ValueError: no %s
"""
RECORD = (
    b"W%s 9036 torch/_dynamo/convert_frame.py:906] [0/8] torch._dynamo hit "
    b"config.recompile_limit (8)\n"
    b"W%s 9036 torch/_dynamo/convert_frame.py:906] [0/8]    function: 'f' "
    b"(/home/me/train.py:3)\n"
)


def stamped(stamp: bytes, text: bytes) -> bytes:
    return b"".join(stamp + b" " + line for line in text.splitlines(keepends=True))


def only(data: bytes) -> Json:
    findings: list[Json] = scan(data)["findings"]
    assert len(findings) == 1
    return findings[0]


def place(finding: Any) -> tuple[object, object]:
    return finding["job"], finding["step"]


def gh(job: bytes, step: bytes, text: bytes) -> bytes:
    prefix = job + b"\t" + step + b"\t2026-11-29T15:22:18.9300000Z"
    return stamped(prefix, text)


def test_unknown_without_a_ci() -> None:
    finding = only(TRACEBACK % b"luck")
    for name in ("job", "step", "attempt", "first_time", "last_time"):
        assert finding[name] is None


def test_columns_of_gh() -> None:
    data = gh(b"build", b"Set up job", b"hello\n")
    data += gh(b"test (1, 2)", b"Run tests", TRACEBACK % b"luck")
    assert place(only(data)) == ("test (1, 2)", "Run tests")


def test_commands_name_steps() -> None:
    start = b"2026-11-29T15:22:18.9300000Z ##[group]Run %s\r\n"
    text = start % b"pip install ." + start % b"pytest -x" + TRACEBACK % b"luck"
    assert place(only(text)) == (None, "Run pytest -x")
    text = gh(b"test", b"UNKNOWN STEP", b"##[group]Run pytest -x\n" + TRACEBACK % b"x")
    assert place(only(text)) == ("test", "Run pytest -x")


def test_sections_of_gitlab() -> None:
    text = b"section_start:1764429738:step_script\r\x1b[0K$ python train.py\n"
    text += TRACEBACK % b"luck"
    text += b"section_end:1764429738:step_script\r\x1b[0K\n"
    assert place(only(text)) == (None, "step_script")


def test_stages_of_jenkins() -> None:
    stamp = b"[2026-11-29T15:22:18.930Z]"
    text = stamped(stamp, b"[Pipeline] { (Unit tests)\n" + TRACEBACK % b"luck")
    finding = only(text)
    assert place(finding) == (None, "Unit tests")
    assert finding["first_time"] == "2026-11-29T15:22:18.930Z"


def test_pods_are_jobs() -> None:
    finding = only(stamped(b"[pod/train-0/main]", TRACEBACK % b"luck"))
    assert place(finding) == ("train-0/main", None)


def test_what_is_known_from_outside() -> None:
    def report(text: bytes) -> Any:
        scanner = _core.Scanner("x", job="linux", step="Test", attempt="2")
        scanner.feed(text)
        return _core.make_report([scanner.finish()]).findings[0]

    found = report(TRACEBACK % b"luck")
    assert (found.job, found.step, found.attempt) == ("linux", "Test", "2")
    found = report(b"##[group]Run pytest\n" + TRACEBACK % b"luck")
    assert (found.job, found.step, found.attempt) == ("linux", "Test", "2")
    found = report(gh(b"own", b"own step", TRACEBACK % b"luck"))
    assert (found.job, found.step, found.attempt) == ("own", "own step", "2")


def test_equal_findings_keep_the_first_place() -> None:
    both = gh(b"one", b"Test", TRACEBACK % b"luck")
    both += gh(b"two", b"Test", TRACEBACK % b"luck")
    finding = only(both)
    assert place(finding) == ("one", "Test")
    assert finding["count"] == 2
    assert finding["fingerprint"] == only(TRACEBACK % b"luck")["fingerprint"]


@pytest.mark.parametrize(
    ("stamp", "torch", "time"),
    [
        (
            b"2026-11-29T15:22:19.0392577Z",
            b"1129 15:22:18.930000",
            "2026-11-29T15:22:18.930000Z",
        ),
        (
            b"2026-01-01T00:00:00.1000000Z",
            b"1231 23:59:59.930000",
            "2025-12-31T23:59:59.930000Z",
        ),
        (
            b"2025-12-31T23:59:59.9000000Z",
            b"0101 00:00:00.000001",
            "2026-01-01T00:00:00.000001Z",
        ),
        (
            b"2026-11-29T23:22:19.0392577Z",
            b"1129 15:22:18.930000",
            "2026-11-29T15:22:18.930000",
        ),
        (
            b"[2026-11-29T15:22:19+02:00]",
            b"1129 13:22:18.930000",
            "2026-11-29T13:22:18.930000Z",
        ),
    ],
)
def test_the_year_comes_from_the_ci(stamp: bytes, torch: bytes, time: str) -> None:
    finding = only(stamped(stamp, RECORD % (torch, torch)))
    assert finding["first_time"] == finding["last_time"] == time


def test_lines_without_a_stamp_have_that_of_the_line_before() -> None:
    stamp = b"2026-11-29T15:22:19.0392577Z "
    record = RECORD % (b"1129 15:22:18.930000", b"1129 15:22:18.930000")
    want = "2026-11-29T15:22:18.930000Z"
    assert only(stamp + b"hello\n" + record)["first_time"] == want
    assert only(record + stamp + b"hello\n")["first_time"] == want
    traceback = TRACEBACK % b"luck"
    assert only(stamp + traceback)["first_time"] == stamp.decode().strip()


def test_without_a_stamp_times_stay_as_printed() -> None:
    time = b"1129 15:22:18.930000"
    assert only(RECORD % (time, time))["first_time"] == time.decode()


def test_times_of_wrapped_lines() -> None:
    docker = b'{"log":"%s\\n","stream":"stderr","time":"2026-11-29T15:22:18.9Z"}\n'
    lines = (TRACEBACK % b"luck").replace(b'"', b'\\"').splitlines()
    text = b"".join(docker % line for line in lines)
    assert only(text)["first_time"] == "2026-11-29T15:22:18.9Z"
    buildkite = b"\x1b_bk;t=1795965738930\x07"
    text = b"".join(buildkite + line for line in (TRACEBACK % b"x").splitlines(True))
    assert only(text)["first_time"] == "2026-11-29T15:22:18.930Z"


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_chunks_change_no_time(size: int) -> None:
    """The stamps of lines that are passed over count, too."""
    dull = b"".join(
        b"2026-11-29T15:%02d:00.0000000Z step\n" % minute for minute in range(60)
    )
    record = RECORD % (b"1129 15:59:18.930000", b"1129 15:59:18.930000")
    data = dull + record + dull + TRACEBACK % b"luck"

    def times(step: int) -> list[str | None]:
        scanner = _core.Scanner("x")
        for at in range(0, len(data), step):
            scanner.feed(data[at : at + step])
        report = _core.make_report([scanner.finish()])
        return [finding.first_time for finding in report.findings]

    assert times(size) == times(len(data))
    assert "2026-11-29T15:59:18.930000Z" in times(size)
