"""The data files, read when they are first needed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

# Name of a word to what is known about it.
Table: TypeAlias = dict[str, dict[str, Any]]

_FOLDER = Path(__file__).parent


@cache
def table(name: str) -> Table:
    """One data file, such as "graph_breaks"."""
    text = (_FOLDER / f"{name}.json").read_text(encoding="utf-8")
    loaded: Table = json.loads(text)
    return loaded
