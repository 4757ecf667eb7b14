"""Ranks of one run compared: where they differ first, and where nothing is known."""

import gzip
import json
from pathlib import Path

import pytest

import pt2triage
from cases import DATA, case
from pt2triage import OpenError, RankComparison, compare_ranks
from pt2triage.report.layout import plain
from pt2triage.report.trace_ranks_text import render_ranks
from trace_lines import artifact, compiled, record

TWO = case("2.13.0/two_ranks").folder / "trace"
TOPICS = (
    *("compile_ids", "functions", "graph_breaks", "recompiles", "cache"),
    *("guards", "graphs", "collectives", "tensor_metadata"),
)


def compared(folder: Path) -> RankComparison:
    return compare_ranks(pt2triage.read_trace(folder))


def verdicts(comparison: RankComparison) -> dict[str, str]:
    return {topic.name: topic.verdict for topic in comparison.topics}


def run(folder: Path, *ranks: str, names: tuple[str, ...] = ()) -> Path:
    """A folder with a synthetic trace for each rank."""
    for rank, text in enumerate(ranks):
        name = f"dedicated_log_torch_trace_rank_{rank}_abcdefgh.log"
        (folder / (names[rank] if names else name)).write_text(text)
    return folder


def two(folder: Path, first: str, second: str) -> RankComparison:
    """Two ranks that have a compile in common, and each what is given."""
    both = [
        compiled("step", rank=rank) + text for rank, text in enumerate((first, second))
    ]
    return compared(run(folder, *both))


def test_ranks_of_a_real_run() -> None:
    """`if rank == 1: print(...)` breaks the graph on rank 1 only; all that follows
    from it comes later, so the print is the first difference."""
    made = compared(TWO)
    assert made.ranks == (0, 1)
    first = made.first
    assert first is not None
    assert (first.topic, first.compile_id) == ("graph_breaks", "4/0")
    with_it, without = sorted(first.values, key=lambda v: v.file is None)
    assert with_it.ranks == (1,)
    assert without.ranks == (0,)
    assert without.text == "none"
    assert with_it.file is not None
    assert Path(with_it.file).name == "cases.py"
    assert with_it.line == 240
    assert "print" in with_it.text


def test_what_follows_from_it() -> None:
    """Only rank 1 compiles the rest of the function, once for each batch size."""
    topic = compared(TWO).topic("compile_ids")
    assert topic.verdict == "differs"
    assert [one.compile_id for one in topic.differences] == ["5/0", "5/1"]
    for one in topic.differences:
        assert {value.ranks: value.text for value in one.values} == {
            (0,): "no such compile",
            (1,): "torch_dynamo_resume_in_f_at_240",
        }


def test_nothing_is_the_same_without_data() -> None:
    """The trace was cut, and ran without caches: that is not agreement."""
    found = verdicts(compared(TWO))
    assert tuple(found) == TOPICS
    assert found["cache"] == found["tensor_metadata"] == "no data"
    assert found["functions"] == found["recompiles"] == "same"


TENSORS = json.dumps(
    {
        "ops": [
            {
                "name": "op0",
                "type": "compute",
                "estimated_runtime_ns": 12.5,
                "outputs": [{"shape": [4, 8], "stride": [8, 1], "dtype": "float32"}],
            }
        ]
    }
)
META = "inductor_runtime_and_tensor_meta"


def test_tensor_metadata_that_one_rank_lacks(tmp_path: Path) -> None:
    topic = two(tmp_path, artifact(META, TENSORS, rank=0), "").topic("tensor_metadata")
    assert topic.verdict == "no data"
    assert topic.without == (1,)


def test_two_that_agree_do_not_speak_for_a_third(tmp_path: Path) -> None:
    texts = [
        compiled("step", rank=rank)
        + (artifact(META, TENSORS, rank=rank) if rank != 1 else "")
        for rank in range(3)
    ]
    made = compared(run(tmp_path, *texts))
    topic = made.topic("tensor_metadata")
    assert (topic.verdict, topic.without, topic.compared) == ("no data", (1,), 2)
    assert "no data of rank 1; the other 2 are the same" in plain(render_ranks(made))


def test_estimated_times_are_no_difference(tmp_path: Path) -> None:
    later = TENSORS.replace("12.5", "99.0")
    made = two(tmp_path, artifact(META, TENSORS, rank=0), artifact(META, later, rank=1))
    assert made.topic("tensor_metadata").verdict == "same"


