"""The core finds the records that the plain reader of tests/oracle finds."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import DATA, all_files
from decorators import DECORATORS as WRAPPERS
from oracle import Record, read_records
from pt2triage import _core

FILES = all_files()
TRACES = [path for path in FILES if path.name.startswith("dedicated_log")]

core_records = getattr(_core, "read_records", None)
needs_core = pytest.mark.skipif(
    core_records is None, reason="this build has no _core.read_records"
)

# The core keeps this much of a record's text.
TEXT_KEPT = 64 * 1024


def name_of(path: Path) -> str:
    return str(path.relative_to(DATA))


def plain(record: dict[str, Any] | Record) -> dict[str, Any]:
    """A record of either reader with unknown fields as None."""
    fields = vars(record) if isinstance(record, Record) else record
    names = (
        "kind level time process path path_line compile_id artifact rank line offset"
    )
    out = {name: fields[name] for name in names.split()}
    for name in ("process", "path_line", "compile_id", "artifact"):
        out[name] = out[name] or None
    out["text"] = fields["text"][:TEXT_KEPT]
    return out


def place(record: dict[str, Any]) -> tuple[object, ...]:
    """Records that begin on one line (a progress bar's) are told apart by text."""
    return tuple(record[name] for name in ("offset", "time", "path", "text"))


def agree(data: bytes, chunk_size: int = 0) -> None:
    assert core_records is not None
    have = sorted(map(plain, core_records(data, chunk_size)), key=place)
    want = sorted(map(plain, read_records(data)), key=place)
    for ours, theirs in zip(have, want, strict=False):
        assert ours == theirs
    assert len(have) == len(want)


# The oracle itself, held to what torch says of its own files.


@pytest.mark.parametrize("path", TRACES, ids=name_of)
def test_oracle_finds_all_payloads(path: Path) -> None:
    """Each payload is there to the byte: torch wrote its MD5 beside it."""
    data = path.read_bytes()
    announced = re.findall(rb'"has_payload": "([0-9a-f]{32})"', data)
    payloads = [r.payload for r in read_records(data) if r.payload is not None]
    found = [hashlib.md5(text.encode()).hexdigest().encode() for text in payloads]
    assert found == announced


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_oracle_leaves_no_header_behind(path: Path) -> None:
    """Lines with a header are as many as lines of records."""
    data = path.read_bytes()
    header = rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ .*:\d+\]"
    old_header = rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\].* torch[\w.]*: \["
    lines = re.findall(
        rb"(?m)^(?!\t).*?(?:" + header + rb"|" + old_header + rb")", data
    )
    records = read_records(data)
    traced = sum(record.kind == "trace" for record in records)
    logged = sum(
        record.text.count("\n") + 1 for record in records if record.kind == "log"
    )
    assert len(lines) == traced + logged


# The core against the oracle.


@needs_core
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_core_agrees(path: Path) -> None:
    agree(path.read_bytes())


@needs_core
@pytest.mark.parametrize("chunk_size", [1, 7, 64, 4096])
def test_core_agrees_for_any_chunk_size(chunk_size: int) -> None:
    data = (DATA / "corpus/2.13.0/two_ranks/log.txt").read_bytes()
    agree(data, chunk_size)


HEADERS = [
    "V1129 15:22:18.930000 9036 torch/_dynamo/symbolic_convert.py:5124] [0/0] "
    "[__graph_breaks] ",
    "V1129 15:22:18.930000 9037 torch/_dynamo/symbolic_convert.py:5124] [0/0_1] "
    "[__graph_breaks] ",
    "V1129 15:22:18.931000 9036 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] ",
    "V1129 15:22:18.930000 9037 a path/with blanks.py:12] [!0/1/0] ",
    "W1129 15:22:18.930000 139968694107008 ../torch/_dynamo/x.py:762] [!3] ",
    "E0629 17:40:12.908000 6108 C:\\venv\\Lib\\torch\\_guards.py:351] ",
    "V1129 15:22:18.930000 9036 torch/_dynamo/convert_frame.py:303] ",
    "[2026-11-29 15:42:12,872] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: "
    "[DEBUG] ",
    "[2026-11-29 15:42:12,872] torch._dynamo.convert_frame: [WARNING] ",
    "[2026-11-29 15:42:12,872] app.worker: [INFO] ",
    "[I1129 15:38:53.071261182 debug.cpp:49] [c10d] ",
    "",
]
BODIES = [
    "",
    "text",
    "    indented",
    "Graph break in user code at model.py:5",
    "Recompiling function f in model.py:5",
    "torch._dynamo hit config.recompile_limit (8)",
    "[1, 2] is no compile id",
    "[0/1] [__guards] looks like a header's tail",
    '{"artifact": {"name": "x"}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0}',
    '{"str": ["/a.py", 0]}',
    '{"dynamo_start": {"stack": []}, "rank": 3, "compiled_autograd_id": 1}',
    '{"loss": 0.5}',
    "caf\u00e9 \u2713",
    "2025-04-17T06:19:22.0392577Z a stamp in the text",
    "tail [repeated 2x across cluster]",
]
DECORATIONS = [
    "",
    "\ufeff",
    "2025-04-17T06:19:22.0392577Z ",
    "[default0]:",
    "[default1]:",
    "[rank0]:",
    "[rank1]: ",
    "\x1b[36m(RayWorkerWrapper pid=884120)\x1b[0m ",
    "(EngineCore_0 pid=12, ip=10.0.0.7) ",
    "ERROR 08-29 07:12:30 worker_base.py:464] ",
    "E   ",
    "    ",
    "[task 2025-01-22T02:00:07Z] ",
    "2016-10-06T00:17:09.669794202+08:00 stderr F ",
    "2016-10-06T00:17:09.669794202Z stderr P ",
    "2025-05-02T07:11:09.123456Z 01O ",
    "2025-05-02T07:11:09.123456Z 01O+",
    "06:19:22  ",
    "Nov 29 15:22:18 node-3 python3[4242]: ",
    "[pod/train-0/main] ",
    "[trainer1]:",
    "(pid=884120) ",
    "##[error]",
    "trainer  | ",
    "3: ",
    "     1\t",
    "build\tRun tests\t",
    "\x1b]8;;http://x\x07",
    "loading: 50%|###  |\r",
    "test_a.py::test_x[0] ",
    "\t",
]
ENDS = ["\n", "\n", "\n", "\r\n"]


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Lines of a few writers, decorated and interleaved at random."""
    out = []
    for _ in range(draw(st.integers(1, 12))):
        decorations = draw(st.lists(st.sampled_from(DECORATIONS), max_size=3))
        out += decorations
        out.append(draw(st.sampled_from(HEADERS)))
        out.append(draw(st.sampled_from(BODIES)))
        out.append(draw(st.sampled_from(ENDS)))
    return "".join(out).encode()


@needs_core
@pytest.mark.parametrize("name", WRAPPERS)
def test_core_agrees_on_wrapped_logs(name: str) -> None:
    for log in ("2.13.0/recompile_limit", "2.2.2/breaks"):
        lines = (DATA / "corpus" / log / "log.txt").read_bytes().split(b"\n")
        agree(WRAPPERS[name](lines[:-1]))


@needs_core
@settings(max_examples=500, deadline=None)
@given(data=logs(), chunk_size=st.sampled_from([0, 1, 13]))
def test_core_agrees_on_made_up_logs(data: bytes, chunk_size: int) -> None:
    agree(data, chunk_size)
