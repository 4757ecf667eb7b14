"""The confidential twin of a report.

A pickled report is tuples of its fields, in the order of docs/json.md. All texts in
them are cleaned, whatever they are, so that a field that is added later is cleaned
too; only the few that are known to be code or a path are treated as that.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from pt2triage import _core
from pt2triage._confidential._cleaner import Cleaner
from pt2triage._confidential._paths import file_name

if TYPE_CHECKING:
    from collections.abc import Callable

# A struct as its fields, in their order.
_State = tuple[Any, ...]


def twin(report: _core.Report) -> _core.Report:
    """The same report without code, folders and secrets; fingerprints stay."""
    state: Any = report.__getstate__()
    cleaner = Cleaner()
    names = _Names()
    state = changed(
        _core.Report,
        state,
        sources=lambda all_: tuple(_source(one, cleaner, names) for one in all_),
        findings=lambda all_: tuple(_finding(one, cleaner) for one in all_),
        diagnostics=lambda all_: cleaned(all_, cleaner),
    )
    made = _core.Report.__new__(_core.Report)
    made.__setstate__(state)
    return made


class _Names:
    """File names of sources, with a number where two have the same."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, path: str) -> str:
        name = file_name(path)
        self._seen[name] = self._seen.get(name, 0) + 1
        return name if self._seen[name] == 1 else f"{name}#{self._seen[name]}"


def _source(state: _State, cleaner: Cleaner, names: _Names) -> _State:
    return changed(
        _core.Source,
        cleaned(state, cleaner, skip=(_index(_core.Source, "name"),)),
        name=lambda name: applied(names, name),
        artifacts=lambda all_: tuple(
            changed(_core.Artifact, one, path=lambda path: applied(file_name, path))
            for one in all_
        ),
    )


def _finding(state: _State, cleaner: Cleaner) -> _State:
    frames = [_index(_core.Finding, name) for name in ("user_frame", "raised_at")]
    known = [state[index] for index in frames if state[index]]
    file, code = (_index(_core.StackFrame, name) for name in ("file", "code"))
    cleaner = cleaner.knowing(
        (_text(frame[file]) for frame in known), (_text(frame[code]) for frame in known)
    )
    made = list(cleaned(state, cleaner, skip=frames))
    for index in frames:
        made[index] = state[index] and frame(state[index], cleaner)
    return tuple(made)


def frame(state: _State, cleaner: Cleaner) -> _State:
    skip = (_index(_core.StackFrame, "file"), _index(_core.StackFrame, "code"))
    return changed(
        _core.StackFrame,
        cleaned(state, cleaner, skip=skip),
        file=lambda file: applied(lambda name: cleaner(file_name(name)), file),
        code=lambda _: b"",
    )


def cleaned(state: Any, cleaner: Cleaner, skip: Any = ()) -> Any:
    """All texts in `state`, however deep, but for the items of `skip`."""
    if isinstance(state, bytes):
        return applied(cleaner, state)
    if isinstance(state, tuple):
        return tuple(
            item if index in skip else cleaned(item, cleaner)
            for index, item in enumerate(state)
        )
    return state


def applied(change: Callable[[str], str], text: bytes) -> bytes:
    return change(_text(text)).encode("utf-8", "surrogateescape")


def _text(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def changed(kind: type, state: _State, **changes: Callable[[Any], Any]) -> _State:
    """A state of `kind` with some of its fields changed."""
    made = list(state)
    for name, change in changes.items():
        index = _index(kind, name)
        made[index] = change(made[index])
    return tuple(made)


def has(kind: type, name: str) -> int:
    """The place of a field counted from 1; 0 if there is none."""
    try:
        return _index(kind, name) + 1
    except ValueError:
        return 0


@functools.cache
def _index(kind: type, name: str) -> int:
    """The place of a field: properties are listed as the core made them."""
    fields = [key for key, value in vars(kind).items() if isinstance(value, property)]
    return fields.index(name)
