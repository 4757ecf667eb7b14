"""However the bytes arrive, the report is the same."""

import io
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pt2triage
from cases import DATA, all_files, case

FILES = all_files()
# Bytes; one call per byte is slow in Python, not in the core.
SMALL = 60_000


class Chunks(io.RawIOBase):
    """A stream that hands out its bytes in pieces of the given sizes."""

    name = "<stream>"

    def __init__(self, data: bytes, sizes: Iterable[int]) -> None:
        self._data = data
        self._sizes = iter(sizes)
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        piece = self._data[self._at : self._at + next(self._sizes, max(size, 1))]
        self._at += len(piece)
        return piece


def report(data: bytes, sizes: Iterable[int]) -> str:
    return pt2triage.scan(Chunks(data, sizes)).to_json()


def every(size: int) -> Iterable[int]:
    while True:
        yield size


def name_of(path: Path) -> str:
    return str(path.relative_to(DATA))


@pytest.mark.parametrize("path", FILES, ids=name_of)
@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_size_of_chunks_does_not_matter(path: Path, size: int) -> None:
    data = path.read_bytes()
    if size == 1:
        data = data[:SMALL]
    assert report(data, every(size)) == report(data, every(len(data) or 1))


MIXED = [
    case("2.13.0/two_ranks").log,
    case("2.2.2/suppress_errors").log,
    case("2.13.0/backend_fail").traces[0],
    case("reports/016").log,
    case("reports/020").log,
]


@pytest.mark.parametrize("path", MIXED, ids=name_of)
@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(1, 5000), max_size=60))
def test_cut_points_do_not_matter(path: Path, cuts: list[int]) -> None:
    data = path.read_bytes()[:SMALL]
    assert report(data, cuts) == report(data, every(len(data)))


@pytest.mark.parametrize("path", MIXED, ids=name_of)
def test_every_way_in_gives_the_same_report(path: Path) -> None:
    """A file, its content, a stream and its lines: only the name differs."""
    data = path.read_bytes()

    def without_name(report: pt2triage.Report, name: str) -> str:
        text = report.to_json()
        return text.replace(f'"{name}"', '"x"')

    expected = without_name(pt2triage.scan(path), str(path))
    assert without_name(pt2triage.scan(data), "<bytes>") == expected
    view = memoryview(bytearray(data))
    assert without_name(pt2triage.scan(view), "<bytes>") == expected
    stream = io.BytesIO(data)
    assert without_name(pt2triage.scan(stream), "<stream>") == expected
    if data.endswith(b"\n"):
        lines = data.splitlines(keepends=True)
        assert without_name(pt2triage.scan_lines(lines), "<lines>") == expected


def test_scanning_twice_gives_the_same_report() -> None:
    path = case("2.13.0/breaks").log
    assert pt2triage.scan(path).to_json() == pt2triage.scan(path).to_json()


def test_number_of_jobs_does_not_matter() -> None:
    paths = [path for path in FILES if "2.13.0" in str(path)]
    assert (
        pt2triage.scan(paths, jobs=1).to_json()
        == pt2triage.scan(paths, jobs=4).to_json()
    )
