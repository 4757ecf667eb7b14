"""`--confidential` of the commands that run something."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pt2triage.cli import main
from running import BREAKS, PT2TRIAGE, Run, prints

pytestmark = pytest.mark.usefixtures("home")
NOTICE = "This report is confidential"
CODE = 'print("hello")'  # a line of the log's frames


def test_run(run_around: Run) -> None:
    done = run_around(prints(BREAKS), "--confidential")
    told = done.stderr[done.stderr.index(b"pt2triage: ") :].decode()
    assert NOTICE in told
    assert "breaks.py:46 in g" in told
    assert "/home/dev" not in told
    assert str(BREAKS.parent) not in told


def test_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "acme" / "train.py"
    script.parent.mkdir()
    script.write_text(prints(BREAKS))
    command = [*PT2TRIAGE, "run", "--", sys.executable, str(script)]
    subprocess.run([*command, "--token", "abcdef"], check=True, capture_output=True)
    subprocess.run(command, check=True, capture_output=True)
    capfd.readouterr()
    for words in (["list"], ["show"], ["show", "--format", "json"], ["compare"]):
        assert main(["runs", *words, "--confidential"]) == 0
        text = capfd.readouterr().out
        for hidden in ("/acme", "/home/dev", "abcdef", CODE, str(tmp_path)):
            assert hidden not in text, words
        assert ("train.py" in text) == (words[-1] != "json")
        assert words == ["list"] or "confidential" in text
    assert main(["runs", "show", "1"]) == 0
    assert "abcdef" in capfd.readouterr().out


def test_runs_show_is_a_report(capfd: pytest.CaptureFixture[str]) -> None:
    command = [*PT2TRIAGE, "run", "--", sys.executable, "-c", prints(BREAKS)]
    subprocess.run(command, check=True, capture_output=True)
    assert main(["runs", "show", "--format", "json"]) == 0
    plain = json.loads(capfd.readouterr().out)
    assert main(["runs", "show", "--format", "json", "--confidential"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert shown["confidential"] is True
    assert shown["finding"] == plain["finding"]
    assert shown["counts"] == plain["counts"]


def test_minify(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    launcher = tmp_path / "minifier_launcher.py"
    launcher.write_text(
        "# torch version: 2.13.0\nmod = Repro()\n"
        "if __name__ == '__main__':\n"
        "    from torch._dynamo.repro.after_aot import run_repro\n"
        "    run_repro(mod, load_args, accuracy=False, command='run', "
        "save_dir='/srv/acme/inputs')\n"
    )
    words = ["minify", str(launcher), "--dry-run", "--python", "/opt/acme/bin/python"]
    assert main(words) == 0
    assert "/opt/acme" in capfd.readouterr().out
    assert main([*words, "--confidential"]) == 0
    text = capfd.readouterr().out
    assert "acme" not in text
    assert str(tmp_path) not in text
    assert "minifier_launcher.py" in text


@pytest.mark.parametrize("name", ["text", "json", "markdown"])
def test_env(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCH_TRACE", "/srv/acme/traces")
    python = os.path.join(os.sep, "opt", "acme", "none")
    words = ["env", "--format", name, "--python", python]
    assert main(words) == 0
    assert "acme" in capfd.readouterr().out
    assert main([*words, "--confidential"]) == 0
    text = capfd.readouterr().out
    assert "acme" not in text
    assert "confidential" in text
