"""Rows of compiles made by hand: synthetic, for tests of what draws them."""

from dataclasses import dataclass
from typing import Any

MS = 1_000


@dataclass(frozen=True)
class MadeCompile:
    """A row as a trace gives it; times are in microseconds."""

    rank: int | None = None
    process: str = "trace_a.log"
    session: int = 0
    compile_id: str = "0/0"
    attempts: int = 1
    frame_id: int | None = 0
    frame_compile_id: int | None = 0
    compiled_autograd_id: int | None = None
    function: str = "forward"
    file: str = "/home/dev/model/net.py"
    line: int | None = 12
    outcome: str = "ok"
    restarts: tuple[str, ...] = ()
    fail_type: str | None = None
    start_us: int | None = 0
    duration_us: int | None = 1_000 * MS
    dynamo_us: int | None = 1_000 * MS
    aot_us: int | None = 800 * MS
    inductor_us: int | None = 600 * MS
    codegen_us: int | None = 500 * MS
    triton_us: int | None = 300 * MS
    backward_us: int | None = None
    cache: str | None = "miss"


def frame(number: int, again: int = 0, **more: Any) -> MadeCompile:
    """A compile of a frame: the first one, or the `again`-th after it."""
    values: dict[str, Any] = {
        "compile_id": f"{number}/{again}",
        "frame_id": number,
        "frame_compile_id": again,
        "start_us": (number * 1_500 + again * 400) * MS,
        "duration_us": 1_000 * MS // (1 + again),
    }
    return MadeCompile(**values | more)


def made_run(
    rank: int | None = None, process: str = "trace_a.log"
) -> list[MadeCompile]:
    """A run in which there is one compile of each outcome, and a backward."""
    same: dict[str, Any] = {"rank": rank, "process": process}
    return [
        frame(0, **same),
        frame(0, 1, attempts=3, restarts=("SkipFrame", "Unsupported"), **same),
        frame(0, 2, outcome="ok", cache="hit", **same),
        frame(1, function="attention", line=40, **same),
        frame(1, 1, function="attention", outcome="failed", fail_type="E", **same),
        frame(2, function="head", outcome="empty", aot_us=None, **same),
        frame(3, function="loss", outcome="unfinished", duration_us=None, **same),
        frame(
            0,
            compile_id="!0/4/0",
            compiled_autograd_id=0,
            function="backward",
            start_us=6_500 * MS,
            dynamo_us=None,
            aot_us=None,
            backward_us=900 * MS,
            **same,
        ),
    ]
