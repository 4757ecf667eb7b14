"""Traces of two runs compared: what came, what went, what is another graph."""

import importlib.resources
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import DATA, case
from hostile_texts import HOSTILE
from pt2triage import TraceDiff, diff_traces, read_trace
from pt2triage._traces.fx_graph import GraphDiff
from pt2triage._traces.kernels import CodeDiff
from trace_lines import artifact, compiled, record

PAIRS = DATA / "pairs"
SCHEMA = json.loads(
    importlib.resources.files("pt2triage").joinpath("diff.schema.json").read_text()
)
# What the comparison alone prints, by the schema of the whole.
VALIDATOR = jsonschema.Draft202012Validator(
    {"$ref": "#/$defs/trace", "$defs": SCHEMA["$defs"]}
)


def pair(name: str) -> TraceDiff:
    """A real pair; what it gives is valid."""
    sides = (read_trace(PAIRS / name / side) for side in ("before", "after"))
    made = diff_traces(*sides)
    VALIDATOR.validate(json.loads(json.dumps(made.to_dict())))
    return made


def made_up(before: str, after: str) -> TraceDiff:
    made = diff_traces(read_trace(before.encode()), read_trace(after.encode()))
    VALIDATOR.validate(json.loads(json.dumps(made.to_dict())))
    return made


def functions(pairs: Any) -> list[str]:
    return [str(one.name) for one in pairs]


def graphs(diff: TraceDiff) -> dict[tuple[str, str, int], GraphDiff]:
    """The graphs that changed, by role, title and occurrence."""
    return {
        (one.name.role, one.title, one.occurrence): one.detail
        for one in diff.artifacts
        if isinstance(one.detail, GraphDiff)
    }


def operations(nodes: Any) -> list[str]:
    return [node.operation.removeprefix("torch.ops.aten.") for node in nodes]


def test_a_graph_break_that_was_fixed() -> None:
    """The break is gone, and with it the compile of the rest; its two operations
    are now in the first graph."""
    diff = pair("fix")
    assert functions(diff.gone) == ["model (after a graph break)"]
    assert diff.new == ()
    (change,) = diff.graph_breaks
    assert (change.before, change.after, change.line) == (1, 0, 14)
    graph = graphs(diff)["", "dynamo_output_graph", 0]
    assert operations(graph.added) == ["torch.cos", "+"]
    assert {node.line for node in graph.added} == {15}
    assert (graph.removed, graph.changed) == ((), ())
    assert [one.after.kind for one in graph.rewired] == ["output"]


def test_another_activation_with_backward() -> None:
    """relu became tanh: one node of the forward; the backward of relu (a comparison
    and a choice) became that of tanh (a square, a difference and a product)."""
    found = graphs(pair("train"))
    forward = found["", "aot_forward_graph", 0]
    assert [
        (one.before.operation, one.after.operation, one.after.line)
        for one in forward.changed
    ] == [("torch.ops.aten.relu.default", "torch.ops.aten.tanh.default", 23)]
    assert (forward.added, forward.removed, forward.rewired) == ((), (), ())
    backward = found["", "aot_joint_graph", 0]
    assert operations(backward.added) == ["mul.Tensor", "sub.Tensor", "mul.Tensor"]
    assert operations(backward.removed) == [
        "le.Scalar",
        "scalar_tensor.default",
        "where.self",
    ]
    assert [one.after.name for one in backward.rewired] == ["mm_1"]
    # Inductor's graph of the backward is the second of its compile.
    assert ("", "inductor_post_grad_graph", 1) in found


def test_code_of_forward_and_backward() -> None:
    codes = [
        one.detail
        for one in pair("train").artifacts
        if one.title == "inductor_output_code"
    ]
    assert len(codes) == 2
    for detail in codes:
        assert isinstance(detail, CodeDiff)
        (added,), (removed,) = detail.added, detail.removed
        assert "tanh" in added.name
        assert "relu" in removed.name


def test_compiled_autograd() -> None:
    """`sum` became `exp().sum()`: in the backward the gradient is multiplied with
    what exp gave."""
    found = graphs(pair("autograd"))
    for role, title in (
        ("autograd graph", "compiled_autograd_graph"),
        ("compiled autograd", "dynamo_output_graph"),
        ("compiled autograd", "aot_inference_graph"),
    ):
        graph = found[role, title, 0]
        assert operations(graph.added) == ["exp.default", "mul.Tensor"], title
        assert (graph.removed, graph.changed) == ((), ()), title
        assert len(graph.rewired) == 1, title


def test_dynamic_shapes() -> None:
    """mark_dynamic: the recompile is gone; the graph has a symbol where it had a 4."""
    diff = pair("dynamic")
    assert functions(diff.gone) == ["scale"]
    (change,) = diff.recompiles
    assert (change.before, change.after) == (1, 0)
    assert "expected 4, actual 6" in change.text
    for title in ("dynamo_output_graph", "aot_inference_graph"):
        graph = graphs(diff)["", title, 0]
        assert [node.kind for node in graph.added] == ["input"]
        assert graph.added[0].type.startswith("Sym(")
        assert (graph.removed, graph.changed, graph.rewired) == ((), (), ())
        assert {one.before.type for one in graph.retyped} <= {
            "f32[4, 5][5, 1]cpu",
            "f32[1, 5][5, 1]cpu",
        }


