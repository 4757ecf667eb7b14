"""The graph-break registry of the torch that is installed here.

It is found without importing torch, which takes seconds and may fail; a newer
torch has ids that our own table lacks.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

# Marks what was read there.
ORIGIN = "from the installed torch"
# The name of a variable, which the registry of 2.13 took for a type.
_SLIPS = frozenset({"_gb_type"})


@cache
def registry() -> dict[str, list[dict[str, Any]]]:
    """Id to its entries, newest first; empty where there is no such torch."""
    path = registry_path()
    if path is None:
        return {}
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(loaded, dict):
        return {}
    read = {
        name: [entry for entry in entries if _has_type(entry)]
        for name, entries in loaded.items()
        if isinstance(entries, list)
    }
    return {name: entries for name, entries in read.items() if entries}


def _has_type(entry: object) -> bool:
    text = entry.get("Gb_type") if isinstance(entry, dict) else None
    return isinstance(text, str) and bool(text) and text not in _SLIPS


def registry_path() -> Path | None:
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):  # a torch that is half there
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0])
    path = folder / "_dynamo" / "graph_break_registry.json"
    return path if path.is_file() else None


def types(name: str) -> tuple[str, ...]:
    """The types that the installed torch has for an id."""
    return tuple(dict.fromkeys(e["Gb_type"] for e in registry().get(name, ())))


def words_of(name: str) -> str:
    """What torch itself says of an id; for ids that we do not describe."""
    entry = registry()[name][0]
    hints = entry.get("Hints")
    parts = [entry.get("Explanation"), *(hints if isinstance(hints, list) else ())]
    return " ".join(str(part).strip() for part in parts if part)
