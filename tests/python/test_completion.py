"""``pt2triage --print-completion``: the shells themselves complete by the script."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import pt2triage
from cases import ROOT
from pt2triage.cli import main
from pt2triage.cli._parser import COMMANDS


def script(shell: str, capsys: pytest.CaptureFixture[str], folder: Path) -> Path:
    with pytest.raises(SystemExit) as done:
        main(["--print-completion", shell])
    assert done.value.code == 0
    path = folder / f"completion.{shell}"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def by_bash(script: Path, words: list[str]) -> set[str]:
    """What bash offers for the last word; the function is the one that it calls."""
    code = f"""
        source {shlex.quote(str(script))}
        function=$(complete -p pt2triage | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}
        $function; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return ran(["bash", "--norc", "--noprofile", "-c", code], script.parent)


def by_fish(script: Path, words: list[str]) -> set[str]:
    code = f"source {script}; complete -C {shlex.quote(' '.join(words))}"
    lines = ran(["fish", "--no-config", "-c", code], script.parent)
    return {line.split("\t")[0] for line in lines}


def ran(command: list[str], folder: Path) -> set[str]:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    made = script(shell, capsys, tmp_path)
    (tmp_path / "run.log").touch()

    def offered(*words: str) -> set[str]:
        complete = by_bash if shell == "bash" else by_fish
        return complete(made, ["pt2triage", *words])

    assert offered("") >= {command.NAME for command in COMMANDS}
    assert offered("expl") == {"explain"}
    assert offered("scan", "--fo") == {"--format"}
    assert offered("scan", "--format", "js") == {"json", "jsonl"}
    assert offered("scan", "--fail-on", "") >= set(pt2triage.CATEGORIES)
    assert offered("scan", "ru") == {"run.log"}
    assert "GB0059" in offered("explain", "GB005")
    assert offered("runs", "com") == {"compare"}


def test_zsh_reads_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = script("zsh", capsys, tmp_path)
    assert made.read_text().startswith("#compdef pt2triage")
    if shutil.which("zsh") is not None:
        assert ran(["zsh", "-n", str(made)], tmp_path) == set()


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--print-completion", "tcsh"])
    assert done.value.code == 2
    assert "choose from" in capsys.readouterr().err


def test_the_way_to_it_is_written() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"pt2triage --print-completion {shell}" in page
