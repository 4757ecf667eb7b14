"""New files of a folder that several programs append to at the same time."""

from __future__ import annotations

import os
import time


class Part:
    """A file that is there once it is whole, under a name that no other has.

    Until then it is hidden (``.part-....tmp``), which readers of folders and globs
    pass over. A process that is killed leaves only such a file.

    Attributes:
        file: Where its bytes go.
    """

    def __init__(self, folder: str, suffix: str) -> None:
        os.makedirs(folder, exist_ok=True)
        when = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        stem = f"part-{when}-{os.urandom(8).hex()}"
        self.path = os.path.join(folder, stem + suffix)
        self._hidden = os.path.join(folder, f".{stem}.tmp")
        self.file = open(self._hidden, "xb")  # noqa: SIM115

    def publish(self) -> None:
        """Gives the file its name."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        try:
            os.link(self._hidden, self.path)  # unlike a rename, never replaces
        except FileExistsError:
            raise
        except OSError:  # a file system without links; the name is unique all the same
            os.rename(self._hidden, self.path)
        else:
            os.unlink(self._hidden)

    def discard(self) -> None:
        """Removes what is not published."""
        try:
            self.file.close()
        finally:
            if os.path.lexists(self._hidden):
                os.unlink(self._hidden)
