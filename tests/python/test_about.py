"""``pt2triage --version``, and ``-v`` with it."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import pt2triage
from pt2triage import _about, _core
from pt2triage.cli import main


def shown(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    with pytest.raises(SystemExit) as done:
        main(words)
    assert done.value.code == 0
    return capsys.readouterr().out.splitlines()


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"pt2triage {pt2triage.__version__}"
    assert shown(["--version"], capsys) == [line]
    assert shown(["--version", "-v"], capsys)[0] == line


def test_what_it_is_built_of(capsys: pytest.CaptureFixture[str]) -> None:
    first = shown(["--version", "-v"], capsys)
    assert shown(["-v", "--version"], capsys) == first
    assert shown(["--version", "--verbose"], capsys) == first
    told = dict(line.split(maxsplit=1) for line in first[1:] if not line[0].isspace())
    assert {"compiler", "simdjson", "RE2", "zlib", "python", "torch"} <= told.keys()
    build = _core.build_facts()
    assert told["zlib"] == build["zlib"]
    assert told["simdjson"].endswith(str(build["simd"]))


def test_optional_parts_are_told_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with_all = _core.build_facts()
    monkeypatch.setattr(
        _core, "build_facts", lambda: {**with_all, "zstd": None, "isa-l": None}
    )
    told = dict(_about.rows())
    assert told["zstd"] == "not built in: .zst is not read"
    assert told["ISA-L"] == "not built in: zlib inflates"


def test_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    extras = _about.extras()
    assert "dev" not in extras
    assert "docs" not in extras
    pyarrow = _about.version_of("pyarrow") or "not installed"
    assert extras["arrow"] == [f"pyarrow {pyarrow}"]
    monkeypatch.setattr(metadata, "version", _missing)
    assert _about.extras()["arrow"] == ["pyarrow not installed"]
    assert dict(_about.rows())["torch"] == "not installed"


def _missing(name: str) -> str:
    raise metadata.PackageNotFoundError(name)


def test_torch_is_not_imported(tmp_path: Path) -> None:
    """It is named by its metadata; the import would end the program."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("import os; os._exit(7)")
    info = tmp_path / "torch-2.99.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: torch\nVersion: 2.99\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pt2triage", "--version", "-v"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert any(line.split() == ["torch", "2.99"] for line in done.stdout.splitlines())
