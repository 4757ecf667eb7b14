"""The layers of the core include only to their left, and only one knows Python."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CPP = ROOT / "cpp"

# In the order in which bytes flow; each may include itself and what is before it.
LAYERS = ("base", "io", "line", "record", "event", "trace", "triage", "report", "scan")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<name>"[^"]+"|<[^>]+>)', re.MULTILINE)


def sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".h", ".cc"}:
            yield path


def includes(text: str) -> list[str]:
    return [match["name"][1:-1] for match in INCLUDE.finditer(text)]


def is_python(name: str) -> bool:
    return name == "Python.h" or name.startswith("pybind11/")


def offences(layer: str, text: str) -> list[str]:
    """The includes of one file of `layer` that the rule forbids."""
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    return [
        name
        for name in includes(text)
        if (name.split("/")[0] in LAYERS and name.split("/")[0] not in allowed)
        or is_python(name)
    ]


def test_rule_sees_offences() -> None:
    text = '#include "base/hash.h"\n#  include "scan/scan.h"\n#include <Python.h>\n'
    assert offences("record", text) == ["scan/scan.h", "Python.h"]
    assert offences("scan", text) == ["Python.h"]


def test_every_folder_is_a_layer() -> None:
    folders = {path.name for path in (CPP / "src").iterdir() if path.is_dir()}
    assert folders <= set(LAYERS)
    assert not [path for path in (CPP / "src").iterdir() if path.is_file()]


@pytest.mark.parametrize("layer", LAYERS)
def test_includes_go_left(layer: str) -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in sources(CPP / "src" / layer)
        if (names := offences(layer, path.read_text("utf-8")))
    }
    assert found == {}


def test_own_headers_are_included_by_their_folder() -> None:
    """`"hash.h"` would hide a layer from the test above; `"base/hash.h"` does not."""
    found = {
        str(path.relative_to(ROOT)): name
        for path in sources(CPP / "src")
        for name in includes(path.read_text("utf-8"))
        if "/" not in name and (path.parent / name).exists()
    }
    assert found == {}


def test_public_headers_know_no_layer() -> None:
    found = {
        str(path.relative_to(ROOT)): name
        for path in sources(CPP / "include")
        for name in includes(path.read_text("utf-8"))
        if name.split("/")[0] in LAYERS or is_python(name)
    }
    assert found == {}


def test_only_the_bindings_know_python() -> None:
    folders = (CPP / "include", CPP / "src", ROOT / "tests", ROOT / "benchmarks")
    found = {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in sources(folder)
        if any(is_python(name) for name in includes(path.read_text("utf-8")))
    }
    assert found == set()
