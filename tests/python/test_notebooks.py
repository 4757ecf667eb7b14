"""The example notebooks run, and find what was planted in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from cases import ROOT

FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_cells(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def line_of(path: Path, text: str) -> int:
    """The line with `text` of the first file that a notebook writes."""
    for cell in code_cells(path):
        if cell["source"][0].startswith("%%writefile"):
            (line,) = (n for n, code in enumerate(cell["source"]) if text in code)
            return line
    raise AssertionError(f"{path} writes no file")


# What is saved with them.


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "compare_two_runs",
        "find_graph_breaks",
        "hunt_a_recompile",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_saved_outputs(path: Path) -> None:
    """Small, whole, of one run from top to bottom, and of nobody's machine."""
    assert path.stat().st_size < 300_000
    cells = code_cells(path)
    numbers = [cell["execution_count"] for cell in cells]
    assert numbers == list(range(1, len(cells) + 1))
    outputs = [one for cell in cells for one in cell["outputs"]]
    assert {one["output_type"] for one in outputs} <= {"stream", "execute_result"}
    assert any("image/png" in one.get("data", {}) for one in outputs)
    text = json.dumps(outputs)
    for place in ("/home/", "/root/", "site-packages", ".venv", "ipykernel"):
        assert place not in text


# What they do, on real PyTorch.


def ask(name: str, folder: Path, question: str) -> Any:
    """Runs a notebook, and answers a question about its variables."""
    for module in ("torch", "transformers", "nbclient", "ipykernel"):
        pytest.importorskip(module)
    from notebooks import run_notebook

    return run_notebook(FOLDER / f"{name}.ipynb", folder, question)[1]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_find_graph_breaks(tmp_path: Path) -> None:
    path = FOLDER / "find_graph_breaks.ipynb"
    question = (
        "{'lines': [(f.user_frame.line, f.cause) for f in report.graph_breaks],"
        " 'files': list({f.user_frame.file for f in report.graph_breaks}),"
        " 'after': after.counts.graph_breaks, 'fixed': len(pt2triage.diff(report,"
        " after).fixed)}"
    )
    assert ask(path.stem, tmp_path, question) == {
        "lines": [
            [line_of(path, "print("), "unsupported-builtin"],
            [line_of(path, "if torch.isnan"), "data-dependent-branch"],
        ],
        "files": [str(tmp_path / "classifier.py")],
        "after": 0,
        "fixed": 2,
    }


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_hunt_a_recompile(tmp_path: Path) -> None:
    path = FOLDER / "hunt_a_recompile.ipynb"
    question = (
        "{'recompiles': report.counts.recompiles,"
        " 'guards': {g.source: g.cause for g in report.guard_failures},"
        " 'step': [g.user_code for g in report.guard_failures"
        "          if g.source == 'self.step'][0],"
        " 'after': [g.guard for g in after.guard_failures]}"
    )
    answer = ask(path.stem, tmp_path, question)
    assert answer["recompiles"] == 5
    assert answer["guards"]["self.step"] == "scalar-value"
    assert answer["guards"]["x"] == "shape"
    assert set(answer["guards"]) == {"self.step", "x", "dropout"}
    line = line_of(path, "self.step += 1")
    assert answer["step"].endswith(f"scorer.py:{line}")
    assert answer["after"] == ["dropout == True"]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_compare_two_runs(tmp_path: Path) -> None:
    path = FOLDER / "compare_two_runs.ipynb"
    question = (
        "{'breaks': [(f.user_frame.line, f.cause) for f in before.graph_breaks],"
        " 'recompiles': [g.source for g in before.guard_failures],"
        " 'new': len(diff.new), 'fixed': len(diff.fixed),"
        " 'counts': diff.counts}"
    )
    answer = ask(path.stem, tmp_path, question)
    print_line = line_of(path, 'print("largest"')
    assert answer["breaks"] == [[print_line, "unsupported-builtin"]]
    assert answer["recompiles"] == ["limit"]
    assert (answer["new"], answer["fixed"]) == (0, 2)
    assert answer["counts"]["graph_breaks"] == [1, 0]
    assert answer["counts"]["recompiles"] == [1, 0]
