"""Every case of tests/data gets its right answer."""

import random
import re
from collections.abc import Callable

import pytest

from cases import (
    Case,
    Json,
    all_cases,
    category_of,
    scan,
    scan_both,
    scan_log,
    scan_traces,
    top_finding,
)

CASES = all_cases()

# The two modes that the expectations name in words.
MODES = {
    "torch.compile": "compile",
    "export strict": "export_strict",
    "export non-strict": "export_non_strict",
}

# (case, field) -> why it is still wrong. A miss that is repaired fails here.
KNOWN_MISSES: dict[tuple[str, str], str] = {}


def last_word(name: str | None) -> str | None:
    """`torch._dynamo.exc.Unsupported` is `Unsupported`: some logs cut the module."""
    return name.rsplit(".", 1)[-1] if name else name


def squeeze(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def base_name(path: str | None) -> str:
    return re.split(r"[/\\]", path or "")[-1]


def all_words(finding: Json) -> str:
    """What a finding quotes."""
    links = finding.get("exception_chain") or []
    parts = [finding.get("message"), finding.get("reason")]
    return squeeze(" ".join(p or "" for p in parts + [x["message"] for x in links]))


def is_about_pt2(expect: Json) -> bool:
    return expect["category"] not in (None, "other")


# Each check takes the report and the expectation.


def check_category(report: Json, expect: Json) -> None:
    allowed = expect.get("acceptable_categories") or [expect["category"]]
    assert report["category"] in allowed
    assert report["category"] == top_finding(report).get("category")


def check_cause(report: Json, expect: Json) -> None:
    assert top_finding(report).get("cause") == expect["cause"]


def check_exception(report: Json, expect: Json) -> None:
    exception = top_finding(report).get("exception")
    assert last_word(exception) == last_word(expect["primary_exception"])


def check_chain(report: Json, expect: Json) -> None:
    """The wanted links come in this order; others may stand between them."""
    chain = top_finding(report)["exception_chain"]
    have = [last_word(link["type"]) for link in chain]
    rest = iter(have)
    wanted = [last_word(name) for name in expect["exception_chain"]]
    assert all(name in rest for name in wanted), f"{wanted} in {have}"


def check_message(report: Json, expect: Json) -> None:
    assert squeeze(expect["message_head"])[:80] in all_words(top_finding(report))


def check_frame(report: Json, expect: Json) -> None:
    frame = top_finding(report).get("user_frame")
    if expect["user_frame"] is None:
        assert frame is None
        return
    allowed = [expect["user_frame"], *expect.get("user_frame_alternatives", [])]
    assert frame is not None
    assert (base_name(frame["file"]), frame["line"]) in [
        (base_name(one["file"]), one["line"]) for one in allowed
    ]


def check_function(report: Json, expect: Json) -> None:
    """A resume function counts as the function that it resumes."""
    allowed = [expect["user_frame"], *expect.get("user_frame_alternatives", [])]
    frame = top_finding(report)["user_frame"] or {}
    assert frame.get("function") in [one.get("function") for one in allowed]


def check_guards(report: Json, expect: Json) -> None:
    have = [
        squeeze(failure["guard"])
        for finding in report["findings"]
        for failure in finding["guard_failures"]
    ]
    for guard in expect["guard_failures"]:
        assert any(squeeze(guard) in text for text in have), f"{guard} in {have}"


def check_reasons(report: Json, expect: Json) -> None:
    have = [all_words(finding) for finding in report["findings"]]
    for reason in expect["graph_break_reasons"]:
        assert any(squeeze(reason)[:60] in text for text in have), f"{reason} in {have}"


def check_phase(report: Json, expect: Json) -> None:
    assert top_finding(report).get("phase") == expect["phase"]


def check_mode(report: Json, expect: Json) -> None:
    mode = expect["compile_mode"]
    assert top_finding(report).get("compile_mode") == MODES.get(mode, mode)


def check_secondary(report: Json, expect: Json) -> None:
    have = set(top_finding(report)["secondary_categories"])
    have |= {finding["category"] for finding in report["findings"]}
    assert set(expect["secondary_categories"]) <= have


def check_ranks(report: Json, expect: Json) -> None:
    assert set(expect["ranks"]) <= set(top_finding(report)["ranks"])


def check_backend(report: Json, expect: Json) -> None:
    assert top_finding(report).get("backend") == expect["backend"]


def check_counts(report: Json, expect: Json) -> None:
    have = {name: report["counts"][name] for name in expect["counts"]}
    assert have == expect["counts"]


Check = Callable[[Json, Json], None]
Applies = Callable[[Json], bool]

# field: (when an expectation says something about it, how it is checked)
FIELDS: dict[str, tuple[Applies, Check]] = {
    "category": (lambda e: True, check_category),
    "cause": (lambda e: "cause" in e, check_cause),
    "exception": (lambda e: "primary_exception" in e, check_exception),
    "chain": (lambda e: bool(e.get("exception_chain")), check_chain),
    "message": (lambda e: bool(e.get("message_head")), check_message),
    "frame": (lambda e: "user_frame" in e and is_about_pt2(e), check_frame),
    "function": (
        lambda e: bool((e.get("user_frame") or {}).get("function")),
        check_function,
    ),
    "guards": (lambda e: bool(e.get("guard_failures")), check_guards),
    "reasons": (lambda e: bool(e.get("graph_break_reasons")), check_reasons),
    "phase": (lambda e: "phase" in e and is_about_pt2(e), check_phase),
    "mode": (lambda e: "compile_mode" in e and is_about_pt2(e), check_mode),
    "secondary": (lambda e: bool(e.get("secondary_categories")), check_secondary),
    "ranks": (lambda e: bool(e.get("ranks")), check_ranks),
    "backend": (lambda e: bool(e.get("backend")), check_backend),
    "counts": (lambda e: bool(e.get("counts")), check_counts),
}

PAIRS = [
    (case, field)
    for case in CASES
    for field, (applies, _) in FIELDS.items()
    if applies(case.expect)
]


@pytest.mark.parametrize(
    ("case", "field"), PAIRS, ids=[f"{case.id}-{field}" for case, field in PAIRS]
)
def test_case(case: Case, field: str, request: pytest.FixtureRequest) -> None:
    miss = KNOWN_MISSES.get((case.id, field))
    if miss is not None:
        request.applymarker(pytest.mark.xfail(reason=miss, strict=True))
    _, check = FIELDS[field]
    report = scan_both(case) if case.expect.get("with_trace") else scan_log(case)
    check(report, case.expect)


def test_known_misses_exist() -> None:
    assert set(KNOWN_MISSES) <= {(case.id, field) for case, field in PAIRS}


# Each script of the corpus does one thing. How often it is printed - by a logger,
# as a traceback, in a summary - makes no second finding.
FINDINGS = {
    "error_on_recompile": 1,  # the record and the exception that quotes it
    "recompile_limit": 2,  # the limit, and the recompiles before it
    "fail_on_recompile": 2,
    "fullgraph_recompile": 2,
    "dynamic_shapes": 2,  # two causes
    "train_many": 1,
    "user_exc": 2,  # the exception, and the break before it
    "generator_break": (1, 2),  # up to 2.6 the rest of the function is skipped too
}
SCRIPTS = [case for case in CASES if "exit_code" in case.expect]


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.id)
def test_one_failure_is_one_finding(case: Case) -> None:
    report = scan_log(case)
    failed = case.expect["category"] is not None
    wanted = FINDINGS.get(case.scenario, int(failed))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(report["findings"]) in wanted
    errors = [f for f in report["findings"] if f["severity"] == "error"]
    assert len(errors) == (case.expect["exit_code"] != 0)


