"""Which files of a debug folder to open, as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from pt2triage.report.layout import Line, cells, pad
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._core import Artifact, Finding, Source

# What is shown: folders of one compile, files of each, and scripts.
_FOLDERS = 3
_FILES = 8
_SCRIPTS = 3

# What helps to understand one compile, first to last.
_MEANINGS = {
    "output_code": "the generated code",
    "fx_graph_readable": "the graph as Inductor gets it",
    "fx_graph_transformed": "the graph after Inductor's passes",
    "fx_graph_runnable": "the graph as a script",
    "ir_post_fusion": "Inductor's loops, fused",
    "ir_pre_fusion": "Inductor's loops before they are fused",
    "provenance": "which kernel comes of which node",
    "log": "what was logged meanwhile",
    "other": "",
}
# Scripts that PyTorch leaves after a failure, the most useful first.
_PURPOSES = {
    "minifier_launcher": "makes the failing graph smaller",
    "repro": "repeats the failure",
    "checkpoint": "a state of the graph on the way",
}


def artifact_lines(sources: Sequence[Source], finding: Finding | None) -> list[Line]:
    """The files of the compile of `finding`, and scripts to run by hand.

    Lines are never wrapped, so that they can be copied; all of it is safe to
    print.
    """
    found = [(source, a) for source in sources for a in source.artifacts]
    lines: list[Line] = []
    compile_id = finding.compile_id if finding is not None else None
    if compile_id is not None:
        for folder, rows in _of_compile(found, compile_id).items():
            title = f"Files of compile {one_line(compile_id)} in {one_line(folder)}"
            lines += _section(title, rows, _FILES)
    title = "Scripts that PyTorch left, to be run by hand"
    lines += _section(title, list(_scripts(found)), _SCRIPTS)
    return lines


_Found: TypeAlias = list[tuple["Source", "Artifact"]]
_Row: TypeAlias = tuple[str, str]  # a file name or command, and what it is for


def _of_compile(found: _Found, compile_id: str) -> dict[str, list[_Row]]:
    """Files of the compile, whichever attempt it was, with their meaning.

    They are grouped by folder: of each rank, and of forward and backward.
    """
    wanted = _without_attempt(compile_id)
    folders: dict[str, list[_Row]] = {}
    for kind, meaning in _MEANINGS.items():
        for source, artifact in found:
            if artifact.kind != kind or artifact.compile_id is None:
                continue
            if _without_attempt(artifact.compile_id) == wanted:
                path = os.path.join(source.name, artifact.path)
                rows = folders.setdefault(os.path.dirname(path), [])
                rows.append((os.path.basename(path), meaning))
    return dict(sorted(folders.items())[:_FOLDERS])


def _scripts(found: _Found) -> Iterator[_Row]:
    for kind, purpose in _PURPOSES.items():
        for _, artifact in found:
            if artifact.kind == kind and artifact.command:
                yield f"$ {artifact.command}", purpose


def _without_attempt(compile_id: str) -> str:
    """`0/1` of `0/1_2`."""
    return compile_id.partition("_")[0]


def _section(title: str, rows: Sequence[_Row], limit: int) -> list[Line]:
    if not rows:
        return []
    shown = [(one_line(text), meaning) for text, meaning in rows[:limit]]
    width = max(cells(text) for text, _ in shown)
    lines: list[Line] = [[], [(title, "title")]]
    for text, meaning in shown:
        line: Line = [("  " + text, "code")]
        if meaning:
            line = [("  " + pad(text, width), "code"), (f"  {meaning}", "dim")]
        lines.append(line)
    if len(rows) > len(shown):
        lines.append([(f"  ... and {len(rows) - len(shown)} more", "dim")])
    return lines
