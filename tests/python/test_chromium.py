"""The chromium events of all ranks as one trace."""

import gzip
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cases import DATA
from oracle import read_records
from running import PT2TRIAGE
from spoiled import envelope

# Not trimmed: with its chromium events.
TWO_RANKS = sorted((DATA / "whole" / "two_ranks").iterdir())


def convert(
    path: object, tmp_path: Path, command: str = "trace"
) -> tuple[list[dict[str, Any]], bytes]:
    made = tmp_path / "events.json"
    more = ["-o", str(tmp_path / "out")] if command == "extract" else []
    done = subprocess.run(
        [*PT2TRIAGE, command, str(path), *more, "--chromium", str(made)],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    text = made.read_text()
    events: list[dict[str, Any]] = json.loads(text, parse_constant=refuse)[
        "traceEvents"
    ]
    return events, done.stderr


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("command", ["trace", "extract"])
def test_all_events_of_all_ranks(tmp_path: Path, command: str) -> None:
    events, _ = convert(TWO_RANKS[0].parent, tmp_path, command)
    expected = Counter(
        (rank, json.loads(record.payload or "")["ts"])
        for rank, path in enumerate(TWO_RANKS)
        for record in read_records(gzip.decompress(path.read_bytes()))
        if record.text == "chromium_event"
    )
    told = [event for event in events if event["ph"] != "M"]
    assert Counter((event["pid"], event["ts"]) for event in told) == expected
    names = {
        event["pid"]: event["args"]["name"]
        for event in events
        if event["name"] == "process_name"
    }
    assert names == {0: "rank 0", 1: "rank 1"}


def test_begins_and_ends_stay_in_order(tmp_path: Path) -> None:
    events, _ = convert(TWO_RANKS[0].parent, tmp_path)
    for rank in (0, 1):
        stack: list[str] = []
        for event in events:
            if event["pid"] != rank:
                continue
            if event["ph"] == "B":
                stack.append(event["name"])
            elif event["ph"] == "E":
                assert stack.pop() == event["name"]
        assert stack == []


@pytest.mark.parametrize(
    "payload",
    [
        "no json",
        "[]",
        "null",
        '{"name": "x"}',
        '{"ph": "B"}',
        '{"ph": "B", "ts": NaN}',
        '{"ph": "B", "ts": 1e999}',
        '{"ph": "B", "ts": "1"}',
        '{"ph": "B", "ts": true}',
        '{"ph": ["B"], "ts": 1}',
        '{"ph": "B", "ts": 1, "args": ' + "[" * 9999,
    ],
)
def test_damaged_events_are_left_out_and_counted(payload: str, tmp_path: Path) -> None:
    good = '{"ph": "i", "ts": 5, "name": "good", "s": "p"}'
    path = tmp_path / "a.log"
    path.write_bytes(
        envelope('"chromium_event": {}', payload)
        + envelope('"chromium_event": {}', good)
    )
    events, stderr = convert(path, tmp_path)
    assert [event["name"] for event in events if event["ph"] != "M"] == ["good"]
    assert b"1 are damaged" in stderr


def test_no_events_are_a_trace_too(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(envelope('"dynamo_start": {"stack": []}, "frame_id": 0'))
    assert convert(path, tmp_path)[0] == []
