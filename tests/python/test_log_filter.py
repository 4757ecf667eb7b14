"""Which records `pt2triage run` takes out of stderr."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import case
from pt2triage._around.log_filter import LogFilter
from pt2triage._around.log_settings import LogSettings, Origin, extended

AT = "1129 15:49:13.556000 8426 torch/_dynamo"
BREAK = f"V{AT}/symbolic_convert.py:4275] [0/0] [__graph_breaks] Graph break\n".encode()
RECOMPILE = f"V{AT}/guards.py:4512] [0/1] [__recompiles] Recompiling f\n".encode()
PLAIN = f"V{AT}/output_graph.py:12] [0/1] step 3\n".encode()
WARNING = f"W{AT}/convert_frame.py:9] [0/8] torch._dynamo hit the limit\n".encode()
OLD = b"[2026-11-29 16:07:46,696] [0/0] torch._dynamo.guards.__recompiles: [DEBUG] R\n"
OLD_WARNING = b"[2026-11-29 16:07:46,696] torch._dynamo.x: [WARNING] W\n"
RANKED = [BREAK, RECOMPILE, OLD, b"[rank0]:" + BREAK, b"[default1]:[rank1]:" + BREAK]


def shown(data: bytes, own: str = "", ours: str = "graph_breaks,recompiles") -> bytes:
    keep = LogFilter(own, extended(own, ours))
    return keep.feed(data) + keep.end()


@pytest.mark.parametrize(
    ("own", "ours", "merged"),
    [
        ("", "graph_breaks", "graph_breaks"),
        ("+dynamo", "graph_breaks", "graph_breaks,+dynamo"),
        ("dynamo", "+dynamo", "dynamo,+dynamo"),
        ("+dynamo", "dynamo,+inductor", "dynamo,+dynamo,+inductor"),
        (" guards, recompiles ,", "recompiles", "guards,recompiles"),
    ],
)
def test_extended(own: str, ours: str, merged: str) -> None:
    assert extended(own, ours) == merged


@pytest.mark.parametrize(
    ("settings", "module", "level", "artifact", "wanted"),
    [
        ("", "torch._dynamo.x", "V", "", False),
        ("", "torch._dynamo.x", "W", "", True),
        ("-dynamo", "torch._dynamo.x", "W", "", True),
        ("dynamo", "torch._dynamo.x", "I", "", True),
        ("dynamo", "torch._dynamo.x", "V", "", False),
        ("+dynamo", "torch._dynamo.x", "DEBUG", "", True),
        ("+dynamo", "torch._dynamo.x", "V", "guards", True),
        ("+dynamo", "torch._dynamo.x", "V", "bytecode", False),  # off by default
        ("bytecode", "torch._dynamo.x", "V", "bytecode", True),
        ("+inductor", "torch._dynamo.x", "V", "", False),
        ("+dynamo", "torch.fx.experimental.symbolic_shapes", "V", "", True),
        ("+all", "torch.nn.x", "V", "", True),
        ("+torch._dynamo.guards", "torch._dynamo.guards", "V", "", True),
        ("+torch._dynamo.guards", "torch._dynamo.exc", "V", "", False),
    ],
)
def test_wanted(
    settings: str, module: str, level: str, artifact: str, wanted: bool
) -> None:
    assert LogSettings(settings).wants(Origin(module, level, artifact)) == wanted


@pytest.mark.parametrize("record", RANKED)
def test_ours_go(record: bytes) -> None:
    assert shown(b"a\n" + record + record + b"b\n") == b"a\nb\n"
    assert shown(record.rstrip(b"\n")) == b""


@pytest.mark.parametrize(
    ("own", "record"),
    [
        ("", WARNING),
        ("", OLD_WARNING),
        ("", PLAIN),  # nobody has asked for it, so it is not of our making
        ("recompiles", RECOMPILE),
        ("recompiles", OLD),
        ("+dynamo", BREAK),
        ("+dynamo", PLAIN),
        ("", BREAK.replace(b"torch/", b"my/")),
        ("", b"quoted: " + BREAK),
        ("", b"I1129 15:49:13.556000 8426 main.py:7] of another library\n"),
    ],
)
def test_others_stay(own: str, record: bytes) -> None:
    assert shown(b"a\n" + record + b"b", own) == b"a\n" + record + b"b"


def test_ours_go_where_the_user_asks_for_others() -> None:
    both = BREAK + RECOMPILE + WARNING
    assert shown(both, "recompiles") == RECOMPILE + WARNING
    assert shown(PLAIN + RECOMPILE, "", "+dynamo") == b""


def test_after_a_progress_bar() -> None:
    bar = b"\r 10%|#  |\r 20%|## |"
    assert shown(bar + BREAK + b"\r 30%|###|\n") == bar + b"\r 30%|###|\n"
    keep = LogFilter("", "graph_breaks")
    assert keep.feed(bar) == bar
    assert keep.feed(BREAK[:30]) == b""
    assert keep.feed(BREAK[30:] + b"\r 30%") == b"\r 30%"


def test_partial_lines_pass_at_once() -> None:
    keep = LogFilter("", "graph_breaks")
    for piece in (b"Name? ", b"Very", b"\r 1%", b"[", b"[done]", b"\n\n", b"x"):
        assert keep.feed(piece) + keep.idle() == piece


def test_a_beginning_is_held_until_nothing_comes() -> None:
    keep = LogFilter("", "graph_breaks")
    assert keep.feed(b"a\nV1129") == b"a\n"
    assert keep.idle() == b"V1129"
    assert keep.feed(b" is no record\n") == b" is no record\n"
    assert keep.feed(BREAK[:-1]) == b""
    assert keep.idle() == b""  # a whole prefix
    assert keep.feed(b"\n") == b""


def test_a_long_record_needs_no_memory() -> None:
    keep = LogFilter("", "graph_breaks")
    assert keep.feed(BREAK[:-1] + b"x" * 5000) == b""
    assert keep.feed(b"x" * 5000) == b""
    assert keep.feed(b"x\nnext\n") == b"next\n"
    assert keep.hidden == len(BREAK) + 10001
    long = b"V1129 " + b"y" * 5000
    assert keep.feed(long) == long


PIECES = [
    BREAK,
    RECOMPILE,
    WARNING,
    PLAIN,
    OLD,
    b"text\n",
    b"\r 5%",
    b"[",
    b"V1",
    b"\n",
]


@given(st.lists(st.sampled_from(PIECES)), st.lists(st.integers(1, 60)))
def test_cuts_change_nothing(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    keep = LogFilter("recompiles", "recompiles,graph_breaks")
    given, rest = b"", data
    for cut in cuts:
        given += keep.feed(rest[:cut])
        rest = rest[cut:]
    assert given + keep.feed(rest) + keep.end() == shown(data, "recompiles")


@given(st.binary(), st.integers(0, 20))
def test_what_is_not_ours_is_the_same(data: bytes, cut: int) -> None:
    keep = LogFilter("", "graph_breaks,recompiles")
    given = keep.feed(data[:cut]) + keep.idle() + keep.feed(data[cut:]) + keep.end()
    assert given == data


@pytest.mark.parametrize("version", ["2.2.2", "2.4.1", "2.6.0", "2.8.0", "2.13.0"])
def test_real_logs(version: str) -> None:
    data = case(f"{version}/breaks").log.read_bytes()
    names = set(re.findall(rb"__(\w+)(?:\]|: \[DEBUG\])", data))
    ours = ",".join(sorted(name.decode() for name in names))
    left = shown(data, "", ours)
    assert b"[__" not in left
    assert b"DEBUG" not in left
    assert len(left) < len(data) / 2
    assert shown(data, ours, ours) == data
    assert shown(data, "", "") == data
