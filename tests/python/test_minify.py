"""``pt2triage minify``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pt2triage._launcher import NotALauncherError, read_launcher
from pt2triage.cli import main

LAUNCHER = """\
import os
# torch version: 2.13.0+cpu
mod = Repro()
if __name__ == '__main__':
    from torch._dynamo.repro.{kind} import run_repro
    with torch.no_grad():
        run_repro(mod, load_args, {arguments})
        # run_repro(mod, load_args, accuracy=True, command='get_args')
"""

# Stands for torch: its minifier fails, hangs or writes what the test wants.
FAKE = """\
import os, subprocess, sys, time
def run_repro(mod, load_args, **options):
    command = sys.argv[1]
    print("W1129 16:41:17.961000 7331 torch/_dynamo/x.py:5] this is", command, options)
    what = os.environ["FAKE_" + command.upper()]
    if "write" in what:
        with open(__file__.replace("after_dynamo.py", "left.py")) as source:
            code = source.read()
        with open("repro.py", "w") as file:
            file.write(code)
    if "hang" in what:
        sys.stdout.flush()
        subprocess.Popen(["sleep", "60"])
        time.sleep(60)
    if "flood" in what:
        sys.stdout.write("x" * 5000 + "\\n")
    if "raise" in what:
        from torch._dynamo.exc import BackendCompilerFailed
        raise BackendCompilerFailed("backend='inductor' raised:\\nValueError: no")
    if "kill" in what:
        sys.stdout.flush()
        os.kill(os.getpid(), 9)
