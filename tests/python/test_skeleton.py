"""The unit test that is written for a finding."""

import ast
import importlib.util
import io
import json
import os
import subprocess
import sys
import tokenize
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cases import ROOT, RunScan, case
from pt2triage import CATEGORIES, _core
from pt2triage.skeleton.render import make_skeleton
from pt2triage.skeleton.sample import Sample
from pt2triage.skeleton.table import SAMPLES, sample_for

HOSTILE = (
    "\n    import os; os.system('x')  #",
    "'''\"\"\"\\",
    "# -*- coding: utf-7 -*-",
    "a\rb\x0cc\x00d\u2028e",
    "{{ 7 * 7 }}{% raw %}",
    "\udcff\U0001f600",
    "x" * 100_000,
)


def finding(category: str, cause: str, **more: Any) -> Any:
    """A finding with only what a skeleton looks at."""
    known: dict[str, Any] = {
        "compile_mode": None,
        "exception": None,
        "message": None,
        "reason": None,
        "backend": None,
        "test_id": None,
        "user_frame": None,
        "guard_failures": [],
    }
    return SimpleNamespace(category=category, cause=cause, **(known | more))


def finding_of(sample: Sample) -> Any:
    return finding(
        sample.category,
        sample.cause,
        exception=sample.raises,
        compile_mode="export_strict" if sample.export else "compile",
    )


def hostile_finding(text: str, category: str = "graph_break") -> Any:
    frame = SimpleNamespace(file=text, line=3, function=text, code=text)
    return finding(
        category,
        text,
        exception=text,
        message=text,
        backend=text,
        test_id=text,
        user_frame=frame,
        guard_failures=[SimpleNamespace(guard=text)],
    )


def code_for(found: Any, file: str = "test_repro.py") -> str:
    skeleton = make_skeleton(found, file)
    assert skeleton is not None
    return skeleton.code


def tokens(code: str) -> list[str]:
    """What Python sees of it: all but comments and blank lines."""
    read = tokenize.generate_tokens(io.StringIO(code).readline)
    dull = (tokenize.COMMENT, tokenize.NL)
    return [token.string for token in read if token.type not in dull]


def test_every_cause_has_a_sample() -> None:
    known = {(row["category"], row["cause"]) for row in _core.causes()}
    sampled = {(sample.category, sample.cause) for sample in SAMPLES}
    assert {row for row in known if row[0] != "other"} <= sampled
    assert {category for category, _ in sampled} == set(CATEGORIES) - {"other"}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.category}-{s.cause}")
def test_sample_is_found_and_is_python(sample: Sample) -> None:
    assert sample_for(finding_of(sample)) is sample
    tree = ast.parse(code_for(finding_of(sample)))
    calls = ast.unparse(tree.body[-1])
    assert calls == "if __name__ == '__main__':\n    run_tests()"
    assert "from torch.testing._internal.common_utils import run_tests" in (
        ast.unparse(tree)
    )
    assert sample.topic.file.startswith("test/")
    assert not sample.topic.file.endswith("test_misc.py")


def test_unknown_cause_takes_the_other_sample() -> None:
    sample = sample_for(finding("graph_break", "of-tomorrow"))
    assert sample is not None
    assert sample.cause == "other"
    assert sample_for(finding("other", "other")) is None


def test_export_takes_the_sample_of_export() -> None:
    found = finding("graph_break", "constraint-violation", compile_mode="export_strict")
    sample = sample_for(found)
    assert sample is not None
    assert "torch.export.export" in sample.body
    assert sample.topic.file == "test/export/test_export.py"


@pytest.mark.parametrize("category", sorted({s.category for s in SAMPLES}))
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_of_a_log_leaves_its_comment(text: str, category: str) -> None:
    code = code_for(hostile_finding(text, category))
    plain = code_for(finding(category, "of-tomorrow"))
    assert code.isascii()
    assert tokens(code) == tokens(plain)
    assert all(len(line) < 300 for line in code.splitlines())
    # A coding cookie counts on the first two lines.
    assert not any("coding" in line for line in code.split("\n")[:2])


@pytest.mark.parametrize("name", ["a b.py", "a\nimport os\n.py", "'\".py"])
def test_name_of_the_file_stays_in_its_comment(name: str) -> None:
    found = finding("graph_break", "generator")
    assert tokens(code_for(found, name)) == tokens(code_for(found))


