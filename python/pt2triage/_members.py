"""What the names of an archive's members say."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The log of a whole job, and of a step, in the logs of a GitHub Actions run. What an
# older service wrote has a negative number.
_WHOLE = re.compile(r"(-?)\d+_([^/]+)\.txt")
_STEP = re.compile(r"([^/]+)/(?:\d+_([^/]+)|system)\.txt")


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
    then the whole is.
    """
    whole: dict[str, tuple[str, int]] = {}
    steps: dict[str, dict[str, int]] = {}
    twice: set[str] = set()
    for name, size in members:
        if match := _WHOLE.fullmatch(name):
            job = match[2]
            if job in whole:  # both services wrote one
                old = name if match[1] else whole[job][0]
                twice.add(old)
                if old == name:
                    continue
            whole[job] = name, size
        elif match := _STEP.fullmatch(name):
            steps.setdefault(match[1], {})[name] = size if match[2] else 0
    for job, (name, size) in whole.items():
        if job not in steps:
            continue
        if sum(steps[job].values()) >= size * 0.98:
            twice.add(name)
        else:
            twice.update(steps[job])
    return twice


class SeenJobs:
    """The same for members that come one after the other, unknown beforehand: of a
    job, what comes first is read."""

    def __init__(self) -> None:
        self._whole: set[str] = set()
        self._steps: set[str] = set()

    def told_before(self, name: str) -> bool:
        if match := _WHOLE.fullmatch(name):
            before = match[2] in self._whole or match[2] in self._steps
            self._whole.add(match[2])
            return before
        if match := _STEP.fullmatch(name):
            if match[1] in self._whole:
                return True
            if match[2]:
                self._steps.add(match[1])
        return False
