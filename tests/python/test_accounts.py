"""No byte is dropped: each is parsed, plain or malformed, in whatever is scanned."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import DATA, ROOT, all_files, case
from hypothesis_settings import SAME_EACH_TIME
from spoiled import FAILURE, GOOD, scan_sound

SYNTHETIC = sorted((ROOT / "tests" / "synthetic").glob("*/log.txt"))
# Also what is no log: the folders that TORCH_COMPILE_DEBUG left, the fuzz seeds; not
# what is compressed, whose size is another one.
OTHERS = sorted(
    path
    for folder in (DATA / "debug", ROOT / "tests" / "fuzz" / "seeds")
    for path in folder.rglob("*")
    if path.is_file() and path.suffix not in (".gz", ".zst")
)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT / "tests"))


@pytest.mark.parametrize("path", [*all_files(), *SYNTHETIC, *OTHERS], ids=name_of)
def test_every_file(path: Path) -> None:
    data = path.read_bytes()
    for content in (path, data):
        (source,) = scan_sound(content, verify=True)["sources"]
        assert source["bytes"] == len(data)
        assert source["lines"] in (0, data.count(b"\n") + (data[-1:] not in b"\n"))


# Small ones, so that examples are many: a log of each format, both kinds of
# trace, a report that somebody pasted.
SMALL = [
    data[:20_000]
    for data in (
        case("2.13.0/two_ranks").log.read_bytes(),
        case("2.2.2/suppress_errors").log.read_bytes(),
        case("2.13.0/backend_fail").traces[0].read_bytes(),
        case("2.4.1/generator_break").traces[0].read_bytes(),
        case("reports/016").log.read_bytes(),
        GOOD + FAILURE,
    )
]
ODD_BYTES = b'\0\r\n\t\x1b[]{}"\\V1 \xff\xc3\xef\xbb\xbf'

texts = st.sampled_from(SMALL)


def pieces(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    """`data` cut at places given as parts of a million."""
    ends = sorted(cut * len(data) // 1_000_000 for cut in cuts)
    starts = [0, *ends]
    return [data[a:b] for a, b in zip(starts, [*ends, len(data)], strict=True)]


parts = st.lists(st.integers(0, 1_000_000), max_size=6)


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A file cut, with pieces twice, lines in another order and bytes changed."""
    chosen = draw(st.lists(texts, min_size=1, max_size=2))
    cut = [piece for data in chosen for piece in pieces(data, draw(parts))]
    order = draw(st.lists(st.integers(0, len(cut) - 1), min_size=1, max_size=8))
    data = bytearray(b"".join(cut[i] for i in order))
    if data and draw(st.booleans()):
        lines = data.splitlines(keepends=True)
        draw(st.randoms(use_true_random=False)).shuffle(lines)
        data = bytearray(b"".join(lines))
    for _ in range(draw(st.integers(0, 8)) if data else 0):
        at = draw(st.integers(0, len(data) - 1))
        data[at] = draw(st.sampled_from(ODD_BYTES))
    return bytes(data)


@st.composite
def interleaved(draw: st.DrawFn) -> bytes:
    """The lines of two files as two processes write them, halves of lines too."""
    one, two = (draw(texts).splitlines(keepends=True) for _ in range(2))
    out: list[bytes] = []
    for _ in range(draw(st.integers(1, 12))):
        lines = draw(st.sampled_from([one, two]))
        taken, lines[:] = lines[: draw(st.integers(1, 9))], lines[9:]
        out += taken
        if out and draw(st.integers(0, 3)) == 0:
            out[-1] = out[-1][: draw(st.integers(0, len(out[-1])))]
    return b"".join(out)


@settings(SAME_EACH_TIME, max_examples=400)
@given(data=st.one_of(mangled(), interleaved()), verify=st.booleans())
def test_mangled(data: bytes, verify: bool) -> None:
    (source,) = scan_sound(data, verify=verify)["sources"]
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert utf16 or source["bytes"] == len(data)


@settings(SAME_EACH_TIME, max_examples=200)
@given(data=st.binary(max_size=400), head=st.sampled_from([b"", GOOD, FAILURE]))
def test_any_bytes(data: bytes, head: bytes) -> None:
    scan_sound(head + data)
    scan_sound(data + head)


@settings(SAME_EACH_TIME, max_examples=100)
@given(
    text=st.text(max_size=300),
    codec=st.sampled_from(["utf-16-le", "utf-16-be"]),
    cut=st.integers(0, 4),
)
def test_utf16(text: str, codec: str, cut: int) -> None:
    data = f"\ufeff{text}".encode(codec, "surrogatepass")
    scan_sound(data[: len(data) - cut])
