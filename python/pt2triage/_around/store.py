"""Earlier runs of ``pt2triage run``: a folder for each, of which the latest stay."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._around.record import RECORD, Record, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is kept: so many runs, and so many bytes. The latest run stays in any case.
RUNS = 20
BYTES = 2 << 30


class UnknownRunError(LookupError):
    """There is no such run; the text says so, in one line."""


class Stored(NamedTuple):
    """A run of the store.

    Attributes:
        number: Its number; 0 for a folder elsewhere.
        folder: Where its files are.
        record: What is known of it.
    """

    number: int
    folder: str
    record: Record

    def size(self) -> int:
        """Bytes that its files take."""
        return sum(_sizes(self.folder))


def root() -> str:
    """The folder of the store: PT2TRIAGE_HOME, or ``pt2triage`` in XDG_DATA_HOME."""
    home = os.environ.get("PT2TRIAGE_HOME")
    if home:
        return os.path.join(os.path.abspath(home), "runs")
    data = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):  # as the XDG specification wants
        data = os.path.expanduser("~/.local/share")
    return os.path.join(data, "pt2triage", "runs")


def new_folder() -> tuple[int, str]:
    """Makes the folder of the next run. Others cannot read it.

    Raises:
        OSError: It cannot be made.
    """
    top = root()
    os.makedirs(top, mode=0o700, exist_ok=True)
    number = max(_numbers(top), default=0) + 1
    while True:
        folder = os.path.join(top, str(number))
        try:
            os.mkdir(folder, mode=0o700)
        except FileExistsError:  # another run was quicker
            number += 1
            continue
        return number, folder


def stored_runs() -> list[Stored]:
    """The runs of the store, the oldest first."""
    top = root()
    found = []
    for number in sorted(_numbers(top)):
        folder = os.path.join(top, str(number))
        record = read_record(folder)
        if record is not None:
            found.append(Stored(number, folder, record))
    return found


def find_run(word: str) -> Stored:
    """The run that a user means: by number, ``last``, ``-2`` for the one before the
    last, or by its folder.

    Raises:
        UnknownRunError: There is none.
    """
    if os.sep in word or not (word == "last" or word.lstrip("-").isdecimal()):
        record = read_record(word)
        if record is None:
            raise UnknownRunError(f"'{word}' is no run: neither a number nor a folder")
        return Stored(0, word, record)
    runs = stored_runs()
    place = -1 if word == "last" else int(word)
    if place < 0:
        if -place <= len(runs):
            return runs[place]
        raise UnknownRunError(f"there are {len(runs)} runs only")
    for run in runs:
        if run.number == place:
            return run
    raise UnknownRunError(f"there is no run {place}; see pt2triage runs list")


def delete_run(run: Stored) -> None:
    """Deletes the folder of a run of the store.

    Raises:
        OSError: Some of it is still there.
    """
    if os.path.dirname(os.path.abspath(run.folder)) != root():
        raise UnknownRunError(f"'{run.folder}' is not in the store: delete it yourself")
    # Without its record it is no run, even if the rest cannot be deleted.
    os.unlink(os.path.join(run.folder, RECORD))
    shutil.rmtree(run.folder)


def prune(keep: int) -> list[int]:
    """Deletes the oldest runs until the store is within its limits.

    Args:
        keep: The number of a run that stays.

    Returns:
        The numbers of those that are gone.
    """
    runs = [run for run in stored_runs() if not run.record.is_running]
    sizes = [run.size() for run in runs]
    gone: list[int] = []
    for index, run in enumerate(runs):
        if len(runs) - index <= RUNS and sum(sizes[index:]) <= BYTES:
            break
        if run.number == keep:
            continue
        with contextlib.suppress(OSError):
            delete_run(run)
            gone.append(run.number)
    return gone


def _numbers(top: str) -> Iterator[int]:
    try:
        names = os.listdir(top)
    except OSError:
        return
    for name in names:
        if name.isdecimal() and not os.path.islink(os.path.join(top, name)):
            yield int(name)


def _sizes(folder: str) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                yield os.lstat(os.path.join(place, name)).st_size
