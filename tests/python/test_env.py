"""``pt2triage env``."""

import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from pt2triage import _env
from pt2triage.cli import main


def python_that(folder: Path, script: str) -> str:
    """A program that stands for a Python."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def torch_that(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package `torch` that comes before any other."""
    package = folder / "site" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder / "site"))


FAKE = """
__version__ = "2.99.0+cu999"
class version:
    cuda, hip, xpu, git_version, debug = "99.9", None, None, "abc123", False
class backends:
    class cudnn:
        version = staticmethod(lambda: 91000)
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 2)
    get_device_name = staticmethod(lambda i: f"GPU | number {i}\\x1b")
print("noise of an import")
"""


def test_what_torch_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_that(tmp_path, FAKE, monkeypatch)
    found = _env.collect()
    assert found.torch == "2.99.0+cu999"
    assert found.torch_error is None
    assert (found.cuda, found.rocm, found.cudnn) == ("99.9", None, "91000")
    assert found.gpus == ("GPU | number 0\x1b", "GPU | number 1\x1b")
    assert found.torch_built_from == "abc123"
    assert found.torch_commit is None
    assert found.python is not None
    assert found.python.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_part", "ModuleNotFoundError: No module named 'no_such_part'"),
        (
            "raise OSError('libcuda.so: cannot open')",
            "OSError: libcuda.so: cannot open",
        ),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import os; os._exit(7)", "exit status 7: "),
        ("import os; os.abort()", "killed by signal 6"),
        ("raise ValueError('\\nsecond line')", "ValueError:"),
    ],
)
def test_broken_torch_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    reason: str,
) -> None:
    torch_that(tmp_path, code, monkeypatch)
    assert main(["env"]) == 0
    lines = capsys.readouterr().out.splitlines()
    torch = [line for line in lines if line.startswith("torch ")]
    assert len(torch) == 1
    assert f"cannot be imported: {reason}" in torch[0].replace("the import was ", "")
    assert not any(line.startswith("GPUs") for line in lines)


def test_hanging_torch_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import subprocess, time\nsubprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    torch_that(tmp_path, code, monkeypatch)
    start = time.monotonic()
    found = _env.collect(timeout=1.5)
    assert time.monotonic() - start < 20
    assert found.torch_error == "it took more than 1.5 s"
    assert found.python is not None  # said before


def test_error_of_a_gpu_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = FAKE.replace("lambda: True", "lambda: 1 / 0")
    torch_that(tmp_path, code, monkeypatch)
    assert main(["env"]) == 0
    out = capsys.readouterr().out
    assert "GPUs          cannot be told: ZeroDivisionError: division by zero" in out


@pytest.mark.parametrize(
    "script", ["exit 3", "echo 'no Python'; exit 1", "echo 'pt2triage-torch: {'"]
)
def test_python_that_is_none(tmp_path: Path, script: str) -> None:
    found = _env.collect(python_that(tmp_path, script))
    assert found.torch is None
    assert found.torch_error
    missing = _env.collect(str(tmp_path / "nothing"))
    assert missing.torch_error is not None
    assert missing.torch_error.endswith("No such file or directory")


def test_output_without_end_is_bounded(tmp_path: Path) -> None:
    found = _env.collect(python_that(tmp_path, "yes noise"), timeout=1)
    assert found.torch_error == "it took more than 1 s"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("TORCH_LOGS", "+dynamo", "+dynamo"),
        ("TORCH_HUB_TOKEN", "abc", "***"),
        ("PYTORCH_API_KEY", "abc", "***"),
        ("TRITON_PASSWORD", "abc", "***"),
        ("TORCH_URL", "https://me:secret@a.b/x", "https://***@a.b/x"),
        ("TORCH_X", "hf_abcdefghijklmnop", "***"),
        ("TORCH_X", "a ghp_abcdefghijklmnopqrst b", "a *** b"),
        ("TORCH_X", "sk-abcdefghijklmnopqrst", "***"),
        ("CUDA_VISIBLE_DEVICES", "0,1", "0,1"),
        ("TORCHINDUCTOR_CACHE_DIR", "/x", "/x"),
    ],
)
def test_variables(name: str, value: str, shown: str) -> None:
    assert _env.variables({name: value, "HOME": "/", "MYTORCH": "1"}) == {name: shown}


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["env", "--format", "json", "--python", str(tmp_path / "no")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    assert document["torch"] is None
    assert isinstance(document["variables"], dict)


def test_markdown_is_a_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    torch_that(tmp_path, FAKE, monkeypatch)
    monkeypatch.setenv("TORCH_LOGS", "a|b\n| c `d` <b>@me")
    assert main(["env", "--format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.count(" | ") == 1 for line in lines[2:])
    assert "| torch | `2.99.0+cu999` |" in lines
    assert not any("\x1b" in line or "<b>" in line for line in lines)


def test_text_is_safe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TORCH_X", "\x1b[31m\nred")
    assert main(["env", "--python", str(tmp_path / "no")]) == 0
    assert "TORCH_X       \\x1b[31m red\n" in capsys.readouterr().out


def test_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", python_that(tmp_path, "echo my compiler 1.2; echo more"))
    assert (_env.collect("/nothing").cxx or "").endswith(": my compiler 1.2")
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    assert _env.collect("/nothing").cxx is None
    monkeypatch.setenv("CXX", "'")
    assert _env.collect("/nothing").cxx is None


def test_commit_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_that(tmp_path, FAKE, monkeypatch)
    assert (
        os.system(
            f"cd {tmp_path}/site && git init -q . && git add . && git "
            "-c user.name=a -c user.email=a@b commit -qm x"
        )
        == 0
    )
    commit = _env.collect().torch_commit
    assert commit is not None
    assert len(commit) == 40


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "x"])
def test_wrong_usage(timeout: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["env", "--timeout", timeout])
    assert raised.value.code == 2
    assert "is no number of seconds" in capsys.readouterr().err


@pytest.mark.torch
def test_real_torch() -> None:
    torch = pytest.importorskip("torch")
    found = _env.collect()
    assert found.torch == torch.__version__
    assert found.torch_file == torch.__file__
