"""What benchmarks/instructions.py concludes from its counts."""

import subprocess
from pathlib import Path

import pytest

from instructions import Json, differences, judge, reasons_since


def counts(ci: float, logs: float, compiler: str = "g++ 1", text: str = "a") -> Json:
    kinds = {"ci": ci, "logs": logs}
    return {
        "taken_with": {"compiler": compiler, "libc": "2"},
        "kinds": {k: {"per_byte": n, "input": text} for k, n in kinds.items()},
    }


def test_alike_is_well() -> None:
    status, said = judge(counts(10, 100), counts(10.4, 96), [])
    assert status == 0
    assert said == [
        "ci        10.40 instructions/byte, was 10.00 (+4.0%)",
        "logs      96.00 instructions/byte, was 100.00 (-4.0%)",
    ]


def test_rise_fails() -> None:
    status, said = judge(counts(10, 100), counts(10, 106), [])
    assert status == 1
    assert said[-1].startswith("more than 5% more for logs: ")


def test_rise_with_a_reason_is_well() -> None:
    status, said = judge(counts(10, 100), counts(10, 106), ["reads ranks"])
    assert status == 0
    assert said[-1] == "more for logs, as said: reads ranks"


def test_fall_is_to_be_kept() -> None:
    status, said = judge(counts(10, 100), counts(9, 100), [])
    assert status == 0
    assert said[-1] == "less for ci: keep it with --update"


def test_other_compiler_is_not_compared() -> None:
    status, said = judge(counts(10, 100), counts(20, 200, compiler="g++ 2"), [])
    assert status == 0
    assert said[-2:] == [
        "not compared, since something else has changed:",
        "compiler: g++ 1 then, g++ 2 now",
    ]


def test_what_only_one_of_them_names_is_a_difference() -> None:
    new = counts(10, 100)
    del new["taken_with"]["libc"]
    assert differences(counts(10, 100), new) == ["libc: 2 then, nothing now"]


def test_other_input_is_said() -> None:
    _, said = judge(counts(10, 100), counts(10, 100, text="b"), [])
    assert all(line.endswith("the input has changed, too") for line in said)


def test_without_a_baseline_nothing_fails() -> None:
    status, said = judge({}, counts(10, 100), [])
    assert status == 0
    assert said[0].endswith("nothing to compare with")


def test_new_kind_has_nothing_to_compare_with() -> None:
    old = counts(10, 100)
    del old["kinds"]["logs"]
    status, said = judge(old, counts(10, 100), [])
    assert status == 0
    assert said[1].endswith("nothing to compare with")


def test_reasons_are_those_since_the_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.com")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)

    def commit(message: str) -> None:
        git("commit", "-q", "--allow-empty", "-m", message)

    file = tmp_path / "instructions.json"
    assert reasons_since(file) == []
    git("init", "-q")
    assert reasons_since(file) == []
    commit("Old\n\nInstructions: of before")
    file.write_text("{}")
    git("add", file.name)
    commit("Baseline")
    assert reasons_since(file) == []
    commit("More ranks\n\nInstructions: reads ranks")
    commit("Other\n\nInstructions are not a trailer here")
    assert reasons_since(file) == ["reads ranks"]
