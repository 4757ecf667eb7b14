"""Turns what a user names - files, folders, globs, URLs - into the sources to read."""

from __future__ import annotations

import errno
import os
import stat

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._outcome import open_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pt2triage._debug_folder import DebugFolder

# Bytes looked at to tell a binary file from text.
_HEAD = 4096


class Inputs:
    """The sources to read, in order, and what was passed over in folders.

    Attributes:
        paths: Files and URLs, each once, in the order given; those of a folder
            sorted.
        found: For each of them whether it was found in a folder, so that it is
            passed over if it is no text.
        special: Those of `paths`, by place, that are no regular files: ``pipe``,
            ``stdin``, ``remote``, ``found remote``.
        folders: Debug folders, in the order given; their logs are in `paths`.
        origins: The CI job and step of those whose names tell it.
        skipped: Number of entries passed over, by kind.
        errors: What cannot be opened.
    """

    __slots__ = (
        "_seen",
        "_size",
        "errors",
        "folders",
        "found",
        "origins",
        "paths",
        "skipped",
        "special",
    )

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.found: list[bool] = []
        self.special: dict[int, str] = {}
        self.folders: list[DebugFolder] = []
        self.origins: dict[str, tuple[str, str]] = {}
        self.skipped: dict[str, int] = {}
        self.errors: list[OpenError] = []
        self._seen: set[tuple[int, int]] = set()
        self._size = 0

    def leave_out(self, output: str | None) -> None:
        """Leaves the file to be written out of folders and globs: None is stdout."""
        try:
            info = os.stat(1 if output is None or output == "-" else output)
        except OSError:
            return  # it is not there yet
        if stat.S_ISREG(info.st_mode):
            self._is_new(info)

    def add(self, path: str, *, found: bool = False) -> None:
        """Adds a file, all files of a folder, or a URL. Errors are kept, not raised.

        Args:
            path: What a user named.
            found: It is a file of a folder that was named, seen before.
        """
        if is_url(path):
            from pt2triage._remote import find_remote

            if found:
                self.add_special(path, "found remote")
            else:
                find_remote(path, self)
            return
        try:
            info = os.stat(path)
        except (OSError, ValueError) as error:
            self._fail(path, error)
            return
        if stat.S_ISDIR(info.st_mode):
            self._add_folder(path)
        else:
            self._add_file(path, info, found)

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

    def add_stdin(self) -> None:
        if "stdin" not in self.special.values():
            self.add_special("<stdin>", "stdin")

    def add_special(self, path: str, kind: str) -> None:
        """Adds what is no regular file."""
        self.special[len(self.paths)] = kind
        self.paths.append(path)
        self.found.append(False)

    def total_size(self) -> int | None:
        """Bytes of all files; None if not known."""
        return None if self.special else self._size

    def skip(self, kind: str, number: int = 1) -> None:
        """Counts what is passed over."""
        self.skipped[kind] = self.skipped.get(kind, 0) + number

    def _add_file(self, path: str, info: os.stat_result, found: bool = False) -> bool:
        """Adds a file; false if it is among the paths already."""
        if not stat.S_ISREG(info.st_mode):  # a pipe's numbers say nothing
            self.add_special(path, "pipe")
            return True
        if not self._is_new(info):
            return False
        self._size += info.st_size
        self.paths.append(path)
        self.found.append(found)
        return True

    def _is_new(self, info: os.stat_result) -> bool:
        key = (info.st_dev, info.st_ino)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _add_folder(self, folder: str) -> None:
        from pt2triage._debug_folder import is_debug_folder
        from pt2triage._members import told_twice_below

        found = list(self._walk(folder, is_debug_folder))
        files = {entry.path: entry for entry in found if not isinstance(entry, str)}
        twice, origins = told_twice_below(files, lambda path: _size(files[path]))
        self.origins.update(origins)
        for entry in found:
            if isinstance(entry, str):
                self._add_debug_folder(entry)
            elif entry.path in twice:
                self.skip("told twice")
            else:
                self._add_entry(entry)

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
                        self.skip("special")  # a pipe, socket or device would block
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
                    self.skip("hidden")
                elif child.is_symlink():
                    self.skip("links")
                else:
                    pending.append((child.path, child))

    def _add_entry(self, entry: os.DirEntry[str]) -> None:
        try:
            self._add_file(entry.path, entry.stat(follow_symlinks=False), found=True)
        except OSError as error:
            self._fail(entry.path, error)

    def _fail(self, path: str, error: OSError | ValueError) -> None:
        self.errors.append(open_error(path, error))


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0  # gone; who reads it tells


def _is_binary(entry: os.DirEntry[str]) -> bool:
    with open(entry.path, "rb", buffering=0) as file:
        return _core.looks_binary(file.read(_HEAD))


def find_inputs(names: Iterable[str]) -> Inputs:
    """The inputs that these names of files and folders stand for."""
    inputs = Inputs()
    for name in names:
        inputs.add(name)
    return inputs


def is_url(name: str) -> bool:
    """Whether a name is one of fsspec's, as ``s3://bucket/key``."""
    scheme, separator, _ = name.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.isascii() and scheme.isalnum()