# What a trace alone proves where that is not what the log says. The key is a
# scenario, or a version and a scenario.
RUN_TIME = "fails while compiled code runs; only compilation is traced"
NOT_TRACED = "this version writes no record of it"
TRACE_SAYS: dict[str, tuple[str | None, str]] = {
    "accuracy": (None, "the comparison runs outside of what is traced"),
    "2.13.0/accuracy_dynamo": (None, "the comparison broke off, only in the log"),
    "index_oob": (None, RUN_TIME),
    "2.13.0/nan_assert": (None, RUN_TIME),
    "runtime_error_after_aot": (None, RUN_TIME),
    "segfault": (None, RUN_TIME),
    "2.4.1/export_nonstrict": (None, NOT_TRACED),
    "2.5.1/export_nonstrict": (None, NOT_TRACED),
    "2.8.0/export_constraint": (None, NOT_TRACED),
    "2.10.0/export_constraint": (None, NOT_TRACED),
    "2.13.0/export_constraint": (None, NOT_TRACED),
    "2.4.1/autograd_backward_fail": (None, NOT_TRACED),
    "2.4.1/error_on_recompile": (None, NOT_TRACED),
    "2.5.1/error_on_recompile": (None, NOT_TRACED),
    "2.13.0/two_ranks": ("recompilation", "the launcher writes no trace"),
}
TRACED = [case for case in CASES if case.traces]


