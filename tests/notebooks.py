"""Runs the example notebooks.

``python tests/notebooks.py`` runs all of them in /tmp/demo, and saves what their
cells print: no path of anybody's machine is in it.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
DEMO = Path("/tmp/demo")
# A cell takes seconds; machines that do much else are slow.
_SECONDS = 300


def run_notebook(path: Path, folder: Path, question: str = "") -> Any:
    """Runs a notebook in `folder`.

    Args:
        path: The notebook, which is left as it is.
        folder: Where its cells run.
        question: An expression of JSON values, which a last cell answers.

    Returns:
        The notebook with what its cells printed, and the answer.
    """
    book = nbformat.read(path, as_version=4)
    if question:
        cell = nbformat.v4.new_code_cell(f"import json; print(json.dumps({question}))")
        book.cells.append(cell)
    client = NotebookClient(
        book,
        timeout=_SECONDS,
        startup_timeout=_SECONDS,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    answer = book.cells.pop().outputs[-1]["text"] if question else "null"
    return book, json.loads(answer)


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        shutil.rmtree(DEMO, ignore_errors=True)
        DEMO.mkdir()
        book, _ = run_notebook(path, DEMO)
        for cell in book.cells:
            cell.metadata.pop("execution", None)
            # Warnings are of the environment, and name its folders.
            printed = cell.get("outputs", [])
            printed[:] = [one for one in printed if one.get("name") != "stderr"]
        book.metadata["language_info"] = {"name": "python"}
        nbformat.write(book, path)
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
