"""What an extraction wrote, by compile, and as text for pages."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from pt2triage.report.safe import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    # A process and a compile; None for what is outside of compiles.
    Key: TypeAlias = tuple[int, str | None]

# Bytes of escaped texts that are kept for the next page.
_KEPT = 16 << 20
# What a page must not hold as it is. Tabs may stay: they indent.
_BAD = bytes({*range(32), 127} - {0x09, 0x0A})

_PYTHON = frozenset(
    {
        *("backward_prologue", "backward_epilogue", "compiled_fn_wrapper"),
        *("compiled_function_forward", "compiled_function_backward"),
        *("runtime_wrapper_orchestration", "aot_inference_graph", "graph"),
    }
)
_BY_ENDING = {".py": "python", ".cpp": "cpp", ".json": "json"}


class Artifact(NamedTuple):
    """One record with a payload.

    Attributes:
        title: Its name.
        attempt: The attempt at the compile, from 0.
        path: Its file, within the folder of the extraction; equal payloads have one.
        size: Bytes of the payload.
        is_damaged: Whether it does not have the checksum that the trace states.
        is_cut: Whether its end is missing.
    """

    title: str
    attempt: int | None
    path: str
    size: int
    is_damaged: bool
    is_cut: bool

    @property
    def language(self) -> str:
        """How its text is coloured; empty for not at all."""
        ending = _BY_ENDING.get(os.path.splitext(self.path)[1])
        if ending is not None:
            return ending
        is_graph = self.title.endswith("_graph") or self.title in _PYTHON
        return "python" if is_graph else ""


class Artifacts:
    """The artifacts of each compile, in order."""

    def __init__(self) -> None:
        self._of: dict[Key, list[Artifact]] = {}
        self._names: dict[str, str] = {}  # each name is kept once

    def add(self, entry: Mapping[str, Any]) -> None:
        """Takes an entry of the manifest."""
        title = entry["name"] or entry["record"]
        one = Artifact(
            self._names.setdefault(title, title),
            entry["attempt"],
            entry["path"],
            entry["bytes"],
            entry["intact"] is False,
            entry["cut"],
        )
        self._of.setdefault((entry["process"], entry["compile_id"]), []).append(one)

    def of(self, key: Key) -> Sequence[Artifact]:
        return self._of.get(key, ())

    def __iter__(self) -> Iterator[Key]:
        return iter(self._of)


class Texts:
    """Payloads, read from their files and escaped; the last ones are kept."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._kept: OrderedDict[str, Markup] = OrderedDict()
        self._size = 0

    def of(self, path: str) -> Markup:
        """The text of a file of the extraction."""
        text = self._kept.get(path)
        if text is not None:
            self._kept.move_to_end(path)
            return text
        with open(os.path.join(self._folder, path), "rb") as file:
            text = escaped(file.read())
        self._kept[path] = text
        self._size += len(text)
        while self._size > _KEPT:
            self._size -= len(self._kept.popitem(last=False)[1])
        return text


def escaped(payload: bytes) -> Markup:
    r"""A payload as text of a page, in which nothing acts.

    >>> escaped(b"a <b>\x1b[0m")
    Markup('a &lt;b&gt;\\x1b[0m')
    """
    if payload.isascii() and len(payload.translate(None, _BAD)) == len(payload):
        return escape(payload.decode("ascii"))
    return escape(printable(payload.decode("utf-8", "replace")))