@pytest.mark.parametrize("case", TRACED, ids=lambda case: case.id)
def test_trace_alone_gives_the_same_category(case: Case) -> None:
    different = TRACE_SAYS.get(case.id) or TRACE_SAYS.get(case.scenario)
    wanted = different[0] if different else case.expect["category"]
    assert category_of(scan_traces(case)) == wanted


@pytest.mark.parametrize("case", TRACED, ids=lambda case: case.id)
def test_log_and_trace_together_give_each_event_once(case: Case) -> None:
    """Neither counts nor the answer change; a trace may only add detail."""
    alone, both = scan_log(case), scan_both(case)
    assert both["category"] == alone["category"]
    assert both["counts"] == alone["counts"]
    assert top_finding(both).get("exception") == top_finding(alone).get("exception")


@pytest.mark.parametrize("case", TRACED, ids=lambda case: case.id)
def test_order_of_log_and_trace_does_not_matter(case: Case) -> None:
    reversed_order = scan([*reversed(case.traces), case.log])
    assert reversed_order["counts"] == scan_both(case)["counts"]
    assert reversed_order["finding"] == scan_both(case)["finding"]


SCANS = [(case, "log") for case in CASES] + [(case, "trace") for case in TRACED]


@pytest.mark.parametrize(
    ("case", "kind"), SCANS, ids=[f"{case.id}-{kind}" for case, kind in SCANS]
)
def test_evidence_can_be_looked_up(case: Case, kind: str) -> None:
    report = scan_log(case) if kind == "log" else scan_traces(case)
    files = [case.log] if kind == "log" else case.traces
    data = {str(path): path.read_bytes() for path in files}
    places = [e for finding in report["findings"] for e in finding["evidence"]]
    places += report["diagnostics"]
    assert all(finding["evidence"] for finding in report["findings"])
    for place in places:
        text = data[place["source"]]
        start, length = place["offset"], place["length"]
        assert 0 <= start < start + length <= len(text)
        assert text.count(b"\n", 0, start) + 1 == place["line"]


@pytest.mark.parametrize(
    ("case", "kind"), SCANS, ids=[f"{case.id}-{kind}" for case, kind in SCANS]
)
def test_every_byte_is_accounted_for(case: Case, kind: str) -> None:
    report = scan_log(case) if kind == "log" else scan_traces(case)
    files = [case.log] if kind == "log" else case.traces
    assert [source["name"] for source in report["sources"]] == list(map(str, files))
    for source, path in zip(report["sources"], files, strict=True):
        data = path.read_bytes()
        parts = ("bytes_parsed", "bytes_plain", "bytes_malformed")
        assert sum(source[part] for part in parts) == source["bytes"] == len(data)
        assert source["lines"] == data.count(b"\n") + (not data.endswith(b"\n"))
        assert source["malformed"] == source["bytes_malformed"] == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_report_is_consistent(case: Case) -> None:
    report = scan_log(case)
    findings = report["findings"]
    assert report["finding"] == (findings[0]["fingerprint"] if findings else None)
    assert report["category"] == (findings[0]["category"] if findings else None)
    keys = [(finding["fingerprint"], finding["test_id"]) for finding in findings]
    assert len(keys) == len(set(keys))
    for finding in findings:
        assert re.fullmatch("[0-9a-f]{12}", finding["fingerprint"])
        assert finding["count"] >= 1
        assert finding["category"] not in finding["secondary_categories"]
        types = [link["type"] for link in finding["exception_chain"]]
        assert finding["exception"] is None or finding["exception"] in types