def test_the_same_twice() -> None:
    """Ids of objects, paths of caches and times are no change."""
    diff = pair("same")
    assert not diff
    assert diff.same_artifacts > 0
    assert diff.times["duration"][0] != diff.times["duration"][1]
    assert "nothing changed" in diff.to_text()


@pytest.mark.parametrize(
    "name", ["compiled_autograd", "train_many", "recompile_limit", "breaks"]
)
def test_a_run_and_itself(name: str) -> None:
    for version in ("2.4.1", "2.6.0", "2.13.0"):
        folder = case(f"{version}/{name}").folder / "trace"
        if folder.exists():
            diff = diff_traces(read_trace(folder), read_trace(folder))
            assert not diff
            assert (diff.new, diff.gone, diff.alike_artifacts) == ((), (), 0)


@pytest.mark.parametrize("versions", [("2.4.1", "2.13.0"), ("2.6.0", "2.13.0")])
def test_versions_of_pytorch(versions: tuple[str, str]) -> None:
    """The function and its graphs are those of the scenario in each version."""
    traces = [
        read_trace(case(f"{version}/compiled_autograd").folder / "trace")
        for version in versions
    ]
    diff = diff_traces(*traces)
    both = [one for one in diff.pairs if one.before and one.after]
    assert functions(both)[:2] == ["step", "step (after a graph break)"]
    compared = {
        one.title
        for one in diff.artifacts
        if one.name.role == "" and isinstance(one.detail, GraphDiff)
    }
    assert not compared & {
        "dynamo_output_graph",
        "aot_joint_graph",
        "aot_forward_graph",
    }


def test_ids_are_not_what_is_lined_up() -> None:
    """A new function that is compiled first gives all others new numbers."""
    f = [artifact("made_up", "one", at=at) for at in ("0/0", "1/0")]
    before = compiled("f", at="0/0") + f[0]
    after = compiled("new", line=90, at="0/0") + compiled("f", at="1/0") + f[1]
    diff = made_up(before, after)
    assert functions(diff.new) == ["new"]
    assert diff.gone == ()
    assert diff.same_artifacts == 1
    assert diff.artifacts == ()


def test_moved_resume_functions() -> None:
    """An edit above moved the break from line 8 to 20."""
    name = "torch_dynamo_resume_in_f_at_{}"
    before = compiled("f") + compiled(name.format(8), line=8, at="1/0")
    after = compiled("f") + compiled(name.format(20), line=20, at="1/0")
    diff = made_up(before, after)
    assert (diff.new, diff.gone) == ((), ())
    assert functions(diff.pairs) == ["f", "f (after a graph break)"]


def test_two_functions_of_one_name() -> None:
    """Of two `forward`s of a file one is gone: the one on that line."""
    before = compiled("forward", line=5, at="0/0") + compiled(
        "forward", line=40, at="1/0"
    )
    diff = made_up(before, compiled("forward", line=40, at="0/0"))
    assert [pair.before and pair.before.line for pair in diff.gone] == [5]


def reason(text: str, line: int, at: str) -> str:
    return artifact(
        "dynamo_graph_break_reason",
        f"Graph break in user code at /home/dev/model.py:{line}\n"
        f"Graph Break Reason: {text}\nUser code traceback:\n"
        f'  File "/home/dev/model.py", line {line}, in f\n    print(x)\n',
        at=at,
    )


def test_moved_and_new_graph_breaks() -> None:
    before = compiled("f") + reason("print", 4, "0/0")
    after = compiled("f") + reason("print", 14, "0/0") + reason("item", 15, "0/0")
    diff = made_up(before, after)
    assert [(one.text, one.before, one.after) for one in diff.graph_breaks] == [
        ("item", 0, 1)
    ]


def test_what_comes_and_goes_in_a_compile() -> None:
    before = compiled("f") + artifact("old", "a") + artifact("both", "a\nb")
    after = compiled("f") + artifact("both", "a\nc") + artifact("new", "x")
    diff = made_up(before, after)
    assert sorted((one.title, one.change) for one in diff.artifacts) == [
        ("both", "changed"),
        ("new", "new"),
        ("old", "gone"),
    ]
    (detail,) = [one.detail for one in diff.artifacts if one.title == "both"]
    assert detail is not None
    assert detail.to_dict() == {
        "kind": "lines",
        "added": 1,
        "removed": 1,
        "first": ["b", "c"],
    }


def test_ids_and_addresses_are_alike() -> None:
    before = compiled("f") + artifact("text", "object at 0x7f0000000010 id 140438097")
    after = compiled("f") + artifact("text", "object at 0x7fffffffff20 id 139686159")
    diff = made_up(before, after)
    assert not diff
    assert (diff.same_artifacts, diff.alike_artifacts) == (0, 1)