def test_another_stride(tmp_path: Path) -> None:
    other = TENSORS.replace("[8, 1]", "[1, 4]")
    made = two(tmp_path, artifact(META, TENSORS, rank=0), artifact(META, other, rank=1))
    topic = made.topic("tensor_metadata")
    assert topic.verdict == "differs"
    assert [value.text for value in topic.differences[0].values] == [
        "compute op0: float32 [4, 8] strides [8, 1]",
        "compute op0: float32 [4, 8] strides [1, 4]",
    ]


SCHEDULE = ("all_reduce_", "wait_tensor", "all_gather_into_tensor")


def schedule(*names: str, rank: int) -> str:
    operations = [f"torch.ops._c10d_functional.{name}.default" for name in names]
    return artifact("inductor_collective_schedule", json.dumps(operations), rank=rank)


def test_swapped_collectives(tmp_path: Path) -> None:
    made = two(tmp_path, schedule(*SCHEDULE, rank=0), schedule(*SCHEDULE[::-1], rank=1))
    topic = made.topic("collectives")
    assert topic.verdict == "differs"
    assert [value.text for value in topic.differences[0].values] == [
        "operation 1 is _c10d_functional.all_reduce_.default",
        "operation 1 is _c10d_functional.all_gather_into_tensor.default",
    ]


def test_a_collective_that_is_missing_at_the_end(tmp_path: Path) -> None:
    made = two(tmp_path, schedule(*SCHEDULE, rank=0), schedule(*SCHEDULE[:2], rank=1))
    values = made.topic("collectives").differences[0].values
    assert [value.text for value in values] == [
        "operation 3 is _c10d_functional.all_gather_into_tensor.default",
        "none after 2",
    ]


CALLS = """\
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[4]{device}"):
         # File: /home/dev/model.py:5 in step, code: y = reduce(x)
        a: "f32[4]{device}" = torch.ops._c10d_functional.{first}.default(arg0_1, '0')
         # File: /home/dev/model.py:6 in step, code: z = gather(y)
        b: "f32[4]{device}" = torch.ops._c10d_functional.{second}.default(a, '0')
        return (b,)
"""


def graph(rank: int, first: str = "all_reduce", second: str = "broadcast") -> str:
    text = CALLS.format(device=f"cuda:{rank}", first=first, second=second)
    return record({"aot_inference_graph": {}}, text, rank=rank)


def test_collectives_of_graphs(tmp_path: Path) -> None:
    """Without a schedule the graphs say which line calls what."""
    made = two(tmp_path, graph(0), graph(1, second="reduce_scatter_tensor"))
    values = made.topic("collectives").differences[0].values
    assert [(v.ranks, v.text, v.file, v.line) for v in values] == [
        ((0,), "_c10d_functional.broadcast", "/home/dev/model.py", 6),
        ((1,), "_c10d_functional.reduce_scatter_tensor", "/home/dev/model.py", 6),
    ]


def test_collectives_that_only_one_rank_tells(tmp_path: Path) -> None:
    topic = two(tmp_path, graph(0), "").topic("collectives")
    assert (topic.verdict, topic.without) == ("no data", (1,))


def output_graph(rank: int, operation: str = "torch.sin(l_x_)") -> str:
    text = (
        "class GraphModule(torch.nn.Module):\n"
        f'    def forward(self, L_x_: "f32[4]cuda:{rank}"):\n'
        "        l_x_ = L_x_\n"
        f"         # File: /job/{rank}/model.py:{5 + rank} in step, code: y = sin(x)\n"
        f'        y: "f32[4]cuda:{rank}" = {operation};  l_x_ = None\n'
        "        return (y,)\n"
    )
    return record({"dynamo_output_graph": {"sizes": {"y": [4]}}}, text, rank=rank)


def test_each_rank_has_its_own_device(tmp_path: Path) -> None:
    """The printed graphs have other checksums, and are the same graph."""
    made = two(tmp_path, output_graph(0), output_graph(1))
    hashes = {row.graph_hash for row in pt2triage.read_trace(tmp_path).compiles}
    assert len(hashes) == 2
    assert made.topic("graphs").verdict == "same"


def test_another_graph(tmp_path: Path) -> None:
    made = two(tmp_path, output_graph(0), output_graph(1, "torch.cos(l_x_)"))
    first = made.first
    assert first is not None
    assert first.topic == "graphs"
    assert [(v.file, v.line) for v in first.values] == [
        ("/job/0/model.py", 5),
        ("/job/1/model.py", 6),
    ]
    assert ["sin" in v.text for v in first.values] == [True, False]


