"""What wheels are made of. `make wheel` builds one and tries it."""

import re
import subprocess
import tomllib
from importlib import metadata
from typing import Any

import pytest

import pt2triage
from cases import ROOT


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def stated_version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(pt2triage VERSION ([\d.]+)", text)
    assert found is not None
    return found[1]


def test_version_comes_from_one_place() -> None:
    assert pt2triage.__version__ == stated_version()
    assert metadata.version("pt2triage") == stated_version()


def test_version_is_written_once() -> None:
    """A second place would be forgotten at the next release."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout")
    telling = re.compile(
        rf"(?i)(?:pt2triage|version)\W{{1,5}}{re.escape(stated_version())}(?![\w.])"
    )
    places = [
        name
        for name in listed.stdout.decode().split("\0")
        if name
        and not name.startswith(("tests/data/", "tests/synthetic/"))
        and (ROOT / name).is_file()
        and telling.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert places == ["CMakeLists.txt"]


def test_wheels_for_every_python_that_we_name() -> None:
    built = set(project()["tool"]["cibuildwheel"]["build"].split())
    named = {
        f"cp3{found[1]}-*"
        for line in project()["project"]["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", line))
    }
    assert built - named == {"cp314t-*"}
    assert named <= built


def test_source_archive_leaves_out_nothing_that_is_built() -> None:
    """What CMake takes in unconditionally, and what the metadata name."""
    left_out = project()["tool"]["scikit-build"]["sdist"]["exclude"]
    needed = ["CMakeLists.txt", "cmake", "cpp", "python", "README.md", "LICENSE"]
    assert not set(needed) & set(left_out)
