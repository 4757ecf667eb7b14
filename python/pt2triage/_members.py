"""What the names of an archive's members say."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The log of a whole job, and of a step, in the logs of a GitHub Actions run. What an
# older service wrote has a negative number.
_WHOLE = re.compile(r"(-?)\d+_([^/]+)\.txt")
_STEP = re.compile(r"([^/]+)/(?:\d+_([^/]+)|system)\.txt")
_LOG = re.compile(r"(?:-?\d+_[^/]+|system)\.txt")
_FIRST_JOB = re.compile(r"(?:0|-\d+)_")


def is_hidden(name: str) -> bool:
    """Whether a part of the name begins with a dot, but for ``.`` and ``..``."""
    return any(p.startswith(".") and p.strip(".") for p in name.split("/"))


def origin(name: str) -> tuple[str, str]:
    """The CI job and the step that wrote a member; empty where it does not say."""
    if whole := _WHOLE.fullmatch(name):
        return whole[2], ""
    if step := _STEP.fullmatch(name):
        return step[1], step[2] or ""
    return "", ""


def told_twice(members: Iterable[tuple[str, int]]) -> set[str]:
    """Members, given with their sizes, whose text is in other members too.

    GitHub packs the log of each job as a whole and once more step by step. The steps
    are read, since their names say where something failed, unless less is in them;
    then the whole is. Jobs of one name that are told apart by nothing but a number,
    as in a folder of logs that somebody packed, are different jobs.
    """
    whole: dict[str, dict[str, int]] = {}
    older: dict[str, dict[str, int]] = {}
    steps: dict[str, dict[str, int]] = {}
    twice: set[str] = set()
    for name, size in members:
        if match := _WHOLE.fullmatch(name):
            of = older if match[1] else whole
            of.setdefault(match[2], {})[name] = size
        elif match := _STEP.fullmatch(name):
            steps.setdefault(match[1], {})[name] = size if match[2] else 0
    for job, names in older.items():
        if job in whole:  # both services wrote one
            twice.update(names)
        else:
            whole[job] = names
    for job, names in whole.items():
        if job not in steps:
            continue
        if sum(steps[job].values()) >= sum(names.values()) * 0.98:
            twice.update(names)
        else:
            twice.update(steps[job])
    return twice


def told_twice_below(
    paths: Iterable[str], size_of: Callable[[str], int]
) -> tuple[set[str], dict[str, tuple[str, str]]]:
    """The same for all that is in a folder or an archive, in which the logs of several
    runs may lie; and the job and step of those that are of one."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if _LOG.fullmatch(name):
            folders.setdefault(folder, []).append(path)
    # Steps count from 1, jobs from 0: so a folder of jobs is told from one of steps.
    of_jobs = {
        folder
        for folder, found in folders.items()
        if any(_FIRST_JOB.match(path, _start(folder)) for path in found)
    }
    runs: dict[str, list[str]] = {}
    for folder, found in folders.items():
        run = folder if folder in of_jobs else folder.rpartition("/")[0]
        runs.setdefault(run, []).extend(found)
    twice: set[str] = set()
    origins: dict[str, tuple[str, str]] = {}
    for run, found in runs.items():
        names = {path: path[_start(run) :] for path in found}
        origins.update((path, origin(name)) for path, name in names.items())
        if run in of_jobs:
            members = told_twice((name, size_of(path)) for path, name in names.items())
            twice.update(path for path, name in names.items() if name in members)
    return twice, origins


def _start(folder: str) -> int:
    """Where the names below a folder begin."""
    return len(folder) + 1 if folder else 0


class SeenJobs:
    """The same for members that come one after the other, unknown beforehand: of a
    job, what comes first is read."""

    def __init__(self) -> None:
        self._whole: dict[str, str] = {}
        self._steps: set[str] = set()

    def told_before(self, name: str) -> bool:
        if match := _WHOLE.fullmatch(name):
            sign = self._whole.setdefault(match[2], match[1])
            return sign != match[1] or match[2] in self._steps
        if match := _STEP.fullmatch(name):
            if match[1] in self._whole:
                return True
            if match[2]:
                self._steps.add(match[1])
        return False