def guards(rank: int, object_id: int, size: int = 4) -> str:
    tensor = f"check_tensor(L['x'], Tensor, device={rank}, size=[{size}])"
    text = f"""
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- TENSOR_MATCH: {tensor}  # y = sin(x)  # model.py:5 in step
| +- ID_MATCH: ___check_obj_id(G['f'], {object_id})  # f(x)  # model.py:6 in step

Guard latency = {object_id % 97}.25 us"""
    return record({"dynamo_cpp_guards_str": {}}, text, rank=rank)


def test_ids_of_objects_are_no_difference(tmp_path: Path) -> None:
    made = two(tmp_path, guards(0, 139686159462576), guards(1, 140438097898672))
    assert made.topic("guards").verdict == "same"


def test_another_guard(tmp_path: Path) -> None:
    made = two(tmp_path, guards(0, 139686159462576), guards(1, 139686159462576, 5))
    values = made.topic("guards").differences[0].values
    assert [(v.file, v.line) for v in values] == [("model.py", 5)] * 2
    assert ["size=[4]" in v.text for v in values] == [True, False]


def test_compiles_in_another_order(tmp_path: Path) -> None:
    """Each rank has both compiles; their order is what can hang."""
    texts = [
        compiled("a", at="0/0", rank=0) + compiled("b", at="1/0", rank=0, start=1),
        compiled("b", at="1/0", rank=1) + compiled("a", at="0/0", rank=1, start=1),
    ]
    topic = compared(run(tmp_path, *texts)).topic("compile_ids")
    assert topic.verdict == "differs"
    assert topic.total == 1
    assert sorted(value.text for value in topic.differences[0].values) == [
        "0/0 a as compile 1",
        "1/0 b as compile 1",
    ]


def test_another_function_under_one_id(tmp_path: Path) -> None:
    made = compared(
        run(tmp_path, compiled("step", rank=0), compiled("other", rank=1, line=9))
    )
    assert made.first is not None
    assert made.first.topic == "functions"
    assert verdicts(made)["compile_ids"] == "same"


def test_an_old_pytorch_tells_no_breaks(tmp_path: Path) -> None:
    """2.4.1 writes no records of breaks and recompiles: not known to be none."""
    old = {"is_forward": None, "start_time_us": None, "start_time": 17.0}
    made = compared(
        run(tmp_path, *(compiled("step", rank=r, metrics=old) for r in (0, 1)))
    )
    found = verdicts(made)
    assert found["graph_breaks"] == found["recompiles"] == "no data"
    assert found["compile_ids"] == "same"


def test_a_rank_whose_file_is_empty(tmp_path: Path) -> None:
    made = compared(run(tmp_path, compiled("step", rank=0), ""))
    assert made.empty == (1,)
    assert set(verdicts(made).values()) == {"no data"}


def test_a_rank_that_is_not_there(tmp_path: Path) -> None:
    run(tmp_path, *(compiled("step", rank=rank) for rank in (0, 1, 2)))
    (tmp_path / "dedicated_log_torch_trace_rank_1_abcdefgh.log").unlink()
    made = compared(tmp_path)
    assert made.absent == (1,)
    assert "No trace of rank 1." in plain(render_ranks(made))


def test_two_files_of_one_rank(tmp_path: Path) -> None:
    """A rank that was started again: its compiles are taken together, in order,
    and the second `0/0` is compared with the other rank's second."""
    for rank in (0, 1):
        for part in (0, 1):
            function = "other" if (rank, part) == (1, 1) else "step"
            text = compiled(function, rank=rank, second=30 * part, start=30 * part)
            name = f"dedicated_log_torch_trace_rank_{rank}_{'ba'[part]}.log"
            (tmp_path / name).write_text(text)
    made = compared(tmp_path)
    assert [len(names) for names in made.several.values()] == [2, 2]
    assert made.first is not None
    assert (made.first.topic, made.first.part) == ("functions", 1)
    assert made.topic("compile_ids").verdict == "same"
    told = plain(render_ranks(made))
    assert "Rank 0 has 2 files, taken in order:" in told
    assert told.index("rank_0_b.log") < told.index("rank_0_a.log")


def test_a_file_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    texts = [
        compiled("step", rank=r) + output_graph(r, f"torch.{name}(l_x_)")
        for r, name in enumerate(("sin", "sin", "cos"))
    ]
    files = sorted(run(tmp_path, *texts).iterdir())
    trace = pt2triage.read_trace(files)
    files[1].unlink()
    made = compare_ranks(trace)
    assert [name for name, _ in made.unread] == [str(files[1])]
    topic = made.topic("graphs")
    assert (topic.verdict, topic.without) == ("differs", (1,))
    assert [value.ranks for value in topic.differences[0].values] == [(0,), (2,)]
    assert "Could not be read: " in plain(render_ranks(made))


