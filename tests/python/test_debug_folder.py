"""Folders that TORCH_COMPILE_DEBUG=1 leaves: one source of many files."""

import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pt2triage
from cases import DATA, RunScan, scan
from pt2triage import OpenError, _debug_folder
from pt2triage._artifact_kinds import artifact_kind
from pt2triage.report.markdown import render_markdown
from pt2triage.report.text import render

REAL = DATA / "debug" / "2.13.0"
OLD = DATA / "debug" / "old_layout"
RUN = "run_1-pid_2"
FAILURE = b"torch._dynamo.exc.InternalTorchDynamoError: KeyError: 1\n"


def make(folder: Path, **files: bytes) -> Path:
    """A debug folder with these files; `__` in a name is a slash."""
    (folder / RUN / "torchdynamo").mkdir(parents=True)
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def only_source(report: dict[str, Any]) -> dict[str, Any]:
    (source,) = report["sources"]
    assert source["kind"] == "debug_folder"
    parts = source["bytes_parsed"] + source["bytes_plain"] + source["bytes_malformed"]
    assert parts == source["bytes"]
    result: dict[str, Any] = source
    return result


def by_path(source: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {artifact["path"]: artifact for artifact in source["artifacts"]}


# Real folders.


def test_real_folder() -> None:
    folder = REAL / "torch_compile_debug"
    report = scan(folder)
    source = only_source(report)
    assert source["name"] == str(folder)
    logs = [*folder.rglob("*.log")]
    assert source["bytes"] == sum(path.stat().st_size for path in logs)
    assert source["lines"] == sum(path.read_bytes().count(b"\n") for path in logs)
    assert source["torch_version"].startswith("2.13.0")
    paths = [a["path"] for a in source["artifacts"]]
    files = [p for p in folder.rglob("*") if p.is_file()]
    assert paths == sorted(p.relative_to(folder).as_posix() for p in files)
    assert [f["category"] for f in report["findings"]] == [
        "backend_compiler_failed",
        "graph_break",
    ]
    assert report["counts"]["graph_breaks"] == 1
    assert report["counts"]["exceptions"] == 1


def test_kinds_and_compiles_of_a_real_folder() -> None:
    source = only_source(scan(REAL / "torch_compile_debug"))
    graph = "model__0_inference_0.0"
    found = {
        Path(a["path"]).name: (a["kind"], a["graph"], a["compile_id"])
        for a in source["artifacts"]
    }
    assert found == {
        "minifier_launcher.py": ("minifier_launcher", None, None),
        "debug.log": ("log", None, None),
        "aot_model___0_debug.log": ("log", None, None),
        "fx_graph_readable.py": ("fx_graph_readable", graph, "0/0_1"),
        "fx_graph_runnable.py": ("fx_graph_runnable", graph, "0/0_1"),
        "fx_graph_transformed.py": ("fx_graph_transformed", graph, "0/0_1"),
        "inductor_provenance_tracking_node_mappings.json": (
            "provenance",
            graph,
            "0/0_1",
        ),
        "ir_post_fusion.txt": ("ir_post_fusion", graph, "0/0_1"),
        "ir_pre_fusion.txt": ("ir_pre_fusion", graph, "0/0_1"),
        "output_code.py": ("output_code", graph, "0/0_1"),
        "dedicated_log_torch_trace_v7mjaia1.log": ("trace", None, None),
    }


def test_evidence_can_be_looked_up() -> None:
    folder = REAL / "torch_compile_debug"
    for finding in scan(folder)["findings"]:
        for place in finding["evidence"]:
            name, _, member = place["source"].partition("!")
            assert name == str(folder)
            data = (folder / member).read_bytes()
            assert data.count(b"\n", 0, place["offset"]) + 1 == place["line"]
            assert place["offset"] + place["length"] <= len(data)


def test_a_log_and_the_folder_give_each_event_once() -> None:
    log, folder = REAL / "run.log", REAL / "torch_compile_debug"
    report = scan([log, folder])
    assert report["counts"] == scan(log)["counts"]
    assert [s["name"] for s in report["sources"]] == [str(log), str(folder)]
    # The traceback prints no compile id; the trace in the folder has it.
    assert report["findings"][0]["compile_id"] == "0/0_1"
    assert "!" not in report["findings"][0]["evidence"][0]["source"]


def test_a_folder_around_it(run_scan: RunScan) -> None:
    report = scan(REAL)
    assert [(Path(s["name"]).name, s["kind"]) for s in report["sources"]] == [
        ("run.log", "torch_logs"),
        ("torch_compile_debug", "debug_folder"),
    ]
    done = run_scan("--format", "json", REAL)
    assert done.returncode == 0
    assert json.loads(done.stdout) == report


def test_one_run_of_it() -> None:
    (run,) = (REAL / "torch_compile_debug").glob("run_*")
    source = only_source(scan(run))
    paths = by_path(source)
    assert paths["minifier/minifier_launcher.py"]["kind"] == "minifier_launcher"
    code = paths["torchinductor/model__0_inference_0.0/output_code.py"]
    assert code["graph"] == "model__0_inference_0.0"
    assert code["compile_id"] is None
    # With a trace or a log beside it there is proof.
    trace = next((REAL / "torch_compile_debug" / "tlparse").iterdir())
    for other in (trace, REAL / "run.log"):
        source = scan([run, other])["sources"][0]
        code = by_path(source)["torchinductor/model__0_inference_0.0/output_code.py"]
        assert code["compile_id"] == "0/0_1"


def test_moved_and_renamed_folder(tmp_path: Path) -> None:
    folder = tmp_path / "from the other machine"
    shutil.copytree(REAL / "torch_compile_debug", folder)
    assert only_source(scan(folder))["trace_records"] == 9


def test_command_and_api_agree(run_scan: RunScan) -> None:
    for folder in (REAL / "torch_compile_debug", OLD / "torch_compile_debug"):
        done = run_scan("--format", "json", folder)
        assert done.returncode == 0
        assert done.stderr == b""
        assert done.stdout.decode() == pt2triage.scan(folder).to_json() + "\n"


# The layout of older versions.


def test_old_layout() -> None:
    report = scan(OLD / "torch_compile_debug")
    source = only_source(report)
    # Only the log's exception: what stands in generated code is not read.
    assert [f["exception"] for f in report["findings"]] == [
        "torch._dynamo.exc.Unsupported"
    ]
    (place,) = report["findings"][0]["evidence"]
    assert place["source"].endswith(
        "!run_2024_03_01_10_00_00_000001-pid_77/torchdynamo/debug.log"
    )
    kinds = {a["kind"] for a in source["artifacts"]}
    assert kinds >= {"minifier_launcher", "checkpoint", "repro", "log", "other"}
    assert {a["compile_id"] for a in source["artifacts"]} == {None}


def test_a_log_names_the_folders() -> None:
    report = scan(OLD)
    assert [s["kind"] for s in report["sources"]] == ["torch_logs", "debug_folder"]
    for artifact in report["sources"][1]["artifacts"]:
        expected = None if artifact["graph"] is None else "0/0"
        assert artifact["compile_id"] == expected, artifact


def test_scripts_have_commands() -> None:
    folder = OLD / "torch_compile_debug"
    for artifact in only_source(scan(folder))["artifacts"]:
        script = artifact["kind"] in {
            "minifier_launcher",
            "checkpoint",
            "repro",
            "fx_graph_runnable",
        }
        expected = f"python {folder / artifact['path']}" if script else None
        assert artifact["command"] == expected


# What proves a compile.


def envelope(key: str, compile_id: tuple[int, int], payload: bytes) -> bytes:
    fields = {
        **({"artifact": {"name": key}} if key == "fx_graph_runnable" else {key: {}}),
        "frame_id": compile_id[0],
        "frame_compile_id": compile_id[1],
        "attempt": 0,
        "has_payload": hashlib.md5(payload).hexdigest(),
    }
    lines = b"".join(b"\t" + line + b"\n" for line in payload.split(b"\n"))
    prefix = b"V1129 15:22:18.930000 9 torch/a.py:1] "
    return prefix + json.dumps(fields).encode() + b"\n" + lines


CODE = "run_1-pid_2__torchinductor__g.0__output_code.py"


@pytest.mark.parametrize("key", ["inductor_output_code", "fx_graph_runnable"])
def test_equal_payload(tmp_path: Path, key: str) -> None:
    folder = make(tmp_path / "d", **{CODE: b"one\n\ntwo"})
    trace = write(tmp_path / "t.log", envelope(key, (3, 1), b"one\n\ntwo"))
    assert compile_ids(folder, trace) == ["3/1"]
    trace.write_bytes(envelope(key, (3, 1), b"one\n\nthree"))
    assert compile_ids(folder, trace) == [None]


def test_equal_payload_of_two_compiles_proves_nothing(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", **{CODE: b"x"})
    both = b"".join(
        envelope("inductor_output_code", (0, number), b"x") for number in (0, 1)
    )
    trace = write(tmp_path / "t.log", both)
    assert compile_ids(folder, trace) == [None]
    note = (
        "W1129 22:42:40.699000 9 torch/_inductor/debug.py:545] [0/1] g debug trace: "
        f"/elsewhere/{RUN}/torchinductor/g.0\n"
    )
    log = write(tmp_path / "run.log", note.encode())
    assert compile_ids(folder, trace, log) == ["0/1"]


def test_note_of_another_run_proves_nothing(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", **{CODE: b"x"})
    note = (
        b"W1129 22:42:40.699000 9 torch/_inductor/debug.py:545] [0/1] g debug trace: "
        b"/elsewhere/run_1-pid_3/torchinductor/g.0\n"
    )
    assert compile_ids(folder, write(tmp_path / "run.log", note)) == [None]


def compile_ids(*paths: Path) -> list[str | None]:
    source = scan(list(paths))["sources"][0]
    return [a["compile_id"] for a in source["artifacts"] if a["graph"]]


# What is a debug folder, and what is in it.


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("run_1-pid_2/torchinductor/g.0/output_code.cpp", "output_code"),
        ("run_1-pid_2/torchinductor/g.0/info.log", "log"),
        ("run_1-pid_2/torchinductor/g.0/compile.stats", "other"),
        ("run_1-pid_2/minifier/checkpoints/3.py", "checkpoint"),
        ("run_1-pid_2/minifier/checkpoints/storages/3", "other"),
        ("run_1-pid_2/error_recordings/f_KeyError_3.rec", "other"),
        ("run_1-pid_2/notes.txt", "other"),
        ("tlparse/dedicated_log_torch_trace_rank_0_x.log", "trace"),
        ("train.log", "log"),
        ("stderr.1.txt", "log"),
        ("sub/nohup.out", "log"),
        ("output", "log"),
        ("train.py", "other"),
        ("repro.py", "repro"),
        ("a\nb.log", "log"),
    ],
)
def test_kind_of(path: str, kind: str) -> None:
    assert artifact_kind(path) == kind


@pytest.mark.parametrize("part", ["torchinductor", "torchdynamo", "minifier"])
def test_is_known_by_its_structure(tmp_path: Path, part: str) -> None:
    (tmp_path / RUN / part).mkdir(parents=True)
    assert only_source(scan(tmp_path))["artifacts"] == []
    assert only_source(scan(tmp_path / RUN))["artifacts"] == []


def test_a_name_alone_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "torch_compile_debug"
    write(folder / "run_1-pid_2" / "x.log", b"text\n")
    write(folder / "run_1" / "torchinductor" / "x.log", b"text\n")
    write(folder / "run_2-pid_2", b"text\n")
    assert [s["kind"] for s in scan(folder)["sources"]] == ["text"] * 3


def test_files_beside_the_runs_are_of_it(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    write(folder / "train.log", FAILURE)
    write(folder / "train.py", FAILURE)
    report = scan(folder)
    assert only_source(report)["bytes"] == len(FAILURE)
    assert report["findings"][0]["evidence"][0]["source"] == f"{folder}!train.log"
    assert report["findings"][0]["count"] == 1


def test_order_and_places(tmp_path: Path, run_scan: RunScan) -> None:
    folder = make(tmp_path / "m", run_1_pid_2__x=b"")
    write(folder / RUN / "torchdynamo" / "debug.log", b"a\n")
    write(folder / "b.log", b"b\n")
    for name in ("a.log", "z.log"):
        write(tmp_path / name, b"text\n")
    done = run_scan("--format", "json", "a.log", "m", "-", "z.log", stdin=b"in\n")
    sources = json.loads(done.stdout)["sources"]
    assert [s["name"] for s in sources] == ["a.log", "m", "<stdin>", "z.log"]
    assert [s["bytes"] for s in sources] == [5, 4, 3, 5]


def test_nothing_is_read_twice(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    log = write(folder / "x.log", FAILURE)
    for paths in ([folder, folder], [folder, log], [folder, tmp_path]):
        report = scan(list(paths))
        assert only_source(report)["bytes"] == len(FAILURE)
    report = scan([log, folder])
    assert [s["bytes"] for s in report["sources"]] == [len(FAILURE), 0]
    assert report["counts"]["exceptions"] == 1
    assert report["sources"][1]["artifacts"][0]["kind"] == "log"


# Hostile folders.


def test_links_and_pipes_are_not_followed(tmp_path: Path, run_scan: RunScan) -> None:
    folder = make(tmp_path / "d")
    secret = write(tmp_path / "secret.log", FAILURE)
    (folder / "link.log").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    (folder / RUN / "torchinductor").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.log")
    done = run_scan("--format", "json", folder)
    report = json.loads(done.stdout)
    assert only_source(report)["artifacts"] == []
    assert done.stderr.decode() == (
        "pt2triage: skipped in folders: 3 links, 1 special\n"
    )


def test_linked_runs_are_no_runs(tmp_path: Path) -> None:
    make(tmp_path / "d")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / RUN).symlink_to(tmp_path / "d" / RUN)
    assert scan(tmp_path / "other")["sources"] == []


def test_binary_log_is_listed_only(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    write(folder / "x.log", bytes(range(256)) * 16)
    source = only_source(scan(folder))
    assert source["bytes"] == 0
    assert [a["kind"] for a in source["artifacts"]] == ["other"]


def test_number_of_files_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_debug_folder, "MAX_ARTIFACTS", 4)
    folder = make(tmp_path / "d")
    for number in range(6):
        write(folder / RUN / f"{number}.bin", b"")
    write(folder / RUN / "minifier_launcher.py", b"")
    write(folder / "x.log", FAILURE)
    source = only_source(scan(folder))
    assert source["omitted_artifacts"] == 4
    assert [Path(a["path"]).name for a in source["artifacts"]] == [
        "0.bin",
        "1.bin",
        "minifier_launcher.py",
        "x.log",
    ]
    for number in range(6):
        write(folder / f"{number}.log", b"text\n")
    source = only_source(scan(folder))
    assert source["bytes"] == 20
    assert len(source["artifacts"]) == 4
    assert source["omitted_artifacts"] == 10


def test_unreadable_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that goes away after it was found."""
    folder = make(tmp_path / "d")
    write(folder / "x.log", FAILURE)
    gone = write(folder / "y.log", FAILURE)
    original = pt2triage._outcomes.scan_inputs

    def scan_inputs(*args: Any, **options: Any) -> Any:
        gone.unlink()
        return original(*args, **options)

    monkeypatch.setattr(pt2triage._scan, "scan_inputs", scan_inputs)
    with pytest.raises(OpenError) as raised:
        pt2triage.scan(folder)
    assert raised.value.filename == str(gone)


def test_odd_names(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    name = os.fsdecode(b"\x1b[31m\n\xff'; rm -rf ~ #.py")
    write(folder / RUN / "minifier" / "checkpoints" / name, b"")
    report = pt2triage.scan(folder)
    (artifact,) = report.sources[0].artifacts
    assert artifact.kind == "checkpoint"
    text = render(report)
    assert "\x1b" not in text
    assert "\\x1b" in text
    assert json.loads(report.to_json())
    assert artifact.command is not None
    assert artifact.command.startswith("python '")


def test_name_like_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "-c")
    write(tmp_path / "-c" / "repro.py", b"")
    monkeypatch.chdir(tmp_path)
    (artifact,) = only_source(scan("-c"))["artifacts"]
    assert artifact["command"] == "python ./-c/repro.py"


# What a user sees.


def test_text_names_the_files_to_open() -> None:
    folder = REAL / "torch_compile_debug"
    (run,) = folder.glob("run_*")
    text = pt2triage.scan(folder).to_text()
    graph = run / "torchinductor" / "model__0_inference_0.0"
    assert f"\nFiles of compile 0/0_1 in {graph}\n  output_code.py  " in text
    launcher = run / "minifier" / "minifier_launcher.py"
    assert f"\n  $ python {launcher}  makes the failing graph smaller\n" in text


def test_text_of_a_folder_without_findings(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    write(folder / RUN / "minifier" / "minifier_launcher.py", b"")
    text = pt2triage.scan(folder).to_text()
    assert text.startswith("Nothing failed in ")
    assert "minifier_launcher.py" in text


def test_objects(tmp_path: Path) -> None:
    report = pt2triage.scan(REAL / "torch_compile_debug")
    source = report.sources[0]
    artifact = source.artifacts[0]
    assert isinstance(artifact, pt2triage.Artifact)
    assert repr(artifact).startswith("Artifact(path='run_2026")
    assert pickle.loads(pickle.dumps(artifact)) == artifact
    assert pickle.loads(pickle.dumps(report)) == report
    finding = report.findings[0]
    again = pickle.loads(pickle.dumps(finding))
    assert again.evidence == finding.evidence
    assert "!" in again.evidence[0].source
    assert report.only("other").sources == report.sources
    assert pt2triage.scan(b"").sources[0].artifacts == ()


def test_schema() -> None:
    text = (Path(pt2triage.__file__).parent / "report.schema.json").read_text()
    validator = jsonschema.Draft202012Validator(json.loads(text))
    for path in (REAL, OLD):
        validator.validate(scan(path))


def test_markdown_quotes_the_file() -> None:
    text = render_markdown(pt2triage.scan(OLD / "torch_compile_debug"))
    assert "torchdynamo/debug.log" in text
    assert "self.head.refresh()" in text
    assert 'File "/home/dev/job/train.py", line 30' in text
