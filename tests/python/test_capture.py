"""Capturing in process: the report of a block is that of the log it would have left."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import DATA, Json

TESTS = DATA.parent

pytestmark = [
    pytest.mark.torch,
    # Torch warns of what is old in itself; that is no failure of ours.
    pytest.mark.filterwarnings("ignore"),
]

SCENARIO = """
import sys
import pt2triage, torch_scenarios
cap, logs = pt2triage.capture(), pt2triage.capture(trace=False)
try:
    with cap, logs:
        torch_scenarios.SCENARIOS[sys.argv[1]]()
finally:
    with open(sys.argv[2], "w") as file:
        file.write("[" + cap.report.to_json() + "," + logs.report.to_json() + "]")
"""


def python(code: str, *arguments: str | Path, **environ: str) -> Any:
    """Runs code in a process of its own, where TORCH_LOGS is as given."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TORCH")}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        capture_output=True,
        env={**clean, "PYTHONPATH": str(TESTS), **environ},
        timeout=300,
    )


def found(report: Json) -> list[Json]:
    """The findings, without where in the log they are proven."""
    places = {"evidence", "first_time", "last_time"}
    return [
        {key: value for key, value in finding.items() if key not in places}
        for finding in report["findings"]
    ]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def breaker(torch: Any) -> Callable[[], object]:
    """A function that is compiled anew, and breaks its graph once."""
    torch._dynamo.reset()

    @torch.compile(backend="eager")  # type: ignore[untyped-decorator]
    def noisy(x: Any) -> Any:
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    return lambda: noisy(torch.ones(4))


def settings(torch: Any) -> object:
    """All that a capture changes, of all loggers of torch."""
    internal = torch._logging._internal
    loggers = {
        name: (one.level, one.propagate, one.disabled, [*one.handlers], [*one.filters])
        for name, one in logging.root.manager.loggerDict.items()
        if isinstance(one, logging.Logger) and name.startswith("torch")
    }
    handlers = [
        handler.filters
        for name in loggers
        for handler in logging.getLogger(name).handlers
    ]
    state, registry = internal.log_state, internal.log_registry
    patched = internal._init_logs, "register_artifact_log" in vars(registry)
    return loggers, handlers, state.artifact_names, type(state.artifact_names), patched


@pytest.mark.parametrize(
    "name",
    [
        "nothing_wrong",
        "breaks_in_three_ways",
        "too_many_values",
        "branch_on_data",
        "backend_refuses_quietly",
        "own_mistake",
    ],
)
def test_report_is_that_of_the_log(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "report.json"
    done = python(SCENARIO, name, out, TORCH_LOGS="graph_breaks,recompiles")
    both, captured = json.loads(out.read_text())
    log = pt2triage.scan(done.stderr).to_dict()
    assert found(captured) == found(log)
    for report in (both, captured):  # a trace adds to findings, but none
        assert report["counts"] == log["counts"]
        assert report["category"] == log["category"]
    for source in both["sources"]:
        assert (source["malformed"], source["unrecognised"]) == (0, 0)


@pytest.mark.parametrize(
    "environ",
    [{}, {"TORCH_LOGS": "recompiles"}, {"TORCH_LOGS": "-dynamo"}],
    ids=["unset", "TORCH_LOGS", "errors only"],
)
def test_stderr_is_what_it_was(environ: dict[str, str], tmp_path: Path) -> None:
    """Level by level, but for times: what a program prints is not changed."""
    pytest.importorskip("torch")
    without = SCENARIO.replace("with cap, logs:", "if True:")
    out = tmp_path / "report.json"

    def messages(code: str) -> list[bytes]:
        done = python(code, "too_many_values", out, **environ)
        return [line.partition(b"] ")[2] for line in done.stderr.splitlines()]

    assert messages(without) == messages(SCENARIO)
    for report in json.loads(out.read_text()):
        counts = report["counts"]
        assert (counts["recompiles"], counts["recompile_limit_hits"]) == (3, 1)


def test_settings_come_back(torch: Any) -> None:
    breaker(torch)()  # everything is loaded
    before = settings(torch)
    with pt2triage.capture() as outer:
        breaker(torch)()
        with pytest.raises(KeyError), pt2triage.capture() as inner:  # noqa: PT012
            breaker(torch)()
            raise KeyError("mine")
        breaker(torch)()
    assert settings(torch) == before
    assert outer.report.counts.graph_breaks == 3
    assert inner.report.counts.graph_breaks == 1
    assert inner.report.exceptions[0].exception == "KeyError"


def test_report_while_it_runs(torch: Any) -> None:
    with pt2triage.capture(trace=False) as cap:
        assert cap.report.counts.graph_breaks == 0
        breaker(torch)()
        assert cap.report.counts.graph_breaks == 1
        assert cap.report is cap.report
        assert repr(cap).startswith("<Capture running, ")
    assert len(cap.report.sources) == 1
    with pytest.raises(RuntimeError, match="entered once"), cap:
        pass


def test_set_logs_in_a_block(torch: Any) -> None:
    before = settings(torch)
    with pt2triage.capture() as cap:
        torch._logging.set_logs(graph_breaks=True)
        breaker(torch)()
        assert "recompiles" in torch._logging._internal.log_state.artifact_names
    names = torch._logging._internal.log_state.artifact_names
    assert names == {"graph_breaks"}
    assert type(names) is set
    assert cap.report.counts.graph_breaks == 1
    torch._logging.set_logs()
    assert settings(torch)[2:] == before[2:]  # type: ignore[index]


def test_threads(torch: Any) -> None:
    """Captures that overlap: each sees the process; the last one out restores."""
    breaker(torch)()
    before = settings(torch)
    first, second = pt2triage.capture(), pt2triage.capture(trace=False)
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with second:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with first:
        thread.start()
        inside.wait()
    breaker(torch)()
    leave.set()
    thread.join()
    assert settings(torch) == before
    assert first.report.counts.graph_breaks == 0
    assert second.report.counts.graph_breaks == 1


def test_large_logs_go_to_a_file(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pt2triage import _spool

    monkeypatch.setattr(_spool, "MEMORY", 100)
    with pt2triage.capture() as cap:
        breaker(torch)()
    assert cap._log._file._rolled  # type: ignore[attr-defined]
    assert cap.report.counts.graph_breaks == 1
    monkeypatch.setattr(_spool, "LIMIT", 0)
    with pt2triage.capture() as full:
        breaker(torch)()
    assert full.lost > 0
    assert full.report.category is None


def test_disabled_loggers(torch: Any) -> None:
    """As `logging.config.dictConfig` leaves loggers that it does not name."""
    breaker(torch)()
    logger = logging.getLogger("torch._dynamo.symbolic_convert.__graph_breaks")
    logger.disabled = True
    try:
        with pt2triage.capture() as cap:
            breaker(torch)()
        assert logger.disabled
    finally:
        logger.disabled = False
    assert cap.report.counts.graph_breaks == 1


def test_a_torch_that_logs_otherwise(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = settings(torch)
    registry = torch._logging._internal.log_registry
    with monkeypatch.context() as patch:
        patch.delattr(type(registry), "get_log_qnames")
        with (
            pytest.raises(pt2triage.Pt2TriageError, match="how this PyTorch logs"),
            pt2triage.capture(),
        ):
            pass
    assert settings(torch) == before
