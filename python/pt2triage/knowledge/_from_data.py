"""Explanations made from the data files, one function for each kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pt2triage.knowledge import _from_core, _installed
from pt2triage.knowledge._model import VERSIONS, Explanation, command
from pt2triage.knowledge._tables import table
from pt2triage.knowledge._verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

UNSUPPORTED = "torch._dynamo.exc.Unsupported"
# Values of a variable that can be shown in a command as they are.
_NUMBER = re.compile(r"\d+")
_SOURCES = "https://github.com/pytorch/pytorch/blob/v{}.0/{}"


def graph_break(name: str) -> Explanation:
    """An id of the graph-break registry, ours or the installed torch's."""
    known = table("graph_breaks").get(name)
    types: dict[str, list[str]] = dict(known["types"]) if known else {}
    new_types = [text for text in _installed.types(name) if text not in types]
    shown = [_type_line(text, found) for text, found in types.items()]
    shown += [f"{text} ({_installed.ORIGIN})" for text in new_types]
    found = verdict(UNSUPPORTED, next(iter([*types, *new_types])))
    return Explanation(
        "graph-break",
        name,
        known["about"] if known else _installed.words_of(name),
        versions=_in_order(v for one in types.values() for v in one) if known else None,
        facts=_facts({"type": shown, "counts as": [": ".join(found)] if found else []}),
        commands=_from_core.commands(found.category if found else "graph_break"),
        related=(*(found or ()), UNSUPPORTED, "graph_breaks"),
        origin=None if known else _installed.ORIGIN,
    )


def exception(name: str) -> Explanation:
    entry = table("exceptions")[name]
    found = verdict(name)
    bases = entry["bases"]
    derived = [
        other
        for other, one in table("exceptions").items()
        if name.rpartition(".")[2] in one["bases"] and _same_family(name, other)
    ]
    known_bases = [base for base in map(_qualified(name), bases) if base]
    return Explanation(
        "exception",
        name,
        entry["about"],
        versions=tuple(entry["versions"]),
        facts=_facts(
            {"bases": bases, "counts as": [": ".join(found)] if found else []}
        ),
        commands=_from_core.commands(found.category) if found else (),
        related=tuple(dict.fromkeys((*(found or ()), *known_bases, *derived))),
    )


def artifact(name: str) -> Explanation:
    entry = table("artifacts")[name]
    on = "only when it is named" if entry["off_by_default"] else "with its component"
    return Explanation(
        "artifact",
        name,
        entry["about"],
        versions=tuple(entry["versions"]),
        facts={"on": (on,)},
        commands=(command(f'TORCH_LOGS="{name}"'),),
        related=("TORCH_LOGS", *_from_core.categories_logging(name)),
    )


def alias(name: str) -> Explanation:
    entry = table("aliases")[name]
    return Explanation(
        "alias",
        name,
        entry["about"],
        versions=tuple(entry["versions"]),
        facts={"loggers": tuple(entry["loggers"])},
        commands=(command(f'TORCH_LOGS="+{name}"'),),
        related=("TORCH_LOGS", *_from_core.categories_logging(name)),
    )


def variable(name: str) -> Explanation:
    entry = table("variables")[name]
    options = [
        o for o, one in table("config").items() if name in one.get("variables", ())
    ]
    versions = entry["versions"]
    plain = _NUMBER.fullmatch(entry["values"])
    return Explanation(
        "variable",
        name,
        entry["about"],
        versions=None if versions is None else tuple(versions),
        facts=_facts(
            {
                "values": [entry["values"]],
                "read in": [entry["file"]] if "file" in entry else _readers(entry),
                "see": [entry["source"]] if "source" in entry else [],
            }
        ),
        commands=(command(f"{name}={entry['values']}"),) if plain else (),
        related=(*options, *_from_core.categories_with("variables", name)),
        origin=_variable_origin(entry),
    )


def option(name: str) -> Explanation:
    """An option, with its former names."""
    entry = table("config")[name]
    old = [
        f"{former} ({', '.join(versions)})"
        for former, versions in entry.get("old", {}).items()
    ]
    variables = entry.get("variables", ())
    return Explanation(
        "option",
        name,
        entry["about"],
        versions=tuple(entry["versions"]),
        facts=_facts(
            {
                "default": [f"{entry['default']} (in {VERSIONS[-1]})"],
                "also named": old,
                "set by": variables,
            }
        ),
        steps=(f"Set {name} in Python before the first call of the compiled code.",),
        related=(*variables, *_from_core.categories_with("config", name)),
    )


def file(name: str) -> Explanation:
    entry = table("files")[name]
    named = _from_core.categories_with("files", name)
    return Explanation(
        "file",
        name,
        entry["about"],
        versions=tuple(entry["versions"]),
        facts={"source": (_SOURCES.format(entry["versions"][-1], name),)},
        related=tuple(dict.fromkeys((*entry["categories"], *named))),
    )


def _type_line(text: str, versions: list[str]) -> str:
    return f"{text} ({', '.join(versions) or 'only between the versions read'})"


def _in_order(versions: Iterable[str]) -> tuple[str, ...]:
    found = set(versions)
    return tuple(version for version in VERSIONS if version in found)


def _facts(facts: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The facts that there are."""
    return {label: tuple(texts) for label, texts in facts.items() if texts}


def _variable_origin(entry: dict[str, Any]) -> str | None:
    if "source" in entry:
        return "not checked here, told by the page"
    if entry.get("library"):
        return f"seen in the libraries of {VERSIONS[-1]}; others not checked here"
    return None


def _readers(entry: dict[str, Any]) -> list[str]:
    return ["the C++ libraries of torch"] if entry.get("library") else []


def _same_family(name: str, other: str) -> bool:
    """Whether a bare base name means `name`: torch has several UserErrors."""
    home, its_home = name.rpartition(".")[0], other.rpartition(".")[0]
    bare = name.rpartition(".")[2]
    return f"{its_home}.{bare}" not in table("exceptions") or home == its_home


def _qualified(name: str) -> Any:
    """A function from a bare base class of `name` to its full name."""
    home = name.rpartition(".")[0]

    def full(base: str) -> str | None:
        if f"{home}.{base}" in table("exceptions"):
            return f"{home}.{base}"
        ends = [one for one in table("exceptions") if one.endswith(f".{base}")]
        return ends[0] if ends else None

    return full
