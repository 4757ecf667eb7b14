"""What a log tells besides its failures: environment, artifacts, programs.

Only files that are still the same are searched, for a few literals, so that a
large log takes a moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pt2triage.report.reread import SourceFile, files_of, open_again

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pt2triage._core import Source
    from pt2triage._report import Report

_CHUNK = 1 << 20
# What stays in view behind a hit: a block of lines is not cut by a chunk's end.
_BEHIND = 1 << 15
_MOST_BYTES = 1 << 29
_MOST_HITS = 10
_PROGRAM_LINES = 150


class Artifact(NamedTuple):
    """A file that PyTorch wrote, as the log names it."""

    kind: str
    path: str
    source: str
    line: int


@dataclass
class Found:
    """What was found.

    Attributes:
        environment: Key and value of what the log proves, in its words.
        artifacts: Files that it names.
        program: Code that it prints, and its place.
    """

    environment: dict[str, str] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    program: tuple[str, str, int] | None = None

    def artifact(self, kind: str) -> Artifact | None:
        """The first of one kind."""
        return next((a for a in self.artifacts if a.kind == kind), None)


LAUNCHER = "minifier launcher"
MINIFIED = "minified program"
CHECKPOINT = "checkpoint of the minifier"
DEBUG_FOLDER = "debug folder"

# Kind, literal, and where the path stands.
_ARTIFACTS: tuple[tuple[str, bytes, re.Pattern[str]], ...] = (
    (LAUNCHER, b"minifier_launcher.py", re.compile(r"\S*minifier_launcher\.py")),
    (MINIFIED, b"for convenience to ", re.compile(r"(?<=convenience to )\S+")),
    (MINIFIED, b" for convenience", re.compile(r"\S+(?= for convenience$)")),
    (CHECKPOINT, b"Writing checkpoint with ", re.compile(r"(?<=nodes to )\S+")),
    (
        DEBUG_FOLDER,
        b"torch_compile_debug",
        re.compile(r"\S*torch_compile_debug[/\\]run_[^/\\\s:'\",]+"),
    ),
    ("generated code", b"output_code.py", re.compile(r"\S*output_code\.py")),
    (
        "runnable graph",
        b"fx_graph_runnable",
        re.compile(r"\S*fx_graph_runnable\S*\.py"),
    ),
    ("trace", b"dedicated_log_torch_trace", re.compile(r"\S*dedicated_log\S+\.log")),
)

# Lines of `python -m torch.utils.collect_env`.
_BLOCK = b"PyTorch version: "
_KEYS = (
    "PyTorch version",
    "Is debug build",
    "CUDA used to build PyTorch",
    "ROCM used to build PyTorch",
    "OS",
    "GCC version",
    "Clang version",
    "Libc version",
    "Python version",
    "Python platform",
    "Is CUDA available",
    "CUDA runtime version",
    "GPU models and configuration",
    "Nvidia driver version",
    "cuDNN version",
    "Is XPU available",
    "HIP runtime version",
    "MIOpen runtime version",
)
_KEY_LINE = re.compile(rf"(?:^|\s)({'|'.join(_KEYS)}): ?(.*)$")
_PACKAGE = re.compile(
    r"\[(?:pip3?|conda)\]\s+(torch|pytorch|\S*triton|numpy)(?:==|\s+)(\S+)"
)
_BLOCK_LINES = 120
_PYTHON = re.compile(r"/python(3\.\d{1,2})/")

_GRAPH = b"class Repro(torch.nn.Module)"
_FENCE = b"```py"
_COMPILES = re.compile(r"torch\.(?:compile|export|_dynamo)\b")


def search_report(report: Report) -> Found:
    """Looks through the files of a report; of a confidential one, too, but then shows
    no more than it may."""
    if not report.is_confidential:
        return search(report.sources)
    from pt2triage._confidential._found import found_twin

    read = report._read.sources
    names = zip(read, report.sources, strict=True)
    return found_twin(search(read), {one.name: shown.name for one, shown in names})


def search(sources: Iterable[Source]) -> Found:
    """Looks through all sources that are files still."""
    found = Found()
    for source in files_of(sources):
        if source.kind in ("binary", "empty"):
            continue
        if source.kind == "torch_trace":
            found.artifacts.append(Artifact("trace", source.path, source.name, 1))
            continue
        for window in _windows(source):
            _search_window(window, source.name, found)
    return found


class _Window(NamedTuple):
    """A piece of a file; hits count up to `end`, behind it is only context."""

    data: bytes
    end: int
    line: int

    def hits(self, literal: bytes) -> Iterator[tuple[str, int, int]]:
        """Line, its number and its offset, of the first lines with `literal`."""
        at = self.data.find(literal, 0, self.end)
        for _ in range(_MOST_HITS):
            if at < 0:
                return
            start = self.data.rfind(b"\n", 0, at) + 1
            stop = self.data.find(b"\n", at)
            stop = len(self.data) if stop < 0 else stop
            number = self.line + self.data.count(b"\n", 0, start)
            yield _decode(self.data[start:stop]), number, start
            at = self.data.find(literal, stop, self.end)


def _windows(source: SourceFile) -> Iterator[_Window]:
    file = open_again(source)
    if file is None:
        return
    with file:
        data, line, done = b"", 1, 0
        while done < _MOST_BYTES:
            try:
                chunk = file.read(_CHUNK)
            except OSError:
                return
            done += len(chunk)
            data += chunk
            if not chunk:
                yield _Window(data, len(data), line)
                return
            end = data.rfind(b"\n", 0, max(len(data) - _BEHIND, 0)) + 1
            yield _Window(data, end, line)
            line += data.count(b"\n", 0, end)
            # An endless line is not kept whole; nothing else is longer than this.
            data = data[max(end, len(data) - 2 * (_CHUNK + _BEHIND)) :]


def _search_window(window: _Window, source: str, found: Found) -> None:
    for kind, literal, pattern in _ARTIFACTS:
        for text, line, _ in window.hits(literal):
            match = pattern.search(text)
            if match is not None:
                path = match[0].strip("\"'`(),:;.[]<>") or match[0]
                _add(found, Artifact(kind, path, source, line))
    if "PyTorch version" not in found.environment:
        for _, _, start in window.hits(_BLOCK):
            _read_block(_decode(window.data[start : start + _BEHIND]), found)
            break
    if "Python" not in found.environment:
        for text, _, _ in window.hits(b"/python3."):
            if match := _PYTHON.search(text):
                found.environment["Python"] = f"{match[1]} (from a path)"
                break
    if found.program is None:
        found.program = _program(window, source)


def _add(found: Found, artifact: Artifact) -> None:
    same = [other for other in found.artifacts if other.kind == artifact.kind]
    if len(same) < _MOST_HITS and artifact.path not in {a.path for a in same}:
        found.artifacts.append(artifact)


def _read_block(text: str, found: Found) -> None:
    for line in text.split("\n")[:_BLOCK_LINES]:
        if match := _KEY_LINE.search(line.rstrip()):
            if match[2].strip() not in ("", "N/A"):
                found.environment.setdefault(match[1], match[2].strip())
        elif match := _PACKAGE.search(line):
            found.environment.setdefault(match[1], match[2])


def _program(window: _Window, source: str) -> tuple[str, str, int] | None:
    """Code in the log: a graph of the minifier, or a fenced block that compiles."""
    for _, line, start in window.hits(_GRAPH):
        before = window.data.rfind(b"\nimport torch\n", 0, start)
        if before >= 0 and window.data.count(b"\n", before, start) < _PROGRAM_LINES:
            line -= window.data.count(b"\n", before + 1, start)
            start = before + 1
        lines = _lines_from(window, start)
        ends = [n for n, text in enumerate(lines, 1) if "run_repro(" in text]
        return "\n".join(lines[: ends[0] if ends else None]), source, line
    for _, line, start in window.hits(_FENCE):
        lines = _lines_from(window, start)[1:]
        ends = [n for n, text in enumerate(lines) if text.strip().startswith("```")]
        code = "\n".join(lines[: ends[0]]) if ends else ""
        if _COMPILES.search(code):
            return code, source, line + 1
    return None


def _lines_from(window: _Window, start: int) -> list[str]:
    text = _decode(window.data[start : start + _BEHIND])
    return [line.rstrip("\r") for line in text.split("\n")[:_PROGRAM_LINES]]


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace").rstrip("\r")
