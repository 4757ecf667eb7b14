"""Places in code, without the folder that all of them are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.report.layout import crop_start
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._core import StackFrame

_COLUMNS = 30
_FUNCTION = 24


class Shortener:
    """Leaves out of paths what all of them begin with.

    >>> shorten = Shortener(["/a/b/model.py", "/a/b/parts/head.py"])
    >>> shorten.folder, shorten.file("/a/b/parts/head.py")
    ('/a/b', 'parts/head.py')

    Attributes:
        folder: What is left out; empty if nothing is.
    """

    def __init__(self, files: Iterable[str]) -> None:
        folders = [file.split("/")[:-1] for file in files]
        common = folders[0] if folders else []
        for parts in folders:
            while parts[: len(common)] != common:
                common = common[:-1]
        self.folder = "/".join(common)

    def file(self, path: str) -> str:
        head = f"{self.folder}/"
        return path[len(head) :] if self.folder and path.startswith(head) else path

    def place(self, frame: StackFrame | None) -> str:
        """`file:line in function`, as far as it is known."""
        if frame is None:
            return "(no frame of yours)"
        return place(self.file(frame.file), frame.line, frame.function)


def place(file: str, line: int | None, function: str | None) -> str:
    """`file:line in function` in few columns: of long names the end is kept."""
    words = crop_start(one_line(file), _COLUMNS)
    if line is not None:
        words += f":{line}"
    return (
        f"{words} in {crop_start(one_line(function), _FUNCTION)}" if function else words
    )
