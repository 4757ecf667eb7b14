"""Payloads as files: what is in them, where they are, and what cannot happen."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pt2triage
from cases import Case, all_cases, case, spread
from pt2triage._traces.extract import extract
from spoiled import envelope

CASES = [one for one in all_cases() if one.traces]
BREAKS = case("2.13.0/breaks")
TWO_RANKS = case("2.13.0/two_ranks")


def command(*words: object, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    line = [sys.executable, "-m", "pt2triage", *map(str, words)]
    return subprocess.run(line, input=stdin, capture_output=True, timeout=120)


def manifest_of(folder: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / "manifest.json").read_text())[
        "entries"
    ]
    return entries


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("one", spread(CASES))
def test_every_payload_is_a_file_with_its_bytes(one: Case, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    sources = [str(path) for path in one.traces]
    done = extract(sources, str(folder))
    entries = manifest_of(folder)
    expected = Counter(
        (record.title, record.compile_id, record.payload)
        for record in pt2triage.read_trace(sources).records()
        if record.payload is not None and record.record != "chromium_event"
    )
    written = Counter(
        (
            entry["name"] or entry["record"],
            entry["compile_id"],
            (folder / entry["path"]).read_bytes(),
        )
        for entry in entries
    )
    assert written == expected
    paths = {entry["path"] for entry in entries}
    assert len(paths) == done.files
    assert {str(p.relative_to(folder)) for p in files_of(folder)} == {
        *paths,
        "manifest.json",
    }
    for entry in entries:
        content = (folder / entry["path"]).read_bytes()
        assert hashlib.md5(content).hexdigest() == entry["md5"]
        assert entry["intact"] is True


def test_folders_are_ranks_and_compiles(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    done = command("extract", TWO_RANKS.folder / "trace", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        *("manifest.json", "rank_0", "rank_1")
    ]
    assert (folder / "rank_1" / "5_1").is_dir()
    assert b"files" in done.stderr


def test_one_kind_of_one_compile(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    options = ("--kind", "dynamo_output_graph", "--compile-id", "0/0")
    command("extract", BREAKS.traces[0], "-o", folder, *options)
    (entry,) = manifest_of(folder)
    assert (entry["record"], entry["compile_id"]) == ("dynamo_output_graph", "0/0")


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "/etc/passwd",
        "..",
        "a/b\\\\c",
        "nul\\u0000byte",
        "con",
        "x" * 5000,
        "\\u202egpj.exe",
        "-rf",
        "<script>",
        " ",
        "",
    ],
)
def test_no_name_leaves_the_folder(name: str, tmp_path: Path) -> None:
    content = envelope(f'"artifact": {{"name": "{name}", "encoding": "string"}}', "p")
    content += envelope(f'"{name}": {{}}, "rank": 0', "q")
    before = set(tmp_path.rglob("*"))
    folder = tmp_path / "deep" / "out"
    extract(content, str(folder))
    made = set(tmp_path.rglob("*")) - before
    assert all(path.is_relative_to(tmp_path / "deep") for path in made)
    for path in files_of(folder):
        assert len(path.name) < 120
        assert path.name.isascii()
        assert path.name.isprintable()
        assert path.read_bytes() in (b"p", b"q") or path.name == "manifest.json"


def test_a_checksum_names_no_file(tmp_path: Path) -> None:
    record = envelope('"aot_joint_graph": {}', "p").replace(
        hashlib.md5(b"p").hexdigest().encode(), b"../../evil"
    )
    folder = tmp_path / "out"
    done = extract(record, str(folder))
    (entry,) = manifest_of(folder)
    assert done.damaged == 1
    assert entry["intact"] is False
    assert (folder / entry["path"]).read_bytes() == b"p"
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_a_wrong_checksum_hides_no_payload(tmp_path: Path) -> None:
    # The second record claims to have the payload of the first.
    first = envelope('"aot_joint_graph": {}', "first")
    second = envelope('"aot_joint_graph": {}', "other").replace(
        hashlib.md5(b"other").hexdigest().encode(),
        hashlib.md5(b"first").hexdigest().encode(),
    )
    folder = tmp_path / "out"
    extract(first + second, str(folder))
    contents = [(folder / e["path"]).read_bytes() for e in manifest_of(folder)]
    assert contents == [b"first", b"other"]
    done = command("extract", "-", "-o", tmp_path / "again", stdin=first + second)
    assert b"MD5" in done.stderr
    assert done.returncode == 0


def test_a_folder_with_content_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    for options in ((), ("--overwrite",)):
        done = command("extract", BREAKS.traces[0], "-o", folder, *options)
        assert done.returncode == 2
        assert b"not empty" in done.stderr
        assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_overwrite_replaces_what_extract_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    command("extract", BREAKS.traces[0], "-o", folder)
    done = command("extract", BREAKS.traces[0], "-o", folder)
    assert b"--overwrite" in done.stderr
    done = command("extract", TWO_RANKS.traces[0], "-o", folder, "--overwrite")
    assert done.returncode == 0
    assert not (folder / "process_0").exists()


@pytest.mark.parametrize("name", ["thesis.txt", "process_0/0_0/mine.py", ".git"])
def test_overwrite_deletes_no_file_of_anybody_else(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    command("extract", BREAKS.traces[0], "-o", folder)
    (folder / name).write_text("mine")
    done = command("extract", BREAKS.traces[0], "-o", folder, "--overwrite")
    assert done.returncode == 2
    assert name.encode() in done.stderr
    assert (folder / name).read_text() == "mine"


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_text("x")
    folder = tmp_path / "out"
    command("extract", BREAKS.traces[0], "-o", folder)
    (folder / "link").symlink_to(outside)
    done = command("extract", BREAKS.traces[0], "-o", folder, "--overwrite")
    assert done.returncode == 2
    assert (outside / "keep").read_text() == "x"


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    done = command("extract", tmp_path / "none", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert b"none" in done.stderr
    done = command("extract", BREAKS.traces[0])
    assert done.returncode == 2


def test_an_svg_is_no_svg_file(tmp_path: Path) -> None:
    content = envelope(
        '"artifact": {"name": "min_cut_failed_svg", "encoding": "string"}',
        "<svg onload='alert(1)'/>",
    )
    extract(content, str(tmp_path / "out"))
    (entry,) = manifest_of(tmp_path / "out")
    assert entry["path"].endswith("min_cut_failed_svg.txt")
