"""From a word, as a person types or pastes it, to what it means."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pt2triage.knowledge import _from_core, _from_data, _installed
from pt2triage.knowledge._tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pt2triage.knowledge._model import Explanation

# Kinds whose words are the names of one data file.
_TABLES: dict[str, tuple[str, Callable[[str], Explanation]]] = {
    "exception": ("exceptions", _from_data.exception),
    "artifact": ("artifacts", _from_data.artifact),
    "alias": ("aliases", _from_data.alias),
    "variable": ("variables", _from_data.variable),
    "option": ("config", _from_data.option),
    "file": ("files", _from_data.file),
}

# What people paste around a word.
_AROUND = " \t\r\n`'\"[](){},;$"
_SHORT_ID = re.compile(r"gb0*(\d{1,4})")
_ID_IN_URL = re.compile(r".*\b(gb\d{4})\b(?:\.html)?.*", re.DOTALL)
_FILE_IN_PATH = re.compile(r".*?((?:^|(?<=/))torch/[\w./-]+?/?)(?::\d+.*)?", re.DOTALL)
# The first word of NAME=VALUE and of "Class: message".
_BEFORE_VALUE = re.compile(r"([\w.]+)(?:=|: ?).*", re.DOTALL)


def explain(word: str) -> tuple[Explanation, ...]:
    """Everything that `word` means; nothing where it is unknown.

    Upper and lower case do not matter. A name may be given in full or by its
    last part, a pasted line such as ``NAME=1`` or ``Class: message`` is
    understood.
    """
    index = _index()
    for form in _forms(word):
        if form in index:
            return tuple(_make(kind, name) for kind, name in index[form])
    return ()


def words(kind: str) -> tuple[str, ...]:
    """All words of one kind, in order."""
    if kind == "category":
        return _from_core.categories()
    if kind == "cause":
        return tuple(
            dict.fromkeys(f"{owner}/{name}" for owner, name in _from_core.causes())
        )
    if kind == "graph-break":
        return tuple(sorted({*table("graph_breaks"), *_installed.registry()}))
    return tuple(table(_TABLES[kind][0]))


def close_words(word: str, limit: int = 5) -> tuple[str, ...]:
    """Words that look like an unknown one, the closest first."""
    from difflib import get_close_matches

    shown, index = _shown(), _index()
    form = next(_forms(word))
    close = get_close_matches(form, shown, 4 * limit, 0.6)
    if len(form) > 2:
        close += [known for known in shown if form in known]
    found: dict[object, str] = {}  # one form of each meaning
    for known in close:
        found.setdefault(index[known], shown[known])
    return tuple(found.values())[:limit]


def _forms(word: str) -> Iterator[str]:
    """What `word` may stand for, the likeliest first."""
    yield word.strip().casefold()
    plain = word.strip(_AROUND).casefold()
    yield plain
    yield plain.replace(": ", "/")  # "category: cause" as reports print it
    yield plain.lstrip("+-_")  # of TORCH_LOGS, and of a log line
    if found := _SHORT_ID.fullmatch(plain):  # gb59
        yield f"gb{found[1]:0>4}"
    if found := _ID_IN_URL.fullmatch(plain):
        yield found[1]
    if found := _FILE_IN_PATH.fullmatch(plain.replace("\\", "/")):
        yield found[1]
    if found := _BEFORE_VALUE.fullmatch(plain):
        yield found[1]


@cache
def _index() -> dict[str, tuple[tuple[str, str], ...]]:
    """Each form of each word to its meanings: kind, and name in full."""
    index: dict[str, dict[tuple[str, str], None]] = {}
    for form, kind, name in _entries():
        for written in (form, form.strip(_AROUND)):
            index.setdefault(written.casefold(), {})[kind, name] = None
    return {form: tuple(meanings) for form, meanings in index.items()}


@cache
def _shown() -> dict[str, str]:
    """Each form of each word to how it is shown."""
    return {form.casefold(): form for form, _, _ in _entries()}


def _entries() -> Iterator[tuple[str, str, str]]:
    for name in words("category"):
        yield name, "category", name
    for owner, cause in _from_core.causes():
        yield cause, "cause", f"{owner}/{cause}"
        yield f"{owner}/{cause}", "cause", f"{owner}/{cause}"
    for name in words("graph-break"):
        yield name, "graph-break", name
        known = table("graph_breaks").get(name, {})
        for text in (*known.get("types", ()), *_installed.types(name)):
            yield text, "graph-break", name
    for kind in _TABLES:
        for name in words(kind):
            yield name, kind, name
            yield from ((form, kind, name) for form in _short_forms(kind, name))


def _short_forms(kind: str, name: str) -> Iterator[str]:
    """Shorter and older ways to write a name."""
    if kind in ("exception", "option"):
        parts = name.split(".")
        yield from (".".join(parts[i:]) for i in range(1, len(parts)))
    if kind == "option":
        home = name.rpartition(".")[0]
        for old in table("config")[name].get("old", ()):
            yield old
            yield f"{home}.{old}"
    if kind == "file":
        yield name.removeprefix("torch/")
        yield name.rstrip("/")
        yield name.rstrip("/").rpartition("/")[2]


def _make(kind: str, name: str) -> Explanation:
    if kind == "category":
        return _from_core.category(name)
    if kind == "cause":
        owner, _, cause = name.partition("/")
        return _from_core.cause(owner, cause)
    if kind == "graph-break":
        return _from_data.graph_break(name)
    return _TABLES[kind][1](name)
