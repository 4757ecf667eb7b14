"""The folder that ``TORCH_COMPILE_DEBUG=1`` leaves: one source of many files."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import _core
from pt2triage._artifact_kinds import HASHED, SCRIPTS, artifact_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pt2triage._types import ArtifactKind

# Files that are listed, logs first; the others are counted.
MAX_ARTIFACTS = 10_000
# Bytes of one file, and of all files, that are compared with a trace.
_MAX_HASHED = 16 << 20
_MAX_HASHED_IN_ALL = 1 << 30

_RUN = re.compile(r"run_.+-pid_\d+")
_PARTS_OF_A_RUN = ("torchinductor", "torchdynamo", "minifier")
_GRAPH = re.compile(r"(run_[^/]+-pid_\d+/torchinductor/([^/]+))/", re.DOTALL)


class _File(NamedTuple):
    """One file, with its path below the folder."""

    path: str
    kind: ArtifactKind
    size: int


def is_debug_folder(path: str, children: Sequence[os.DirEntry[str]]) -> bool:
    """Whether a folder with these entries holds runs, or is one itself."""
    if any(_is_run(child) for child in children):
        return True
    is_run = _RUN.fullmatch(_base_name(path)) is not None
    return is_run and _has_parts(children)


class DebugFolder:
    """The files of one folder, as far as they are listed.

    Attributes:
        name: The folder as given.
        start: Place of its first log among all files that are read.
        omitted: Number of files that are neither listed nor read.
    """

    __slots__ = ("_listed", "_logs", "_more", "name", "omitted", "start")

    def __init__(self, name: str, start: int) -> None:
        self.name = name
        self.start = start
        self.omitted = 0
        self._logs: list[_File] = []
        self._listed: list[_File] = []  # of a known kind
        self._more: list[_File] = []

    def kind_of(self, entry: os.DirEntry[str]) -> ArtifactKind:
        """What a file of the folder is, by its path."""
        return artifact_kind(self._below_runs(self._path(entry)))

    @property
    def full(self) -> bool:
        """Whether no more logs are read."""
        return len(self._logs) >= MAX_ARTIFACTS

    def add(
        self, entry: os.DirEntry[str], kind: ArtifactKind, *, read: bool = False
    ) -> None:
        """Takes a file in; one that is `read` is the next of the files read."""
        size = entry.stat(follow_symlinks=False).st_size
        file = _File(self._path(entry), kind, size)
        if read:
            self._logs.append(file)
            return
        files = self._more if kind == "other" else self._listed
        if len(files) < MAX_ARTIFACTS:
            files.append(file)
        else:
            self.omitted += 1

    @property
    def stop(self) -> int:
        """Place after its last log among all files that are read."""
        return self.start + len(self._logs)

    def merge(self, results: Iterable[_core.Result | None]) -> _core.Result:
        """One result of those of the logs, which come in the order of reading."""
        read = dict(zip((f.path for f in self._logs), results, strict=True))
        files = [*self._logs, *self._listed, *self._more]
        self.omitted += max(len(files) - MAX_ARTIFACTS, 0)
        files = sorted(files[:MAX_ARTIFACTS])
        members = list(self._members(files, read))
        return _core.merge_folder(os.fsencode(self.name), members, self.omitted)

    def _members(
        self, files: Iterable[_File], read: dict[str, _core.Result | None]
    ) -> Iterator[_core._FolderMember]:
        left = _MAX_HASHED_IN_ALL
        for path, kind, size in files:
            full = os.path.join(self.name, path)
            graph = _GRAPH.match(self._below_runs(path))
            checksum = ""
            if graph and kind in HASHED and size <= min(_MAX_HASHED, left):
                left -= size
                checksum = _md5(full)
            command = _command(full) if kind in SCRIPTS else None
            yield (
                os.fsencode(path),
                kind,
                os.fsencode(graph[2]) if graph else None,
                size,
                os.fsencode(command) if command is not None else None,
                os.fsencode(graph[1]) if graph else b"",
                checksum,
                read.get(path),
            )

    def _path(self, entry: os.DirEntry[str]) -> str:
        return entry.path[len(self.name) :].lstrip("/")

    def _below_runs(self, path: str) -> str:
        """The path with the run's folder, also where that is the one given."""
        base = _base_name(self.name)
        return f"{base}/{path}" if _RUN.fullmatch(base) else path


def _is_run(entry: os.DirEntry[str]) -> bool:
    if not _RUN.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False):
        return False
    try:
        with os.scandir(entry.path) as children:
            return _has_parts(children)
    except OSError:
        return False


def _has_parts(children: Iterable[os.DirEntry[str]]) -> bool:
    return any(
        child.name in _PARTS_OF_A_RUN and child.is_dir(follow_symlinks=False)
        for child in children
    )


def _base_name(path: str) -> str:
    return os.path.basename(os.path.abspath(path))


def _command(path: str) -> str:
    # A name that begins with a dash would be an option.
    return shlex.join(["python", f"./{path}" if path.startswith("-") else path])


def _md5(path: str) -> str:
    """The checksum as traces have it; empty if the file cannot be read."""
    from hashlib import md5

    digest = md5(usedforsecurity=False)
    try:
        with open(path, "rb") as file:
            digest.update(file.read(_MAX_HASHED))
    except OSError:
        return ""
    return digest.hexdigest()
