"""What the start of the program loads, and how it reads plain options itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt2triage
from cases import case
from pt2triage.cli import main, scan
from pt2triage.cli._options import Arguments, read
from pt2triage.cli._parser import make_parser

LOG = case("2.13.0/recompile_limit").log

# What takes long to load, or what only other commands and forms need.
HEAVY = {
    *(
        "argparse",
        "ast",
        "asyncio",
        "collections",
        "concurrent",
        "contextlib",
        "ctypes",
    ),
    *("dataclasses", "difflib", "enum", "functools", "glob", "hashlib", "importlib"),
    *("importlib.metadata", "inspect", "jinja2", "json", "locale", "logging"),
    *("markupsafe", "multiprocessing", "numpy", "pandas", "pathlib", "platform"),
    *("pyarrow", "re", "rich", "shlex", "shutil", "signal", "subprocess", "tempfile"),
    *("textwrap", "threading", "torch", "types", "typing", "unicodedata", "zipfile"),
    *("bz2", "fsspec", "lzma", "tarfile", "zlib", "pt2triage._limits"),
    *("pt2triage._debug_folder", "pt2triage._env", "pt2triage._table"),
    *("matplotlib", "pt2triage.plot"),
    *("pt2triage.cli._parser", "pt2triage.knowledge", "pt2triage.report.text"),
    *("pt2triage.report.templating", "pt2triage.skeleton"),
}


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules that `code` loads in a Python without site-packages' own ones."""
    script = (
        "import sys; before = set(sys.modules)\n"
        f"{code}\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def test_import_loads_nothing() -> None:
    loaded = loaded_by("import pt2triage")
    assert HEAVY.isdisjoint(loaded)
    assert {m for m in loaded if "pt2triage" in m} == {"pt2triage"}
    assert len(loaded) <= 2


def test_missing_core_is_explained(tmp_path: Path) -> None:
    """As in a source tree that was not built, however it is asked for."""
    package = tmp_path / "pt2triage"
    shutil.copytree(
        Path(pt2triage.__file__).parent,
        package,
        ignore=shutil.ignore_patterns("_core.*", "__pycache__"),
    )
    for code in (
        "from pt2triage import _core",
        "from pt2triage import Finding",
        "import pt2triage; pt2triage.scan(b'')",
    ):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
        )
        assert b"ImportError: The extension module pt2triage._core" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--format", "json"],
        ["--format", "jsonl"],
        ["--format=json", "-j1", "--verify", "--fail-on", "accuracy"],
    ],
)
@pytest.mark.parametrize("path", [os.devnull, str(LOG)])
def test_plain_scan_loads_little(options: list[str], path: str) -> None:
    code = "from pt2triage.cli import main; main(sys.argv[1:])"
    loaded = loaded_by(code, "scan", *options, path)
    assert HEAVY.isdisjoint(loaded)
    streams = {"pt2triage._bytes", "pt2triage._streams"}  # for what is no file
    assert loaded.isdisjoint(streams) or path == os.devnull
    assert len(loaded - streams) <= 20


def test_scan_from_python_loads_little() -> None:
    loaded = loaded_by("import pt2triage; pt2triage.scan(sys.argv[1])", str(LOG))
    assert HEAVY.isdisjoint(loaded)
    assert len(loaded) <= 12


# Names that are loaded when first asked for.


def test_names_are_listed_before_they_are_loaded() -> None:
    code = "import pt2triage; print(set(pt2triage.__all__) - set(dir(pt2triage)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


def test_every_name_by_star() -> None:
    names: dict[str, object] = {}
    exec("from pt2triage import *", names)
    assert set(pt2triage.__all__) <= set(names)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match=r"^module 'pt2triage' has no .* 'scna'$"):
        pt2triage.scna  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'scna'"):
        exec("from pt2triage import scna")


# Options: what `read` understands, it reads as argparse does.


