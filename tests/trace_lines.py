"""Synthetic traces: records as PyTorch writes them, with made-up content."""

import hashlib
import json
from typing import Any


def record(
    metadata: dict[str, Any],
    payload: str | None = None,
    *,
    at: str | None = "0/0",
    rank: int | None = None,
    second: int = 0,
) -> str:
    """One record, with its payload and checksum.

    Args:
        metadata: The record's name with what it says.
        payload: What it carries.
        at: Its compile, ``frame/compile``; None outside compiles.
        rank: Its rank.
        second: Of the minute in which it was written.
    """
    envelope = dict(metadata)
    if rank is not None:
        envelope["rank"] = rank
    if at is not None:
        frame, compile_ = map(int, at.split("/"))
        envelope |= {"frame_id": frame, "frame_compile_id": compile_, "attempt": 0}
    if payload is not None:
        envelope["has_payload"] = hashlib.md5(payload.encode()).hexdigest()
    prefix = f"V1129 15:16:{second:02}.000000 4487 torch/made_up.py:1]"
    lines = [f"{prefix} {json.dumps(envelope)}"]
    if payload is not None:
        lines += ["\t" + line for line in payload.split("\n")]
    return "\n".join(lines) + "\n"


def artifact(name: str, payload: str, **where: Any) -> str:
    encoding = "json" if payload[:1] in "[{" else "string"
    return record({"artifact": {"name": name, "encoding": encoding}}, payload, **where)


def compiled(
    function: str,
    *,
    file: str = "/home/dev/model.py",
    line: int = 3,
    metrics: dict[str, Any] | None = None,
    start: int = 0,
    **where: Any,
) -> str:
    """The beginning and the metrics of one compile; `start` in seconds."""
    name = record({"str": [file, 0]}, at=None, second=where.get("second", 0))
    stack = [{"line": line, "name": function, "filename": 0}]
    begin = record({"dynamo_start": {"stack": stack}}, **where)
    told: dict[str, Any] = {
        "co_name": function,
        "co_filename": file,
        "co_firstlineno": line,
        "start_time_us": 1_700_000_000_000_000 + start * 1_000_000,
        "duration_us": 500_000,
        "is_forward": True,
        **(metrics or {}),
    }
    return name + begin + record({"compilation_metrics": told}, **where)
