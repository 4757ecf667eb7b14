"""Many sources one by one: each gives a report of its own, in order."""

from pathlib import Path

import pytest

import pt2triage
from cases import case
from packed import gz, make_zip

LOG = case("2.13.0/recompile_limit").log.read_bytes()


def test_sources_in_order(tmp_path: Path) -> None:
    for i in range(600):  # more than the threads may be ahead
        (tmp_path / f"{i:03}.log.gz").write_bytes(gz(b"%d\n" % i))
    (tmp_path / "300.z").write_bytes(make_zip({"a.log": LOG, "b.log": b"x\n"}))
    (tmp_path / "301.w").write_bytes(bytes(range(256)))
    scanned = list(pt2triage.scan_each([tmp_path], jobs=3))
    names = [s.name.removeprefix(f"{tmp_path}/") for s in scanned]
    expected = [f"{i:03}.log.gz" for i in range(600)]
    expected[301:301] = ["300.z!a.log", "300.z!b.log"]
    assert names == expected
    assert all(s.report is not None and s.error is None for s in scanned)
    categories = [s.report.category for s in scanned if s.report is not None]
    assert [c for c in categories if c] == ["recompilation"]


def test_one_that_is_cut_among_others(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c", "d")]
    paths[0].write_bytes(LOG)
    paths[1].write_bytes(gz(LOG + LOG)[:-20])
    paths[3].write_bytes(gz(LOG))
    scanned = list(pt2triage.scan_each(paths))
    # What cannot be found is told first.
    assert [Path(s.name).name for s in scanned] == ["c", "a", "b", "d"]
    assert [s.report is None for s in scanned] == [True, False, False, False]
    assert [s.error is None for s in scanned] == [False, True, False, True]
    cut = scanned[2]
    assert cut.report is not None
    assert cut.report.category == "recompilation"
    assert "ends early" in str(cut.error)


def test_debug_folder_is_one_source(tmp_path: Path) -> None:
    logs = tmp_path / "torch_compile_debug" / "run_1-pid_2" / "torchdynamo"
    logs.mkdir(parents=True)
    (logs / "debug.log").write_bytes(LOG)
    (tmp_path / "a.log").write_bytes(LOG)
    (tmp_path / "z.log").write_bytes(LOG)
    scanned = list(pt2triage.scan_each([tmp_path]))
    assert [Path(s.name).name for s in scanned] == [
        "a.log",
        "torch_compile_debug",
        "z.log",
    ]
    assert scanned[1].report is not None
    assert scanned[1].report.sources[0].kind == "debug_folder"


def test_nobody_wants_the_rest(tmp_path: Path) -> None:
    for i in range(300):
        (tmp_path / f"{i}.gz").write_bytes(gz(LOG))
    each = iter(pt2triage.scan_each([tmp_path], jobs=2))
    assert next(each).error is None
    del each


@pytest.mark.parametrize("make", [gz, lambda data: make_zip({"a": data, "b": data})])
def test_progress_never_exceeds_the_whole(make: object, tmp_path: Path) -> None:
    assert callable(make)
    path = tmp_path / "a"
    path.write_bytes(make(LOG * 20))
    seen: list[tuple[int, int | None]] = []
    pt2triage.scan(path, progress=lambda *told: seen.append(told))
    size = path.stat().st_size
    assert 0 < seen[-1][0] <= size
    assert {total for _, total in seen} == {size}
    assert seen == sorted(seen)


def test_progress_can_stop_it(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({"a": LOG, "b": LOG}))

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pt2triage.scan(path, progress=stop)
