"""Reports made by hand, for tests of what shows them."""

import copy
from types import SimpleNamespace
from typing import Any, cast

from cases import scan
from pt2triage import Report

FINDING: dict[str, Any] = {
    "fingerprint": "f3a91c0be2d4",
    "category": "recompilation",
    "secondary_categories": [],
    "cause": "scalar-value",
    "severity": "error",
    "phase": "trace",
    "compile_mode": "compile",
    "count": 1,
    "exception": "torch._dynamo.exc.RecompileError",
    "exception_chain": [
        {"type": "torch._dynamo.exc.RecompileError", "message": "Recompiling f\nx"},
        {"type": "KeyError", "message": "'x'"},
    ],
    "message": "Recompiling function f in model.py:12\ntriggered by a guard",
    "reason": None,
    "explanation": None,
    "hints": [],
    "graph_break_id": None,
    "guard_failures": [
        {
            "compile_id": "0/0",
            "guard": "n == 3",
            "cause": "scalar-value",
            "source": "n",
            "expected": "3",
            "actual": "4",
            "user_code": "model.py:14",
        }
    ],
    "raised_at": None,
    "user_frame": {"file": "model.py", "line": 12, "function": "f", "code": "y = x"},
    "compile_id": "0/1",
    "ranks": [0, 1],
    "backend": "inductor",
    "test_id": None,
    "flaky": False,
    "job": None,
    "step": None,
    "attempt": None,
    "first_time": None,
    "last_time": None,
    "remedy": [
        {"action": "Mark n as dynamic", "command": None},
        {"action": "Raise the limit", "command": "export X=1"},
    ],
    "next_command": "TORCH_LOGS=recompiles python run.py",
    "evidence": [{"source": "run.log", "line": 88, "offset": 7012, "length": 640}],
}


def report_of(*findings: dict[str, Any], **source: Any) -> Report:
    """A report with these findings, made by hand."""
    document = scan(b"")
    document["findings"] = [FINDING | finding for finding in findings]
    document["sources"][0] |= {"name": "run.log", "lines": 612, "log_records": 120}
    document["sources"][0]["kind"] = "torch_logs"
    document["sources"][0] |= source
    document["counts"]["recompiles"] = len(findings)
    document["is_confidential"] = False
    return cast("Report", spread(copy.deepcopy(document)))


def spread(value: Any) -> Any:
    """A document with its keys as attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: spread(item) for key, item in value.items()})
    return [spread(item) for item in value] if isinstance(value, list) else value