"""


def launcher(folder: Path, arguments: str, kind: str = "after_aot") -> Path:
    path = folder / "minifier_launcher.py"
    path.write_text(LAUNCHER.format(kind=kind, arguments=arguments), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "arguments", "accuracy", "command", "hunts"),
    [
        ("after_aot", "accuracy=False, command='minify'", "", "minify", "a crash"),
        ("after_aot", "accuracy=True", "accuracy", "run", "(accuracy)"),
        ("after_aot", "accuracy='', command='run'", "", "run", "a crash"),
        ("after_dynamo", "accuracy='strict'", "strict", "run", "integers"),
        ("aoti", "accuracy='strict_accuracy'", "strict_accuracy", "run", "integers"),
        ("after_aot", "command='analyze'", "", "analyze", "a crash"),
        ("after_aot", "command=sys.argv[1], accuracy=f()", "", "run", "a crash"),
    ],
)
def test_recognised(
    tmp_path: Path, kind: str, arguments: str, accuracy: str, command: str, hunts: str
) -> None:
    found = read_launcher(str(launcher(tmp_path, arguments, kind)))
    assert (found.kind, found.accuracy, found.command) == (kind, accuracy, command)
    assert hunts in found.hunts
    assert found.torch_version == "2.13.0+cpu"


def test_all_that_it_says(tmp_path: Path) -> None:
    path = launcher(
        tmp_path, "save_dir='/a b', backend='eager', check_str='x', tracing_mode=None"
    )
    found = read_launcher(str(path))
    assert (found.save_dir, found.backend, found.check_str) == ("/a b", "eager", "x")


def test_another_name(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    code = "from torch._dynamo.repro.after_aot import run_repro as go\ngo(m, l)\n"
    path.write_text(code, encoding="utf-8")
    assert read_launcher(str(path)).command == "run"


NONE = [
    ("", "does not import run_repro"),
    ("import torch\n", "does not import run_repro"),
    ("def f(:", "no Python"),
    ("a\x00b", "no Python"),
    ("(" * 5000, "no Python"),
    ("-" * 100_000 + "1", "no Python"),
    ("from torch._dynamo.repro.after_aot import run_repro\n", "does not call it"),
    ("from my.after_aot import run_repro\nrun_repro()\n", "does not import"),
    ("# from torch._dynamo.repro.after_aot import run_repro\n", "does not import"),
    ("\udcff", "no Python"),
]


@pytest.mark.parametrize(("code", "reason"), NONE, ids=range(len(NONE)))
def test_not_recognised(tmp_path: Path, code: str, reason: str) -> None:
    path = tmp_path / "minifier_launcher.py"
    path.write_bytes(code.encode("utf-8", "surrogateescape"))
    with pytest.raises(NotALauncherError) as raised:
        read_launcher(str(path))
    assert reason in str(raised.value)


def test_recognising_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = launcher(tmp_path, "command=open('made', 'w').name")
    path.write_text("open('made', 'w')\n" + path.read_text("utf-8"), "utf-8")
    read_launcher(str(path))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("name", ["missing.py", ".", "a\x00b", "a\nb"])
def test_no_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["minify", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_dry_run_runs_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "a b;"
    folder.mkdir()
    path = launcher(folder, "command='minify', save_dir='/no/such\\x1b', accuracy=True")
    assert main(["minify", "--dry-run", str(path)]) == 0
    out = capsys.readouterr().out
    assert "hunts     wrong numbers (accuracy)" in out
    assert f"'{path}' minify\n" in out
    assert f"{tmp_path}/minified/repro.py run\n" in out
    assert "/no/such\\x1b (not here: random inputs)" in out
    assert not (tmp_path / "minified").exists()


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A launcher for a torch that is none."""
    monkeypatch.chdir(tmp_path)
    site = tmp_path / "site"
    package = site / "torch" / "_dynamo" / "repro"
    package.mkdir(parents=True)
    for folder in (package, package.parent, package.parent.parent):
        (folder / "__init__.py").touch()
    exceptions = "class BackendCompilerFailed(Exception): pass\n"
    (package.parent / "exc.py").write_text(exceptions, encoding="utf-8")
    (package / "after_dynamo.py").write_text(FAKE, encoding="utf-8")
    code = "from torch._dynamo.repro.after_dynamo import run_repro\n"
    code += "run_repro(None, None, command='minify', accuracy=False)\n"
    (package / "left.py").write_text(code.replace("minify", "run"), encoding="utf-8")
    (tmp_path / "launch it.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(site))
    return tmp_path / "launch it.py"


@pytest.mark.parametrize(
    ("minify", "run", "status", "words"),
    [
        ("write", "raise", 0, "backend_compiler_failed"),
        ("write", "", 1, "does not fail any more"),
        ("write raise", "raise", 0, "run: exit status 1"),
        ("", "raise", 1, "the minifier left no program"),
        ("raise", "raise", 1, "the minifier left no program"),
        ("kill", "raise", 137, "minify: exit status 137"),
        ("write", "kill", 0, "run: exit status 137"),
        ("hang", "raise", 124, "ended after 2 s"),
        ("write hang", "raise", 124, "run: exit status 1"),
        ("write", "hang", 124, "ended after 2 s"),
    ],
)
def test_runs_both(
    fake: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    minify: str,
    run: str,
    status: int,
    words: str,
) -> None:
    monkeypatch.setenv("FAKE_MINIFY", minify)
    monkeypatch.setenv("FAKE_RUN", run)
    assert main(["minify", str(fake), "--timeout", "2", "-o", "out dir"]) == status
    printed = "".join(capfd.readouterr())
    assert words in printed
    assert b"this is minify" in Path("out dir/minify.log").read_bytes()
    left = "write" in minify
    assert Path("out dir/run.log").exists() == left
    assert ("The small program: out dir/repro.py" in printed) == left


def test_an_old_program_is_not_a_new_one(
    fake: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_MINIFY", "")
    Path("minified").mkdir()
    Path("minified/repro.py").write_text("raise SystemExit(1)", encoding="utf-8")
    assert main(["minify", str(fake)]) == 1
    assert "left no program" in capfd.readouterr().err


def test_output_is_bounded(
    fake: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pt2triage.cli.minify._OUTPUT", 1000)
    monkeypatch.setenv("FAKE_MINIFY", "flood")
    assert main(["minify", str(fake)]) == 1
    assert "bytes of output were not kept" in capfd.readouterr().err
    assert Path("minified/minify.log").stat().st_size == 1000


def test_folder_that_cannot_be(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").touch()
    assert main(["minify", str(fake), "-o", "file/x"]) == 2
    assert "file/x: " in capsys.readouterr().err


def test_python_that_is_none(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["minify", str(fake), "--python", "./nothing"]) == 2
    assert "nothing: No such file" in capsys.readouterr().err


PROGRAM = """\
import torch
from torch._inductor import config
config.cpp.inject_relu_bug_TESTING_ONLY = "{bug}"
def fn(x, y):
    return ((x.sin() + y).relu() * 2 - y).cos()
torch.compile(fn)(torch.randn(20, 20), torch.randn(20, 20))
"""


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "after", "level", "category"),
    [
        ("compile_error", "dynamo", "2", "backend_compiler_failed: cpp-compile"),
        ("accuracy", "aot", "4", "accuracy: not-close"),
    ],
)
def test_real_torch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    bug: str,
    after: str,
    level: str,
    category: str,
) -> None:
    """PyTorch writes a launcher; its minifier leaves a program; that one fails."""
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(bug=bug), encoding="utf-8")
    settings = {"TORCHDYNAMO_REPRO_AFTER": after, "TORCHDYNAMO_REPRO_LEVEL": level}
    subprocess.run(
        [sys.executable, program],
        env=os.environ | settings,
        capture_output=True,
        timeout=200,
    )
    path = next(tmp_path.rglob("minifier_launcher.py"))
    found = read_launcher(str(path))
    assert (found.kind, found.command) == (f"after_{after}", "minify")
    assert bool(found.accuracy) == (bug == "accuracy")
    assert main(["minify", str(path), "--timeout", "250"]) == 0
    out = capfd.readouterr().out
    assert "== minify: exit status 0" in out
    assert f"ERROR {category}" in out.partition("== run: exit status 1")[2]
    small = (tmp_path / "minified" / "repro.py").read_text(encoding="utf-8")
    assert small.count("torch.ops.aten") <= 1
    assert "relu" in small
