"""Turns what a user names - files, folders, globs - into the files to read."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from pt2triage import _core
from pt2triage._errors import OpenError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Bytes looked at to tell a binary file from text.
_HEAD = 4096


class Inputs:
    """The files to read, in order, and what was passed over in folders.

    Attributes:
        paths: Files, each once, in the order given; those of a folder sorted.
        skipped: Number of entries of folders passed over, by kind.
        errors: What cannot be opened.
    """

    __slots__ = ("_seen", "errors", "paths", "skipped")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.skipped: dict[str, int] = {}
        self.errors: list[OpenError] = []
        self._seen: set[tuple[int, int]] = set()

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

    def _add_file(self, path: str, info: os.stat_result) -> None:
        if stat.S_ISREG(info.st_mode):  # a pipe's numbers say nothing
            key = (info.st_dev, info.st_ino)
            if key in self._seen:
                return
            self._seen.add(key)
        self.paths.append(path)

    def _add_folder(self, folder: str) -> None:
        # A stack, not recursion: folders nest deeper than Python's stack. The
        # last entry comes out first, so names go on it in reverse order.
        pending: list[tuple[str, os.DirEntry[str] | None]] = [(folder, None)]
        while pending:
            path, entry = pending.pop()
            try:
                if entry is not None and not entry.is_dir(follow_symlinks=False):
                    self._add_entry(entry)
                    continue
                with os.scandir(path) as entries:
                    names = sorted(entries, key=lambda e: e.name, reverse=True)
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
        if not entry.is_file(follow_symlinks=False):
            self._skip("special")  # a pipe, socket or device would block
            return
        with open(entry.path, "rb", buffering=0) as file:
            head = file.read(_HEAD)
        if _core.looks_binary(head):
            self._skip("binary")
        else:
            self._add_file(entry.path, entry.stat(follow_symlinks=False))

    def _skip(self, kind: str) -> None:
        self.skipped[kind] = self.skipped.get(kind, 0) + 1

    def _fail(self, path: str, error: OSError | ValueError) -> None:
        self.errors.append(open_error(path, error))


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
