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


@cache
def registry() -> dict[str, list[dict[str, Any]]]:
    """Id to its entries, newest first; empty where there is no such torch."""
    path = registry_path()
    if path is None:
        return {}
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(loaded, dict):
        return {}
    return {
        name: [e for e in entries if isinstance(e, dict) and e.get("Gb_type")]
        for name, entries in loaded.items()
        if isinstance(entries, list)
    }


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
    return tuple(dict.fromkeys(str(e["Gb_type"]) for e in registry().get(name, ())))


def words_of(name: str) -> str:
    """What torch itself says of an id; for ids that we do not describe."""
    entry = registry()[name][0]
    hints = entry.get("Hints")
    parts = [entry.get("Explanation"), *(hints if isinstance(hints, list) else ())]
    return " ".join(str(part).strip() for part in parts if part)
