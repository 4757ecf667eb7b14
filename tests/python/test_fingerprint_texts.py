"""Texts of messages that are one failure, or two (tests/alike.py)."""

import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from alike import ALIKE, DIFFERENT, Alike, Different
from cases import fingerprints
from edits.naming import BASE32, HEX
from hypothesis_settings import SAME_EACH_TIME

PRINT = """Traceback (most recent call last):
  File "/home/dev/model/train.py", line 30, in step
    run(x)
  File "/venv/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", line 9, in g
    return fn(*args, **kwargs)
torch._dynamo.exc.InternalTorchDynamoError: """


def digits(letters: str, length: int) -> st.SearchStrategy[str]:
    return st.text(letters, min_size=length, max_size=length)


HOMES = ["/home/dev", "/Users/x/y-z", "/root", "C:\\Users\\dev", "D:\\a\\b.c", "/mnt/1"]
FIELDS: dict[str, st.SearchStrategy[str]] = {
    "address": digits(HEX, 11).map("0x7{}".format),
    "bare_address": digits(HEX.upper(), 11).map("00007{}".format),
    "id": st.integers(10**11, 10**15).map(str),
    "pid": st.integers(1, 4_194_304).map(str),
    "line": st.integers(1, 9999).map(str),
    "gpu": st.integers(0, 127).map(str),
    "rank": st.integers(0, 4095).map(str),
    "port": st.integers(1024, 65535).map(str),
    "byte": digits(HEX, 2),
    "mm": st.integers(10, 12).map(str),
    "gib": st.integers(100, 9999).map(lambda n: f"{n / 100:.2f}"),
    "digits": st.integers(2020, 2030).map("{}_11_29_15_22_46_226565".format),
    "user": digits(BASE32, 4),
    "hash": digits(BASE32, 51),
    "digest": digits(HEX, 64),
    "uuid": st.uuids().map(str),
    "tmp": digits(BASE32, 8).map("tmp{}".format),
    "temp_root": st.sampled_from(["/tmp", "/var/tmp", "/var/folders/a/T", "/scratch"]),
    "folder": st.sampled_from(HOMES),
    "tmp_or_home": st.sampled_from(["/tmp/checkout", "/home/dev"]),
    "spaced": st.sampled_from(["a", "a b", "my new model"]),
    "odd": st.sampled_from(["a", "é", "a@1.2", "run=3", "#1", "1%20"]),
}


def fill(data: st.DataObject, text: str) -> str:
    def value(match: re.Match[str]) -> str:
        return str(data.draw(FIELDS[match[1]], label=match[1]))

    return re.sub(r"\{(\w+)\}", value, text)


@pytest.mark.parametrize("alike", ALIKE, ids=lambda alike: str(alike.name))
def test_texts_of_one_failure(alike: Alike, request: pytest.FixtureRequest) -> None:
    phases = SAME_EACH_TIME.phases
    if alike.missing:
        mark = pytest.mark.xfail(reason=alike.missing, strict=True)
        request.applymarker(mark)
        phases = (Phase.generate,)

    @settings(SAME_EACH_TIME, max_examples=25, phases=phases)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        one, other = (fingerprints(PRINT + fill(data, alike.text)) for _ in range(2))
        assert len(one) == 1
        assert one == other

    check()


@pytest.mark.parametrize("pair", DIFFERENT, ids=lambda pair: str(pair.name))
def test_texts_of_two_failures(pair: Different, request: pytest.FixtureRequest) -> None:
    if pair.missing:
        request.applymarker(pytest.mark.xfail(reason=pair.missing, strict=True))
    assert fingerprints(PRINT + pair.one) != fingerprints(PRINT + pair.other)
