"""Payloads of several processes made comparable."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

GUARDS = "dynamo_cpp_guards_str"
GRAPH = "dynamo_output_graph"
TENSORS = "inductor_runtime_and_tensor_meta"

# What differs between two processes that do the same: ids and addresses of objects,
# and the number of the device.
_OWN = (
    (re.compile(r"\b\d{9,}\b"), "ID"),
    (re.compile(r"0x[0-9a-f]{6,}"), "ADDRESS"),
    (re.compile(r"\b(cuda|xpu|hpu|mtia|npu|privateuseone):\d+"), r"\1:N"),
    (re.compile(r"\bdevice(=|\(type='\w+', index=)\d+"), r"device\1N"),
)
_COLLECTIVE = re.compile(
    r"= torch\.ops\.((?:_?c10d_functional|_c10d_functional_autograd|c10d|symm_mem)"
    r"\.\w+(?:\.\w+)?)\("
)
_FROM = re.compile(r"\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in ")
_GUARD_FROM = re.compile(r"(?P<file>[^#]{1,1000}?):(?P<line>\d{1,9}) in [^#]{0,1000}$")


class TextLine(NamedTuple):
    """A line of a payload, without what is each process's own.

    Attributes:
        text: The line.
        file: The user's file that it comes from, or None.
        line: Its line, or None.
    """

    text: str
    file: str | None = None
    line: int | None = None


def lines_of(title: str, text: str) -> Iterator[TextLine]:
    """What must be equal in a payload, line by line.

    >>> list(lines_of("dynamo_output_graph", "# File: m.py:3 in f, code: x\\ny = x"))
    [TextLine(text='y = x', file='m.py', line=3)]
    """
    if title == TENSORS:
        yield from _tensor_lines(text)
    elif title == GUARDS:
        yield from _guard_lines(text)
    else:
        yield from _graph_lines(text)


def collectives_of(text: str) -> Iterator[TextLine]:
    """The collective operations that a graph calls, in their order."""
    for line in _graph_lines(text):
        match = _COLLECTIVE.search(line.text)
        if match:
            yield line._replace(text=match[1].removesuffix(".default"))


def _graph_lines(text: str) -> Iterator[TextLine]:
    place: tuple[str | None, int | None] = (None, None)
    for line in text.split("\n"):
        match = _FROM.match(line)
        if match:
            place = (match["file"], int(match["line"]))
        elif line.strip() and not line.lstrip().startswith("#"):
            yield TextLine(_common(line), *place)


def _guard_lines(text: str) -> Iterator[TextLine]:
    for line in _common(text).split("\n"):
        line = line.lstrip("| +-")  # the tree: what is guarded is named in full
        if not line or line.startswith("Guard latency"):
            continue
        guard, _, comment = line.partition("  # ")
        # The line of the source, then its place, each after a `# `.
        match = _GUARD_FROM.match(comment.rpartition("# ")[2][:2000])
        if match is None:
            yield TextLine(guard.rstrip())
        else:
            yield TextLine(guard.rstrip(), match["file"], int(match["line"]))


def _tensor_lines(text: str) -> Iterator[TextLine]:
    """One line for each operation, without its estimated time."""
    try:
        made: object = json.loads(text)
    except (ValueError, RecursionError):
        yield TextLine(_common(text))
        return
    operations = made.get("ops") if isinstance(made, dict) else None
    for one in operations if isinstance(operations, list) else ():
        if isinstance(one, dict):
            outputs = one.get("outputs")
            told = [_tensor(x) for x in outputs] if isinstance(outputs, list) else []
            yield TextLine(f"{one.get('type')} {one.get('name')}: {', '.join(told)}")


def _tensor(output: object) -> str:
    if not isinstance(output, dict):
        return str(output)
    dtype, shape, stride = (output.get(k) for k in ("dtype", "shape", "stride"))
    return f"{dtype} {shape} strides {stride}"


def _common(text: str) -> str:
    text = text.strip()
    for pattern, common in _OWN:
        text = pattern.sub(common, text)
    return text