def test_outcomes_and_caches() -> None:
    before = compiled("f", metrics={"fail_type": "Boom", "fail_reason": "it"})
    before += artifact("fx_graph_cache_miss", json.dumps({"key": "a"}))
    after = compiled("f") + artifact("fx_graph_cache_hit", json.dumps({"key": "a"}))
    diff = made_up(before, after)
    assert [(p.before and p.before.outcome) for p in diff.outcomes] == ["failed"]
    assert [(c.cache, c.before, c.after) for c in diff.cache] == [
        ("fx_graph", "miss", "hit")
    ]
    assert diff.cache_counts["hit"] == (0, 1)
    text = diff.to_text()
    assert "f: failed -> " in text
    assert "fx_graph miss -> hit" in text


def test_ranks_are_compared_with_themselves() -> None:
    def run(operation: str) -> str:
        return "".join(
            compiled("f", rank=rank)
            + artifact("text", operation if rank else "as before", rank=rank)
            for rank in (0, 1)
        )

    diff = made_up(run("a"), run("b"))
    assert [one.name.rank for one in diff.artifacts] == [1]


def test_one_rank_of_a_run_and_a_run_without() -> None:
    diff = made_up(compiled("f", rank=0), compiled("f"))
    assert (diff.new, diff.gone) == ((), ())


def test_graphs_outside_of_compiles() -> None:
    """Up to 2.6 compiled autograd's graphs belong to no compile."""

    def run(operation: str) -> str:
        graph = (
            "class CompiledAutograd(torch.nn.Module):\n"
            "    def forward(self, inputs, sizes, hooks):\n"
            f"        getitem = inputs[0]\n        y = {operation}(getitem)\n"
            "        return []\n"
        )
        return compiled("f") + record({"compiled_autograd_graph": {}}, graph, at=None)

    (graph,) = graphs(made_up(run("torch.sin"), run("torch.cos"))).values()
    assert operations(one.after for one in graph.changed) == ["torch.cos"]


def test_too_large_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such payloads are told to differ, and are not read."""
    monkeypatch.setattr("pt2triage._traces.artifacts._LARGEST", 10)
    diff = made_up(
        compiled("f") + artifact("dynamo_output_graph", "a" * 11),
        compiled("f") + artifact("dynamo_output_graph", "b" * 11),
    )
    (one,) = diff.artifacts
    assert (one.change, one.detail) == ("changed", None)
    assert "too large to be compared" in diff.to_text()


def test_a_source_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(compiled("f") + artifact("text", "a"))
    before = read_trace(path)
    path.unlink()
    diff = diff_traces(
        before, read_trace((compiled("f") + artifact("text", "b")).encode())
    )
    assert [name for name, _ in diff.unread] == [str(path)]
    assert [one.detail for one in diff.artifacts] == [None]


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pt2triage", "diff", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_command() -> None:
    sides = (PAIRS / "fix" / "before", PAIRS / "fix" / "after")
    text = command(*sides)
    assert text.returncode == 0, text.stderr
    assert "compiles that are gone (1)\n  model (after a graph break)" in text.stdout
    made = json.loads(command("--format", "json", *sides).stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    assert made["trace"] == pair("fix").to_dict()


def test_command_with_a_glob() -> None:
    sides = (PAIRS / "train" / "before" / "*.log", PAIRS / "train" / "after" / "*.log")
    made = json.loads(command("--format", "json", *sides).stdout)
    details = [one["detail"]["kind"] for one in made["trace"]["artifacts"]]
    assert details.count("code") == 2
    assert made["trace"]["unread"] == []


def test_command_with_one_side_without_traces() -> None:
    log = case("2.13.0/breaks").log
    made = json.loads(command("--format", "json", log, PAIRS / "fix" / "after").stdout)
    assert made["trace"] is None


def test_broken_files_stop_nothing(tmp_path: Path) -> None:
    """One file of a side is a cut archive; the others are compared."""
    for side in ("before", "after"):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "a.log").write_text(compiled("f") + artifact("text", side))
    (tmp_path / "after" / "b.log.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0")
    done = command("--format", "json", tmp_path / "before", tmp_path / "after")
    assert done.returncode == 2
    made = json.loads(done.stdout)
    assert [one["title"] for one in made["trace"]["artifacts"]] == ["text"]


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_texts(evil: str) -> None:
    name = evil[:50] or "x"
    graph = (
        "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_):\n"
        f"        # File: {evil}:3 in f, code: {evil}\n"
        "        y = torch.OPERATION(L_x_)\n        return (y,)\n"
    )
    sides = [
        compiled(name, file=f"/{name}.py")
        + record({"dynamo_output_graph": {}}, graph.replace("OPERATION", operation))
        + artifact(name, operation)
        for operation in ("sin", evil.replace("\n", " ") or "cos")
    ]
    text = made_up(*sides).to_text()
    assert all(c == "\n" or c.isprintable() for c in text)


def test_empty_traces() -> None:
    diff = diff_traces(read_trace(b""), read_trace(b"no trace"))
    assert not diff
    assert diff.times["duration"] == (None, None)
    assert pt2triage.diff(pt2triage.scan(b""), pt2triage.scan(b"")).traces is None