def by_argparse(words: list[str]) -> dict[str, object]:
    args = vars(make_parser().parse_args(["scan", *words], Arguments()))
    del args["run"], args["command"]
    return args


@pytest.mark.parametrize(
    "words",
    [
        ["a"],
        ["a", "b", "-q"],
        ["-"],
        ["-j1", "--format", "json", "a"],
        ["-j", "2", "--format=jsonl", "-o", "-", "a", "b"],
        ["-oout.json", "--jobs=3", "a", "--verify"],
        ["--category", "accuracy, other", "--category=graph_break", "a"],
        ["--fail-on", "accuracy", "--color", "never", "--no-progress", "a"],
        ["--unit-test", "test_a.py", "--output", "", "a"],
        ["", "--format", "json"],
    ],
)
def test_plain_options(words: list[str]) -> None:
    args = read(words, scan.OPTIONS)
    assert args is not None
    assert vars(args) == by_argparse(words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["a", "-h"],
        ["a", "--version"],
        ["--form", "json", "a"],  # shortened
        ["--format", "xml", "a"],
        ["--format"],
        ["-q"],
        ["-qj1", "a"],
        ["-j=1", "a"],
        ["-j", "0", "a"],
        ["--category", "nonsense", "a"],
        ["--quiet=1", "a"],
        ["a", "-q", "b"],
        ["-o", "-x", "a"],
        ["-1"],
        ["--", "-x"],
        ["a", "--"],
    ],
)
def test_all_else_is_left_to_argparse(words: list[str]) -> None:
    assert read(words, scan.OPTIONS) is None


FLAGS = [flag for flags, _ in scan.OPTIONS for flag in flags if flag.startswith("-")]
VALUES = ["a", "b.log", "-", "1", "json", "text", "accuracy", "other,accuracy", "never"]
WORDS = st.one_of(
    st.sampled_from([*FLAGS, *VALUES, "--", "-1", "", "a b", "-x y", "=", "-h"]),
    st.builds("{}={}".format, st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    st.builds("{}{}".format, st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    st.text("-=aojqé ", max_size=6),
)


@given(st.lists(WORDS, max_size=6))
def test_reads_as_argparse(words: list[str]) -> None:
    args = read(words, scan.OPTIONS)
    if args is not None:
        assert vars(args) == by_argparse(words)


# The end.


def run_program(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, "scan", *map(str, arguments)],
        capture_output=True,
        text=True,
    )


PROGRAM = "import sys; from pt2triage.cli import program; sys.exit(program())"


def test_quick_end_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--format", "json", str(LOG), "nowhere.log"]
    status = main(["scan", *options])
    done = run_program(PROGRAM, *options)
    captured = capsys.readouterr()
    assert (done.returncode, done.stdout, done.stderr) == (
        status,
        captured.out,
        captured.err,
    )


def test_quick_end_is_taken() -> None:
    code = (
        "class Late:\n"
        "    def __del__(self): print('taken apart', flush=True)\n"
        f"late = Late(); {PROGRAM}"
    )
    done = run_program(code, "--format", "jsonl", os.devnull)
    assert done.stdout == ""
    done = run_program(code.replace("program", "main"), os.devnull)
    assert "taken apart" in done.stdout


@pytest.mark.parametrize(
    "code",
    [
        f"import atexit; atexit.register(print, 'end', flush=True); {PROGRAM}",
        "from pt2triage.cli import program\n"
        "def call():\n"
        "    status = program()\n"
        "    print('end', flush=True)\n"
        "call()",
        "import threading, time\n"
        "def late():\n"
        "    time.sleep(0.5)\n"
        "    print('end', flush=True)\n"
        f"threading.Thread(target=late).start(); {PROGRAM}",
    ],
)
def test_quick_end_only_where_nobody_waits(code: str) -> None:
    done = run_program(code, "--format", "jsonl", os.devnull)
    assert done.stdout == "end\n"