def test_a_rank_that_could_not_be_read(tmp_path: Path) -> None:
    run(tmp_path, compiled("step", rank=0), compiled("step", rank=1))
    error = OpenError(5, "bad", "/x/dedicated_log_torch_trace_rank_2_abc.log.gz")
    trace = pt2triage.read_trace(tmp_path)
    made = compare_ranks(trace, unread=[error])
    assert made.ranks == (0, 1, 2)
    assert made.empty == (2,)
    assert verdicts(made)["compile_ids"] == "no data"
    assert made.topic("compile_ids").compared == 2


def test_one_rank_and_none(tmp_path: Path) -> None:
    assert "Only rank 0" in plain(
        render_ranks(compared(run(tmp_path, compiled("step", rank=0))))
    )
    made = compare_ranks(pt2triage.read_trace(compiled("step").encode()))
    assert "No rank is told" in plain(render_ranks(made))
    assert not made
    assert set(verdicts(made).values()) == {"no data"}


def test_content_instead_of_paths() -> None:
    """Ranks in one stream of bytes, as a merged log has them."""
    both = compiled("step", rank=0) + output_graph(0)
    made = compare_ranks(pt2triage.read_trace(both.encode()))
    assert made.ranks == (0,)


def test_many_ranks_are_grouped(tmp_path: Path) -> None:
    texts = [
        compiled("step", rank=r)
        + output_graph(r, f"torch.{'cos' if r == 37 else 'sin'}(x)")
        for r in range(64)
    ]
    made = compared(run(tmp_path, *texts))
    assert made.first is not None
    ranks = [value.ranks for value in made.first.values]
    assert ranks == [tuple(r for r in range(64) if r != 37), (37,)]
    assert "ranks 0-36, 38-63: " in plain(render_ranks(made))


def test_compressed_files(tmp_path: Path) -> None:
    for path in TWO.glob("*.log"):
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert verdicts(compared(tmp_path)) == verdicts(compared(TWO))


@pytest.mark.parametrize("width", [0, 60, 100, 300])
def test_text_is_safe_and_json_is_plain(tmp_path: Path, width: int) -> None:
    evil = "\x1b[31mx\u202e\x07"
    first = compiled(evil, rank=0, file=f"/{evil}.py") + output_graph(0, evil)
    made = compared(run(tmp_path, first, compiled("b", rank=1) + output_graph(1)))
    text = plain(render_ranks(made, width))
    assert not set(text) & set("\x1b\u202e\x07")
    assert json.loads(json.dumps(made.to_dict()))["first"]["topic"] == "functions"


def test_a_huge_rank() -> None:
    text = compiled("step", rank=0) + compiled("step", rank=900_000_000)
    made = compare_ranks(pt2triage.read_trace(text.encode()))
    assert len(made.absent) <= 16


REAL = DATA / "ranks"


def test_real_collectives() -> None:
    """Two ranks do the same: nothing differs but what is each process's own."""
    found = verdicts(compared(REAL / "same"))
    assert found.pop("cache") == "no data"
    assert set(found.values()) == {"same"}


def test_real_batch_sizes() -> None:
    """Rank 1 has a smaller batch: the same operations and collectives on tensors of
    other sizes, first seen by the guard on the input."""
    made = compared(REAL / "half")
    found = verdicts(made)
    assert found["collectives"] == found["compile_ids"] == "same"
    assert found["guards"] == found["graphs"] == found["tensor_metadata"] == "differs"
    assert made.first is not None
    assert made.first.topic == "guards"
    texts = [value.text for value in made.first.values]
    assert ["size=[4, 8]" in text for text in texts] == [True, False]
    assert "size=[2, 8]" in texts[1]


def test_real_files_without_tensor_metadata(tmp_path: Path) -> None:
    """The real run, of which rank 1's metadata was taken out."""
    for path in (REAL / "same").glob("*.log"):
        kept: list[str] = []
        dropping = False
        for line in path.read_text().splitlines(keepends=True):
            if line.startswith("V"):
                dropping = "rank_1" in path.name and META in line
            if not dropping:
                kept.append(line)
        (tmp_path / path.name).write_text("".join(kept))
    topic = compared(tmp_path).topic("tensor_metadata")
    assert (topic.verdict, topic.without) == ("no data", (1,))
