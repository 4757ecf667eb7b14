"""Which file of a checkout a path of a log is."""

from __future__ import annotations

import os
from functools import lru_cache


def root_of(folder: str | None = None) -> str:
    """The checkout that a folder is in, known by its ``.git``; else the folder."""
    start = os.path.realpath(folder or os.curdir)
    current = start
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return start
        current = parent
    return current


@lru_cache(maxsize=4096)
def relative(path: str, root: str) -> str | None:
    """The path in the checkout of a file that a log names; None if it has none.

    The log may be of another machine: then the longest end of the path that is a
    file here counts, if it has a folder in it. A name alone counts only where the
    path is relative, or where its folder has the name of the checkout. Nothing
    is opened.

    >>> import tempfile, pathlib
    >>> root = tempfile.mkdtemp()
    >>> (pathlib.Path(root) / "src").mkdir()
    >>> (pathlib.Path(root) / "src" / "a.py").touch()
    >>> relative("/home/ci/build/src/a.py", root)
    'src/a.py'
    >>> relative("/home/ci/a.py", root) is None
    True
    """
    if not path or "\0" in path or path.startswith("<"):
        return None
    path = path.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        return None
    is_relative = path[0] != "/" and path[1:2] != ":"
    for index in range(len(parts)):
        end = parts[index:]
        is_whole = is_relative and index == 0
        in_root = index > 0 and parts[index - 1] == os.path.basename(root)
        if len(end) == 1 and not (is_whole or in_root):
            return None
        if _is_file(os.path.join(root, *end)):
            return "/".join(end)
    return None


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except (OSError, ValueError):
        return False
