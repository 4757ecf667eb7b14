"""Every record and artifact that PyTorch 2.4 to 2.13 writes is known by name."""

import json
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import all_cases
from pt2triage.trace_types import METADATA
from spoiled import envelope

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "facts" / "trace_names.json").read_text("utf-8")
)
# Names that PyTorch computes, one of each form.
COMPUTED = (
    *("f_ORIGINAL_BYTECODE", "f_MODIFIED_BYTECODE", "x_ITERATIVE_RECOMPUTE_ERROR"),
    *("get_local_code_state", "put_remote_code_state", "put_extra_remote_code_state"),
    *("fx_graph_cache_hit", "fx_graph_cache_miss", "fx_graph_cache_bypass"),
    *("aotautograd_cache_hit", "aotautograd_cache_bypass", "optimus_Rule"),
    *("normalization_pass_pre_grad", "split_cat_pass_post_grad", "graph_fused"),
    *("runtime_wrapper_orchestration", "backward_prologue", "debug_assert_wrapper"),
)
HOOKS = (
    "aot_forward_graph_pre_saved_tensors_hooks",
    "aot_saved_tensors_hooks_pack add_1",
)
# What every record may have beside its metadata.
CONTEXT = {"rank", "stack", "frame_id", "frame_compile_id", "attempt", "has_payload"}


def is_known(fields: str) -> bool:
    (kind,) = pt2triage.read_trace(envelope(fields)).kinds
    return kind.known


@pytest.mark.parametrize("name", [*FACTS["records"], *HOOKS])
def test_records_are_known(name: str) -> None:
    assert is_known(f'"{name}": {{}}' if name != "str" else '"str": ["a.py", 0]')


@pytest.mark.parametrize("name", [*FACTS["artifacts"], *COMPUTED])
def test_artifacts_are_known(name: str) -> None:
    assert is_known(f'"artifact": {{"name": "{name}", "encoding": "string"}}')


def test_other_names_are_not() -> None:
    assert not is_known('"graph_of_the_future": {}')
    assert not is_known('"artifact": {"name": "of_the_future"}')
    assert not is_known('"artifact": {}')


@pytest.mark.parametrize("name", sorted(METADATA))
def test_types_have_the_fields_that_pytorch_writes(name: str) -> None:
    declared = set(METADATA[name].__annotations__)
    for fields in FACTS["records"].get(name, {}).values():
        assert {field for field in fields if field.isidentifier()} <= declared


def test_every_record_with_fields_has_a_type() -> None:
    with_fields = {
        name
        for name, versions in FACTS["records"].items()
        if any(versions.values()) and "compilation_metrics" not in name
    }
    assert with_fields - {"str"} <= set(METADATA)


def test_types_fit_what_traces_hold() -> None:
    seen: set[str] = set()
    for one in all_cases():
        if one.version not in ("2.13.0", "2.14.1", "2.4.1") or not one.traces:
            continue
        trace = pt2triage.read_trace([str(path) for path in one.traces])
        for record in trace.records():
            if record.record in METADATA and record.record != "describe_tensor":
                seen.add(record.record)
                assert isinstance(record.metadata, dict)
                declared = set(METADATA[record.record].__annotations__)
                assert set(record.metadata) <= declared, record
    assert len(seen) >= 8, seen