def test_log_code_is_there_to_replace() -> None:
    frame = SimpleNamespace(file="a.py", line=7, function="f", code="y = x.sin()")
    guard = SimpleNamespace(guard="n == 3")
    found = finding(
        "recompilation", "scalar-value", user_frame=frame, guard_failures=[guard]
    )
    code = code_for(found)
    assert "#   'a.py:7 in f'" in code
    assert "#   'y = x.sin()'" in code
    assert "#   'guard failed: n == 3'" in code


def test_command_writes_it(run_scan: RunScan, tmp_path: Path) -> None:
    log = case("2.13.0/backend_fail").log
    done = run_scan(log, "--unit-test", "test_it.py")
    assert done.returncode == 0
    assert b"BackendCompilerFailed: python test_it.py" in done.stderr
    code = (tmp_path / "test_it.py").read_text(encoding="utf-8")
    assert "my backend does not know this graph" in code
    assert "python test/dynamo/test_backends.py -k backend" in code


def test_command_keeps_somebodys_work(run_scan: RunScan, tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text("work", encoding="utf-8")
    done = run_scan(case("2.13.0/backend_fail").log, "--unit-test", file)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"is there already" in done.stderr
    assert file.read_text(encoding="utf-8") == "work"


@pytest.mark.parametrize(
    ("log", "sentence"),
    [(b"all is well\n", b"nothing failed"), (b"", b"nothing failed")],
)
def test_command_without_a_failure(
    run_scan: RunScan, tmp_path: Path, log: bytes, sentence: bytes
) -> None:
    done = run_scan("-", "--unit-test", "test_it.py", stdin=log)
    assert done.returncode == 0
    assert sentence in done.stderr
    assert not (tmp_path / "test_it.py").exists()


def test_command_with_a_failure_of_others(run_scan: RunScan, tmp_path: Path) -> None:
    log = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'
    log += b"KeyError: 'a'\n"
    done = run_scan("-", "--unit-test", "test_it.py", stdin=log)
    assert done.returncode == 0
    assert b"not one of torch.compile" in done.stderr
    assert not (tmp_path / "test_it.py").exists()


@pytest.mark.parametrize("file", ["-", ".", "no/such/folder.py"])
def test_command_with_a_bad_name(run_scan: RunScan, file: str) -> None:
    done = run_scan("-", "--unit-test", file, stdin=b"x")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def have(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) for module in modules)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The tests of all samples, and the class that each must fail with."""
    pytest.importorskip("torch")
    wanted: dict[str, str] = {}
    for number, sample in enumerate(SAMPLES):
        path = tmp_path / f"test_sample_{number:02}_{sample.cause}.py"
        path.write_text(code_for(finding_of(sample)), encoding="utf-8")
        wanted[str(path)] = sample.raises
    return wanted


@pytest.fixture(scope="module")
def torch_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One cache for all, other processes of pytest too: headers are compiled once."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TORCH")}
    kept.pop("CI", None)  # PyTorch's helpers import xmlrunner where it is set
    return kept | {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "torch_cache"),
        "PYTHONWARNINGS": "ignore",
        "INDUCTOR_TEST_DISABLE_FRESH_CACHE": "1",  # one header for all, not one each
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    }


@pytest.mark.torch
@pytest.mark.parametrize("helpers", [True, False], ids=["pytorch", "stand-in"])
def test_samples_fail_for_the_right_reason(
    files: dict[str, str],
    tmp_path: Path,
    torch_environment: dict[str, str],
    helpers: bool,
) -> None:
    if helpers and not have("expecttest", "numpy"):
        pytest.skip("PyTorch's test helpers need expecttest and numpy")
    out = tmp_path / "raised.json"
    runner = ROOT / "tests" / "skeleton_runner.py"
    done = subprocess.run(
        [sys.executable, runner, out, *files, *([] if helpers else ["--no-helpers"])],
        env=torch_environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(out.read_text(encoding="utf-8")) == files


@pytest.mark.torch
@pytest.mark.parametrize(
    ("category", "cause", "words"),
    [
        ("graph_break", "data-dependent-branch", b"exc.Unsupported: Data-dependent"),
        ("runtime_crash", "segfault", b"Fatal Python error: Segmentation fault"),
        ("runtime_crash", "abort", b"Fatal Python error: Aborted"),
        ("triton_kernel", "ptxas", b"needs a GPU: an error of ptxas"),
    ],
)
def test_sample_as_a_user_runs_it(
    tmp_path: Path,
    torch_environment: dict[str, str],
    category: str,
    cause: str,
    words: bytes,
) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "test_repro.py"
    file.write_text(code_for(finding(category, cause)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, file],
        env=torch_environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert words in done.stderr
    assert b"Ran 1 test in" in done.stderr
