"""Turns what a user names - files, folders, globs - into the files to read."""

from __future__ import annotations

import errno
import os
import stat

from pt2triage import _core
from pt2triage._errors import OpenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pt2triage._debug_folder import DebugFolder

# Bytes looked at to tell a binary file from text.
_HEAD = 4096


class Inputs:
    """The files to read, in order, and what was passed over in folders.

    Attributes:
        paths: Files, each once, in the order given; those of a folder sorted.
        folders: Debug folders, in the order given; their logs are in `paths`.
        skipped: Number of entries of folders passed over, by kind.
        errors: What cannot be opened.
    """

    __slots__ = ("_seen", "errors", "folders", "paths", "skipped")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.folders: list[DebugFolder] = []
        self.skipped: dict[str, int] = {}
        self.errors: list[OpenError] = []
        self._seen: set[tuple[int, int]] = set()

    def leave_out(self, output: str | None) -> None:
        """Leaves the file to be written out of folders and globs: None is stdout."""
        try:
            info = os.stat(1 if output is None or output == "-" else output)
        except OSError:
            return  # it is not there yet
        if stat.S_ISREG(info.st_mode):
            self._is_new(info)

    def add(self, path: str) -> None:
        """Adds a file, or all files of a folder. Errors are kept, not raised."""
        try:
            info = os.stat(path)
        except (OSError, ValueError) as error:
            self._fail(path, error)
            return
        if stat.S_ISDIR(info.st_mode):
            self._add_folder(path)
        else:
            self._add_file(path, info)

    def add_glob(self, pattern: str) -> None:
        """Adds what a pattern with ``*``, ``?``, ``[...]`` or ``**`` matches."""
        from glob import glob

        matches = sorted(glob(pattern, recursive=True))
        if not matches:
            self.errors.append(
                OpenError(errno.ENOENT, "No file matches the pattern", pattern)
            )
        for match in matches:
            self.add(match)

    def __len__(self) -> int:
        """Number of sources: files that are in no debug folder, and folders."""
        in_folders = sum(folder.stop - folder.start for folder in self.folders)
        return len(self.paths) - in_folders + len(self.folders)

    def gather(
        self, scanned: Sequence[_core.Result | OpenError]
    ) -> list[_core.Result | OpenError]:
        """One result or error for each source, from those of all `paths`.

        What cannot be read in a debug folder is added to `errors`.
        """
        results: list[_core.Result | OpenError] = []
        done = 0
        for folder in self.folders:
            results += scanned[done : folder.start]
            members = scanned[folder.start : folder.stop]
            self.errors += [r for r in members if isinstance(r, OpenError)]
            results.append(
                folder.merge(None if isinstance(r, OpenError) else r for r in members)
            )
            if folder.omitted:
                self._skip("debug files", folder.omitted)
            done = folder.stop
        return [*results, *scanned[done:]]

    def _add_file(self, path: str, info: os.stat_result) -> bool:
        """Adds a file; false if it is among the paths already."""
        if stat.S_ISREG(info.st_mode) and not self._is_new(info):
            return False  # a pipe's numbers say nothing
        self.paths.append(path)
        return True

    def _is_new(self, info: os.stat_result) -> bool:
        key = (info.st_dev, info.st_ino)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _add_folder(self, folder: str) -> None:
        from pt2triage._debug_folder import is_debug_folder

        for found in self._walk(folder, is_debug_folder):
            if isinstance(found, str):
                self._add_debug_folder(found)
            else:
                self._add_entry(found)

    def _add_debug_folder(self, path: str) -> None:
        if not self._is_new(os.stat(path)):
            return
        from pt2triage._debug_folder import DebugFolder

        folder = DebugFolder(path, len(self.paths))
        for entry in self._walk(path):
            assert not isinstance(entry, str)
            try:
                self._add_artifact(folder, entry)
            except OSError as error:
                self._fail(entry.path, error)
        self.folders.append(folder)

    def _add_artifact(self, folder: DebugFolder, entry: os.DirEntry[str]) -> None:
        from pt2triage._artifact_kinds import READ

        kind = folder.kind_of(entry)
        if kind in READ and _is_binary(entry):
            kind = "other"
        read = kind in READ and not folder.full
        if read:
            read = self._add_file(entry.path, entry.stat(follow_symlinks=False))
        folder.add(entry, kind, read=read)

    def _walk(
        self,
        folder: str,
        stops_at: Callable[[str, list[os.DirEntry[str]]], bool] | None = None,
    ) -> Iterator[os.DirEntry[str] | str]:
        """The regular files below a folder, and the folders at which it stops."""
        # A stack, not recursion: folders nest deeper than Python's stack. The
        # last entry comes out first, so names go on it in reverse order.
        pending: list[tuple[str, os.DirEntry[str] | None]] = [(folder, None)]
        while pending:
            path, entry = pending.pop()
            try:
                if entry is not None and not entry.is_dir(follow_symlinks=False):
                    if entry.is_file(follow_symlinks=False):
                        yield entry
                    else:
                        self._skip("special")  # a pipe, socket or device would block
                    continue
                with os.scandir(path) as entries:
                    names = sorted(entries, key=lambda e: e.name, reverse=True)
                if stops_at is not None and stops_at(path, names):
                    yield path
                    continue
            except OSError as error:
                self._fail(path, error)
                continue
            for child in names:
                if child.name.startswith("."):
                    self._skip("hidden")
                elif child.is_symlink():
                    self._skip("links")
                else:
                    pending.append((child.path, child))

    def _add_entry(self, entry: os.DirEntry[str]) -> None:
        try:
            if _is_binary(entry):
                self._skip("binary")
            else:
                self._add_file(entry.path, entry.stat(follow_symlinks=False))
        except OSError as error:
            self._fail(entry.path, error)

    def _skip(self, kind: str, number: int = 1) -> None:
        self.skipped[kind] = self.skipped.get(kind, 0) + number

    def _fail(self, path: str, error: OSError | ValueError) -> None:
        self.errors.append(open_error(path, error))


def _is_binary(entry: os.DirEntry[str]) -> bool:
    with open(entry.path, "rb", buffering=0) as file:
        return _core.looks_binary(file.read(_HEAD))


def find_inputs(names: Iterable[str]) -> Inputs:
    """The inputs that these names of files and folders stand for."""
    inputs = Inputs()
    for name in names:
        inputs.add(name)
    return inputs


def open_error(path: str, error: OSError | ValueError) -> OpenError:
    """An ``OpenError`` with what `error` says about `path`."""
    if isinstance(error, ValueError):  # a NUL in the name
        return OpenError(errno.EINVAL, str(error), path)
    return OpenError(error.errno, error.strerror or str(error), path)
