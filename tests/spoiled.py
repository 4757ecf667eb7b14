"""Records of a trace for tests that spoil them, and what every report owes."""

import hashlib
import json
from typing import Any

from cases import Json, scan

PREFIX = "V1129 15:16:46.099000 {} torch/_dynamo/utils.py:2350] "


def envelope(fields: str, payload: str | None = None, process: str = "4487") -> bytes:
    """One trace record, `fields` being the inside of its JSON object."""
    lines = ""
    if payload is not None:
        checksum = hashlib.md5(payload.encode()).hexdigest()
        fields += f', "has_payload": "{checksum}"'
        lines = "".join(f"\t{line}\n" for line in payload.split("\n"))
    return (PREFIX.format(process) + "{" + fields + "}\n" + lines).encode()


GOOD = envelope('"dynamo_start": {"stack": []}, "frame_id": 0, "frame_compile_id": 0')
# Two records that say: torch raised this while it compiled f.
FAILURE = envelope(
    '"artifact": {"name": "dynamo_error", "encoding": "string"}, '
    '"frame_id": 0, "frame_compile_id": 0, "attempt": 0',
    'Traceback (most recent call last):\n  File "/home/dev/model.py", line 7, in f\n'
    "    y = x.item()\ntorch._dynamo.exc.Unsupported: Data-dependent branching",
)


def assert_sound(report: Json) -> None:
    """What holds for every report, whatever was scanned."""
    json.dumps(report, allow_nan=False).encode("utf-8")
    for source in report["sources"]:
        parts = ("bytes_parsed", "bytes_plain", "bytes_malformed")
        assert sum(source[part] for part in parts) == source["bytes"], source
    places = sum(s["malformed"] + s["unrecognised"] for s in report["sources"])
    assert len(report["diagnostics"]) == min(places, 1000)
    for place in report["diagnostics"]:
        assert place["kind"]
        assert len(place["message"].split()) >= 4, "a sentence for the user"
        assert place["line"] >= 1
        assert place["offset"] >= 0


def scan_sound(source: Any, **options: Any) -> Json:
    report = scan(source, **options)
    assert_sound(report)
    return report


def located(report: Json, kind: str) -> list[tuple[int, int]]:
    """Line and offset of each diagnostic of a kind."""
    return [
        (d["line"], d["offset"]) for d in report["diagnostics"] if d["kind"] == kind
    ]
