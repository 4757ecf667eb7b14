"""Inductor's output code read: its kernels, and what it calls."""

from __future__ import annotations

import re
from typing import NamedTuple

_START = re.compile(
    r"^(\w{1,200}) = async_compile\.(?!wait\b)(\w{1,40})\(", re.MULTILINE
)
_CALL = re.compile(r"^\s*def call\(", re.MULTILINE)
# What may be called in `call`: kernels by name, and what Inductor did not write.
_CALLED = re.compile(
    r"(?:[\w, ()]+ = )?((?:extern_kernels|torch\.ops|aten|inductor_ops)(?:\.\w+)+"
    r"|\w+?)(?:\.run)?\("
)
NUMBER = re.compile(r"(?:_\d+)+$")
_NODES = re.compile(r"# (?:Topologically Sorted )?Source Nodes: \[([^\]]*)\]")
# What differs between two compiles of one kernel: numbers of the names, paths of
# caches, hashes, and what the machine has.
_OWN = (
    (re.compile(r"#include \"[^\"\n]{0,500}\""), "#include ..."),
    (re.compile(r"'(backend_hash|kernel_name|hash)': '[^'\n]{0,200}'"), r"'\1': ..."),
    (re.compile(r"/\S{0,200}torchinductor_\S{0,500}"), "PATH"),
)
# Kernels of one output code and calls of it that are compared.
_MOST = 10_000
# Of a line that calls something, and from the name of a kernel to its source.
_LONGEST_CALL = 2_000
_NEAR = 20_000


class Kernel(NamedTuple):
    """A kernel that Inductor wrote.

    Attributes:
        name: As it is called, ``triton_poi_fused_add_0``.
        language: ``triton``, ``cpp_pybinding``, ``cuda``, ``multi_kernel`` ...
        nodes: Names of the nodes that it computes, as its comment says.
        body: Its source, without what is each compile's own.
    """

    name: str
    language: str
    nodes: str
    body: str


class OutputCode(NamedTuple):
    """What an output code consists of.

    Attributes:
        kernels: Its kernels, in order.
        calls: What `call` calls, in order: names of kernels, and of operators that
            Inductor did not write, ``extern_kernels.mm``.
    """

    kernels: tuple[Kernel, ...]
    calls: tuple[str, ...]


def parse_code(text: str) -> OutputCode:
    """Reads output code; nothing of it is run."""
    kernels: list[Kernel] = []
    end = 0
    for match in _START.finditer(text):
        if match.start() < end or len(kernels) >= _MOST:
            continue
        begin, end = _body(text, match.end())
        nodes = _NODES.findall(text, max(match.start() - 4096, 0), match.start())
        body = _common(text[begin:end], match[1])
        kernels.append(Kernel(match[1], match[2], nodes[-1] if nodes else "", body))
    names = {kernel.name for kernel in kernels}
    return OutputCode(tuple(kernels), tuple(_calls(text, end, names)))


def _body(text: str, start: int) -> tuple[int, int]:
    """The source of a kernel: in triple quotes, else the rest of the line."""
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    quotes = text.find("'''", start, start + _NEAR)
    if quotes < 0 or text.count("\n", start, quotes) > 2:
        return start, line_end
    close = text.find("'''", quotes + 3)
    return quotes + 3, len(text) if close < 0 else close


def _common(body: str, name: str) -> str:
    base = NUMBER.sub("", name)
    body = body.replace(name, base)
    for pattern, common in _OWN:
        body = pattern.sub(common, body)
    lines = (line.rstrip() for line in body.strip().split("\n"))
    return "\n".join(line for line in lines if not line.lstrip().startswith("# "))


def _calls(text: str, start: int, names: set[str]) -> list[str]:
    """What is called between `def call(` and what follows it."""
    found = _CALL.search(text, start)
    if found is None:
        return []
    calls: list[str] = []
    for line in text[found.end() :].split("\n")[1:]:
        if line and not line[0].isspace() and not line.startswith("#"):
            break
        match = _CALLED.match(line.strip()[:_LONGEST_CALL])
        if match and (match[1] in names or "." in match[1]):
            calls.append(match[1])
            if len(calls) >= _MOST:
                break
    return calls
