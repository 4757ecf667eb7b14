"""Scans on a Dask cluster: a scheduler and workers in processes of their own."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import DATA, RunScan, all_cases
from pt2triage import distributed as ours
from pt2triage._inputs import find_inputs
from pt2triage.distributed import Batch, Unit

dask = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = [
    pytest.mark.dask,
    # Of Dask's own, at its end.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        dask.SubprocessCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            scheduler_kwargs={"dashboard": False},
            worker_kwargs={"dashboard": False},
        ) as cluster,
        dask.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Many small logs, and one that is no text."""
    for i, case in enumerate(all_cases()):
        shutil.copyfile(case.log, tmp_path / f"{i:03}.log")
    (tmp_path / "image.log").write_bytes(bytes(range(256)) * 64)
    return tmp_path


def test_the_report_is_that_of_one_machine(client: Any, folder: Path) -> None:
    assert ours.scan(folder, client=client) == pt2triage.scan(folder)


def test_traces_and_debug_folders(client: Any, tmp_path: Path) -> None:
    case = next(case for case in all_cases() if case.traces)
    run = tmp_path / "debug" / "run_2026_01_01-pid_7"
    (run / "torchinductor").mkdir(parents=True)
    shutil.copyfile(case.log, run / "torchinductor" / "aot_model.log")
    paths = [*case.traces, tmp_path / "debug", case.log]
    assert ours.scan(paths, client=client) == pt2triage.scan(paths)


def test_objects_of_s3(client: Any, bucket: str) -> None:
    server = {k: v for k, v in os.environ.items() if k.startswith("AWS_")}
    client.run(exec, f"import os; os.environ.update({server!r})")
    logs = f"{bucket}/logs"
    assert ours.scan(logs, client=client) == pt2triage.scan(logs)


def test_any_engine(folder: Path) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        batches = list(pool.map(ours.scan_batch, ours.plan(folder)))
    assert len(batches) > 2
    assert ours.merge(batches) == pt2triage.scan(folder)


def test_ray(folder: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        scan = ray.remote(ours.scan_batch)
        batches = ray.get([scan.remote(batch) for batch in ours.plan(folder)])
    finally:
        ray.shutdown()
    assert ours.merge(batches) == pt2triage.scan(folder)


def test_what_cannot_be_read_is_named(client: Any, folder: Path) -> None:
    inputs = find_inputs([str(folder)])
    (folder / "007.log").unlink()
    outcomes = list(ours.scan_inputs(inputs, client=client))
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    assert [outcome.name for outcome in failed] == [str(folder / "007.log")]
    assert len(outcomes) == len(all_cases())
    assert inputs.skipped == {"binary": 1}


def test_a_killed_worker_loses_nothing_and_doubles_nothing(
    client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ours, "_BATCH_SOURCES", 1)  # as many as can be
    inputs = find_inputs([str(folder)])
    results: list[pt2triage._core.Result] = []
    for outcome in ours.scan_inputs(inputs, client=client):
        assert outcome.result is not None
        results.append(outcome.result)
        if len(results) == 20:
            victim = min(client.run(os.getpid).values())
            os.kill(victim, signal.SIGKILL)
    report = pt2triage.Report(pt2triage._core.make_report(results))
    assert report == pt2triage.scan(folder)


def test_another_version_is_told() -> None:
    with pytest.raises(RuntimeError, match=r"has pt2triage .*, who asks has 0\.0\.0"):
        ours.scan_batch([], "0.0.0")


def test_a_pipe_cannot_be_sent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(pt2triage.OpenError, match="Workers cannot read it"):
        ours.units_of(find_inputs([str(tmp_path / "pipe")]))


def test_batches() -> None:
    small = [Unit(str(i), size=1) for i in range(70)]
    assert [len(batch) for batch in ours.batches_of(small)] == [32, 32, 6]
    large = [Unit(str(i), size=40 << 20) for i in range(5)]
    assert [len(batch) for batch in ours.batches_of(large)] == [2, 2, 1]


class _Cluster:
    """Runs what is submitted at once; workers die of sources named `deadly`."""

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def submit(
        self, scan: Callable[..., Batch], units: list[Unit], *args: Any, pure: bool
    ) -> Any:
        return _Future(scan, units, args)

    def cancel(self, futures: list[Any]) -> None:
        pass


class _Future:
    def __init__(
        self, scan: Callable[..., Batch], units: list[Unit], args: Any
    ) -> None:
        self._call = scan, units, args

    def result(self) -> Batch:
        scan, units, args = self._call
        if any("deadly" in unit.path for unit in units):
            raise dask.scheduler.KilledWorker("task", None, 3)
        return scan(units, *args)


def test_only_what_kills_workers_is_not_read(folder: Path) -> None:
    shutil.copyfile(folder / "001.log", folder / "001-deadly.log")
    inputs = find_inputs([str(folder)])
    client: Any = _Cluster()
    outcomes = list(ours.scan_inputs(inputs, client=client))
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    assert [Path(outcome.name).name for outcome in failed] == ["001-deadly.log"]
    assert "Workers die" in str(failed[0].error)
    assert len(outcomes) == len(all_cases()) + 1


def test_the_command(client: Any, folder: Path, run_scan: RunScan) -> None:
    address = client.scheduler.address
    there = run_scan("--scheduler", address, "--format", "json", folder)
    here = run_scan("--format", "json", folder)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    assert here.returncode == 0


def test_the_command_without_a_scheduler(run_scan: RunScan) -> None:
    given = run_scan("--scheduler", "tcp://127.0.0.1:9", DATA, timeout=60)
    assert given.returncode == 2
    assert b"tcp://127.0.0.1:9" in given.stderr


@pytest.mark.parametrize("address", ["host", "http://127.0.0.1:8787", "tcp://"])
def test_what_is_no_address(address: str, run_scan: RunScan) -> None:
    given = run_scan("--scheduler", address, all_cases()[0].log)
    assert given.returncode == 2
    (line,) = given.stderr.decode().splitlines()
    assert line.startswith(f"pt2triage: {address}: No Dask scheduler answers (")


def test_a_state_is_not_for_a_cluster(run_scan: RunScan, tmp_path: Path) -> None:
    state = tmp_path / "state"
    given = run_scan("--scheduler", "tcp://h:1", "--state", state, tmp_path)
    assert given.returncode == 2
    assert b"--state" in given.stderr
    assert not state.exists()
