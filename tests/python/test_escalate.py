"""``pt2triage run --escalate``: further runs while they can tell more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pt2triage
from cases import case
from pt2triage._around.questions import added_by, open_questions
from pt2triage.cli import main
from running import BREAKS, PT2TRIAGE, prints

KNOWN = case("2.13.0/fullgraph_unsupported").log
# Tells its place only when it is asked to.
SHY = f"""
import os, sys
print("out", os.environ.get("TORCHDYNAMO_VERBOSE"))
with open("runs", "a") as file:
    file.write(os.environ["TORCH_LOGS"] + "\\n")
if os.environ.get("TORCHDYNAMO_VERBOSE"):
    {prints(KNOWN)}
else:
    print("torch._dynamo.exc.InternalTorchDynamoError: x", file=sys.stderr)
sys.exit(5)
"""
NEVER = """
import sys
open("runs", "a").write("again\\n")
print("torch._dynamo.exc.InternalTorchDynamoError: x", file=sys.stderr)
"""
ONCE = """
import os, sys
if os.path.exists("runs"):
    sys.exit()
open("runs", "w").write("once\\n")
print("torch._dynamo.exc.InternalTorchDynamoError: x", file=sys.stderr)
"""


def run(code: str, folder: Path, *options: str) -> "subprocess.CompletedProcess[bytes]":
    command = [*PT2TRIAGE, "run", *options, "--", sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, cwd=folder, timeout=60, stdin=subprocess.DEVNULL
    )


def test_it_ends_when_all_is_known(home: Path, tmp_path: Path) -> None:
    done = run(SHY, tmp_path, "--escalate", "5")
    assert done.returncode == 5
    assert done.stdout == b"out None\n"  # of the first run only
    told = done.stderr.decode()
    assert "the line of your code" in told.partition("not known: ")[2]
    assert "again, with TORCHDYNAMO_VERBOSE=1" in told
    assert "  + the line of your code: " in told
    assert len((tmp_path / "runs").read_text().splitlines()) == 2
    folder = home / "runs" / "1"
    assert (folder / "again-1" / "stderr.log").read_bytes() == KNOWN.read_bytes()
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["escalations"][0].startswith("TORCHDYNAMO_VERBOSE=1: ")
    assert "where     /" in (folder / "report.txt").read_text("utf-8")


def test_it_ends_when_nothing_helps(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run(NEVER, tmp_path, "--escalate", "9")
    assert done.returncode == 0
    assert done.stderr.count(b"nothing new") == 3  # as many as there are recipes
    assert b"no further recipe" in done.stderr
    assert (tmp_path / "runs").read_text().count("again") == 4
    assert main(["runs", "show"]) == 0
    assert capsys.readouterr().out.count("\nagain ") == 3


@pytest.mark.usefixtures("home")
def test_it_ends_after_n_runs(tmp_path: Path) -> None:
    run(NEVER, tmp_path, "--escalate", "1")
    assert (tmp_path / "runs").read_text().count("again") == 2


@pytest.mark.usefixtures("home")
def test_it_ends_when_nothing_fails_any_more(tmp_path: Path) -> None:
    done = run(ONCE, tmp_path, "--escalate", "3")
    assert done.stderr.count(b"again, with") == 1
    assert b"nothing failed this time" in done.stderr


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("code", ["pass", prints(BREAKS), "raise KeyError(1)"])
def test_not_at_all(tmp_path: Path, code: str) -> None:
    """Nothing failed, all is known, or it is not PT2's."""
    done = run(code, tmp_path, "--escalate", "3")
    assert b"no recipe can tell more of this" in done.stderr
    assert b"again, with" not in done.stderr


@pytest.mark.usefixtures("home")
def test_the_minifier_of_another_backend(tmp_path: Path) -> None:
    log = case("2.13.0/backend_fail").log
    done = run(prints(log), tmp_path, "--escalate", "1")
    assert b"again, with TORCHDYNAMO_REPRO_AFTER=dynamo" in done.stderr


@pytest.mark.usefixtures("home")
def test_recipes_that_are_done_are_not_repeated(tmp_path: Path) -> None:
    done = run(NEVER, tmp_path, "--recipe", "dynamo_internal", "--escalate", "9")
    assert done.stderr.count(b"again, with") == 2


@pytest.mark.usefixtures("home")
def test_each_run_has_the_timeout(tmp_path: Path) -> None:
    code = SHY.replace("sys.exit(5)", "").replace(
        f"    {prints(KNOWN)}",
        f"    {prints(KNOWN)}; import time; time.sleep(60)",
    )
    done = run(code, tmp_path, "--escalate", "1", "--timeout", "5")
    assert b"its time was up" in done.stderr
    assert done.returncode == 0  # that of the first run


def test_questions() -> None:
    vague = pt2triage.scan(b"torch._dynamo.exc.InternalTorchDynamoError: x\n")
    known = pt2triage.scan(str(KNOWN))
    assert "the line of your code" in open_questions(vague)
    assert open_questions(pt2triage.scan(b"")) == []
    assert open_questions(pt2triage.scan(b"KeyError: 1\n")) == []
    assert added_by(known, known) == []
    assert any(x.startswith("the line of your code: /") for x in added_by(vague, known))
    assert "new: " in "\n".join(added_by(vague, pt2triage.scan(str(BREAKS))))