NOT_THE_USERS = re.compile(
    r"site-packages/torch/|[\\/]lib[\\/]python3\.\d+[\\/](?!site-packages)|^<(?!ipython)"
    r"|torchinductor_"
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_user_frames_are_the_users(case: Case) -> None:
    """Not torch's, the standard library's or generated code's.

    A recompile names its function as torch prints it, whoever wrote that.
    """
    for report in (scan_log(case), scan_traces(case)):
        for finding in report["findings"]:
            frame = finding["user_frame"]
            if frame is not None and finding["category"] != "recompilation":
                assert not NOT_THE_USERS.search(frame["file"]), frame


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_no_record_of_the_corpus_is_unrecognised(case: Case) -> None:
    for source in scan_log(case)["sources"]:
        assert source["unrecognised"] == 0


@pytest.mark.parametrize("version", ["2.2.2", "2.4.1", "2.6.0", "2.13.0"])
def test_fingerprints_differ_between_scenarios(version: str) -> None:
    """Two scenarios that fail in different ways are never taken for one."""
    tops = {
        case.scenario: scan_log(case)["finding"]
        for case in CASES
        if case.version == version and scan_log(case)["finding"]
    }
    # The same function with the same guards, failing in the same way or not.
    tops.pop("fail_on_recompile", None)
    tops.pop("recompile_limit", None)
    tops.pop("minify_compile", None)
    assert len(set(tops.values())) == len(tops)


def essence(report: Json) -> Json:
    """What a report says, without where it was printed."""
    top = top_finding(report)
    keys = ("exception", "cause", "phase", "compile_mode", "message", "test_id")
    return {key: top.get(key) for key in keys} | {
        "category": report["category"],
        "line": (top.get("user_frame") or {}).get("line"),
        "findings": len(report["findings"]),
    }


# What may stand before every line of a log, or change its line ends.
DRESSES = {
    "GitHub Actions": b"2025-04-17T06:19:22.0392577Z ",
    "torchrun": b"[default0]:",
    "rank": b"[rank3]: ",
    "Ray": b"\x1b[36m(RayWorkerWrapper pid=884120)\x1b[0m ",
    "vLLM": b"ERROR 08-29 07:12:30 worker_base.py:464] ",
    "all of them": b"2025-04-17T06:19:22.0392577Z [default0]:(Actor pid=7) [rank3]: ",
    "byte-order marks": b"\xef\xbb\xbf",
    "colour": b"\x1b[31m",
}


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES.keys())
def test_decorations_change_nothing(dress: bytes) -> None:
    for case in CASES:
        data = case.log.read_bytes()
        if b"\r" in data:
            continue  # a progress bar: what it rewrites is no line of its own
        dressed = b"".join(dress + line for line in data.splitlines(keepends=True))
        report = scan(dressed)
        assert essence(report) == essence(scan_log(case)), case.id
        assert report["counts"] == scan_log(case)["counts"], case.id


def test_line_ends_change_nothing() -> None:
    for case in CASES:
        data = case.log.read_bytes()
        if b"\r" not in data:
            report = scan(data.replace(b"\n", b"\r\n"))
            assert essence(report) == essence(scan_log(case)), case.id
            assert report["counts"] == scan_log(case)["counts"], case.id


PER_RANK = ("graph_breaks", "recompiles", "guard_failures", "recompile_limit_hits")
ONE_PROCESS = [c for c in SCRIPTS if c.expect["category"] is not None]


@pytest.mark.parametrize("most", [1, 7])
@pytest.mark.parametrize("case", ONE_PROCESS, ids=lambda case: case.id)
def test_two_ranks_that_fail_alike(case: Case, most: int) -> None:
    """Their lines mix in any way; one finding says that it happened on both."""
    lines = case.log.read_bytes().splitlines()
    rng = random.Random(case.id)
    at = [0, 0]
    mixed = []
    while at[0] < len(lines) or at[1] < len(lines):
        rank = rng.randrange(2)
        for line in lines[at[rank] : at[rank] + rng.randint(1, most)]:
            mixed.append(b"[default%d]:[rank%d]: %s\n" % (rank, rank, line))
            at[rank] += 1
    alone, both = scan_log(case), scan(b"".join(mixed))
    assert essence(both) == essence(alone)
    assert top_finding(both)["ranks"] == [0, 1]
    for name in PER_RANK:
        assert both["counts"][name] == 2 * alone["counts"][name]


def test_compile_debug_folder() -> None:
    """A real TORCH_COMPILE_DEBUG folder: walked, nothing wrong, nothing invented."""
    case = next(case for case in CASES if case.id == "2.13.0/compile_debug")
    report = scan(case.folder / "torch_compile_debug")
    assert report["category"] is None
    assert report["findings"] == []
    names = [source["name"] for source in report["sources"]]
    assert any("dedicated_log_torch_trace_" in name for name in names)
    assert sum(source["trace_records"] for source in report["sources"]) == 25
