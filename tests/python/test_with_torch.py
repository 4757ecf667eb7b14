"""Real PyTorch fails on purpose, and the report says what was planted."""

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cases import DATA, Json, kinds, scan, top_finding

pytestmark = pytest.mark.torch

SCRIPT = DATA.parent / "torch_scenarios.py"


@dataclass(frozen=True)
class Planted:
    """What must be found. `recompiles` is known from how the scenario calls."""

    category: str | None
    exception: str | None = None
    severity: str = "error"
    recompiles: int = 0
    limit_hits: int = 0
    phase: str | None = "trace"
    mode: str | None = "compile"
    in_trace: bool = True  # torch records it in the trace too


PLANTED = {
    "nothing_wrong": Planted(None),
    "prints": Planted("graph_break", severity="warning"),
    "breaks_in_three_ways": Planted("graph_break", severity="warning"),
    "branch_on_data": Planted("graph_break", "Unsupported"),
    "new_shapes": Planted("recompilation", severity="warning", recompiles=2),
    "too_many_values": Planted(
        "recompilation", severity="warning", recompiles=3, limit_hits=1
    ),
    "recompile_is_an_error": Planted("recompilation", "RecompileError", recompiles=1),
    "backend_refuses": Planted("backend_compiler_failed", "BackendCompilerFailed"),
    "backend_refuses_quietly": Planted(
        "backend_compiler_failed", "BackendCompilerFailed", severity="warning"
    ),
    "lowering_fails": Planted("backend_compiler_failed", "InductorError"),
    "dynamo_itself_fails": Planted("dynamo_internal", "InternalTorchDynamoError"),
    "shapes_do_not_fit": Planted("graph_break", "TorchRuntimeError"),
    "export_of_a_branch": Planted(
        "graph_break", "GuardOnDataDependentSymNode", mode="export_non_strict"
    ),
    "own_mistake": Planted("other", "KeyError", phase=None, mode=None, in_trace=False),
    "crash": Planted("runtime_crash", phase=None, mode=None, in_trace=False),
    "index_out_of_bounds": Planted(
        "triton_kernel", "RuntimeError", phase="run", in_trace=False
    ),
}


@dataclass(frozen=True)
class Run:
    log: Path
    traces: list[Path]
    counters: Json | None  # None: the process was killed

    @functools.cached_property
    def report(self) -> Json:
        return scan(self.log)

    @functools.cached_property
    def both(self) -> Json:
        return scan([self.log, *self.traces])


@functools.cache
def run(name: str, folder: Path) -> Run:
    cache = folder / "cache"  # one for all: C++ headers are compiled once
    folder = folder / name
    folder.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TORCH")}
    environment |= {
        "TORCH_LOGS": "graph_breaks,recompiles",
        "TORCH_TRACE": str(folder / "trace"),
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        "TORCHINDUCTOR_CACHE_DIR": str(cache),
    }
    log, counters = folder / "log.txt", folder / "counters.json"
    with log.open("wb") as out:
        subprocess.run(
            [sys.executable, str(SCRIPT), name, str(counters)],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
            timeout=300,
        )
    dumped = json.loads(counters.read_text()) if counters.exists() else None
    return Run(log, sorted(folder.glob("trace/*.log")), dumped)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    pytest.importorskip("torch")
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


# Of the module, so that the tests of one scenario stand together: they share its
# run, and --dist worksteal leaves most of them on one process.
@pytest.fixture(scope="module", params=PLANTED)
def name(request: pytest.FixtureRequest) -> str:
    text: str = request.param
    return text


def planted_line(name: str) -> int | None:
    """The line of a scenario that ends in `# planted`."""
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"def {name}() -> None:")
    for number, line in enumerate(lines[start + 1 :], start=start + 2):
        if line.startswith(("def ", "@")):
            return None
        if line.endswith("# planted"):
            return number
    return None


def test_what_was_planted_is_found(name: str, folder: Path) -> None:
    planted, report = PLANTED[name], run(name, folder).report
    assert report["category"] == planted.category
    if planted.category is None:
        assert report["findings"] == []
        return
    top = top_finding(report)
    exception = top["exception"]
    assert (exception.rsplit(".", 1)[-1] if exception else None) == planted.exception
    assert top["severity"] == planted.severity
    if planted.category != "other":
        assert top["phase"] == planted.phase
        assert top["compile_mode"] == planted.mode
    line = planted_line(name)
    if line is not None:
        assert Path(top["user_frame"]["file"]).name == SCRIPT.name
        assert top["user_frame"]["line"] == line


def test_counts_are_torch_counters(name: str, folder: Path) -> None:
    done = run(name, folder)
    counts = done.report["counts"]
    if done.counters is not None:
        breaks = done.counters.get("graph_break", {})
        assert counts["graph_breaks"] == sum(breaks.values())
        frames = done.counters.get("frames", {})
        if PLANTED[name].recompiles and not PLANTED[name].exception:
            assert counts["recompiles"] - counts["recompile_limit_hits"] == (
                frames["ok"] - 1
            )
    assert counts["recompiles"] == PLANTED[name].recompiles
    assert counts["recompile_limit_hits"] == PLANTED[name].limit_hits
    raised = PLANTED[name].exception is not None and PLANTED[name].severity == "error"
    assert counts["exceptions"] == int(raised)
    assert counts["crashes"] == int(name == "crash")


def test_reasons_are_those_that_torch_counted(name: str, folder: Path) -> None:
    """The key of torch's counter is the reason; the finding quotes its first line."""
    done = run(name, folder)
    reasons = [f["reason"] or "" for f in done.report["findings"]]
    for key in (done.counters or {}).get("graph_break", {}):
        first = re.sub(r"\s+", " ", key.strip().splitlines()[0])
        assert any(first in reason for reason in reasons), (first, reasons)


def test_trace_alone(name: str, folder: Path) -> None:
    done, planted = run(name, folder), PLANTED[name]
    if not done.traces:
        pytest.skip("this scenario writes no trace")
    report = scan(done.traces, verify=True)
    assert kinds(report) == []
    assert report["category"] == (planted.category if planted.in_trace else None)
    versions = {source["torch_version"] for source in report["sources"]}
    assert len(versions) == 1
    assert None not in versions


def test_log_and_trace_together(name: str, folder: Path) -> None:
    done = run(name, folder)
    assert done.both["category"] == done.report["category"]
    assert done.both["counts"] == done.report["counts"]


def test_nothing_is_new_to_us(name: str, folder: Path) -> None:
    """Every record of a known artifact has a wording that is known."""
    for source in run(name, folder).both["sources"]:
        assert source["unrecognised"] == 0
        assert source["malformed"] == 0
