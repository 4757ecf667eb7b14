"""The folders that may be read, and no other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class RefusedError(Exception):
    """A question that is not answered; its text says why, for whoever asked."""


class Folders:
    """Resolves paths, links too, and refuses what does not lie within the folders."""

    def __init__(self, folders: Sequence[str]) -> None:
        """Takes the folders.

        Raises:
            RefusedError: One is none.
        """
        for folder in folders:
            if not os.path.isdir(folder):
                raise RefusedError(f"{folder}: there is no such folder")
        self._folders = [os.path.realpath(folder) for folder in folders]

    def resolve(self, path: str) -> str:
        """The file or folder that is meant, without links.

        A path that is not absolute is looked for in each of the folders.

        Raises:
            RefusedError: It is in none of them, or not there.
        """
        if not path or "\0" in path:
            raise RefusedError("a path is empty, or has a NUL in it")
        if "://" in path:
            raise RefusedError(f"{path}: only local files are read, no addresses")
        tried = [os.path.realpath(os.path.join(base, path)) for base in self._folders]
        inside = [real for real in tried if self._has(real)]
        for real in inside:
            if os.path.isfile(real) or os.path.isdir(real):  # no pipe, no device
                return real
        if inside:
            raise RefusedError(f"{path}: there is no such file or folder")
        allowed = ", ".join(self._folders)
        raise RefusedError(f"{path}: not read, as it is outside of {allowed}")

    def _has(self, real: str) -> bool:
        return any(os.path.commonpath((real, base)) == base for base in self._folders)
