"""How a payload of a compile changed: as a graph, as code, or by lines."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pt2triage._sequences import changed_lines
from pt2triage._traces.fx_graph import GraphDiff, compare_graphs
from pt2triage._traces.fx_text import is_graph, parse_graph
from pt2triage._traces.kernel_text import parse_code
from pt2triage._traces.kernels import CodeDiff, compare_codes
from pt2triage._traces.line_up import CompileName
from pt2triage._traces.rank_payloads import GUARDS, lines_of

# What is each process's own in any text.
_OWN = (
    (re.compile(r"\b\d{9,}\b"), "ID"),
    (re.compile(r"0x[0-9a-f]{6,}"), "ADDRESS"),
    (re.compile(r"/\S{0,200}torchinductor_[^\s'\"]{0,500}"), "PATH"),
    (re.compile(r"_at_\d+"), "_at_LINE"),
    (re.compile(r"<eval_with_key>\.\d+"), "<eval_with_key>"),
    (re.compile(r"os\.environ\['(?:TORCH|TRITON)\w{0,100}'\] = .*"), "SETTING"),
)


class LineDiff(NamedTuple):
    """How two texts differ by lines.

    Attributes:
        added: Number of lines that came.
        removed: Number of lines that went.
        first: The first lines that are not the same, before and after.
    """

    added: int
    removed: int
    first: tuple[str, str]

    @property
    def differs(self) -> bool:
        return bool(self.added or self.removed)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "lines", **self._asdict(), "first": list(self.first)}


class ArtifactChange(NamedTuple):
    """Something that a compile carries and that is not as it was.

    Attributes:
        name: What is compiled.
        before_id: The compile before.
        after_id: The compile after.
        title: Name of the record or artifact.
        occurrence: Which one of that name in its compile, from 0.
        change: ``changed``, ``new`` or ``gone``.
        detail: How it changed; None for what came or went, and where it was too much
            to compare.
    """

    name: CompileName
    before_id: str | None
    after_id: str | None
    title: str
    occurrence: int
    change: str
    detail: GraphDiff | CodeDiff | LineDiff | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "function": self.name.function,
            "file": self.name.file,
            "role": self.name.role,
            "rank": self.name.rank,
            "before_id": self.before_id,
            "after_id": self.after_id,
            "title": self.title,
            "occurrence": self.occurrence,
            "change": self.change,
            "detail": self.detail and self.detail.to_dict(),
        }


class ArtifactChanges(NamedTuple):
    """All artifacts of the compiles that both runs have.

    Attributes:
        changes: Those that are not as they were.
        same: Number of those that are the same, byte by byte.
        alike: Number of those that are the same but for names, numbers and paths.
    """

    changes: tuple[ArtifactChange, ...]
    same: int
    alike: int


def detail_of(title: str, before: str, after: str) -> GraphDiff | CodeDiff | LineDiff:
    if title == "inductor_output_code":
        code = compare_codes(parse_code(before), parse_code(after))
        # Wrapper code without kernels that we know is compared by lines.
        return code if code.differs else _lines(title, before, after)
    if "runnable" not in title and is_graph(before) and is_graph(after):
        return compare_graphs(parse_graph(before), parse_graph(after))
    return _lines(title, before, after)


def _lines(title: str, before: str, after: str) -> LineDiff:
    return LineDiff(*changed_lines(_common(title, before), _common(title, after)))


def _common(title: str, text: str) -> list[str]:
    if title == GUARDS:
        return [line.text for line in lines_of(title, text)]
    for pattern, common in _OWN:
        text = pattern.sub(common, text)
    return text.split("\n")
