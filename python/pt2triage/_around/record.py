"""What is known of a run: ``run.json`` in its folder."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any

RECORD = "run.json"
REPORT = "report.json"
REPORT_TEXT = "report.txt"
_VERSION = 1


@dataclass
class Record:
    """One run of a command.

    Attributes:
        command: The program and its arguments.
        cwd: The folder in which it ran.
        started: When, UTC, as in ISO 8601.
        pid: The process of pt2triage that ran it.
        recipe: The recipe's name.
        variables: The variables that were set for it.
        status: The exit status; None while it runs.
        timed_out: Its time was up.
        seconds: How long it ran.
        category: Category of the failure to look at first.
        finding: Fingerprint of that.
        cause: Its cause.
        escalations: What each further run added, a line for each.
    """

    command: list[str]
    cwd: str
    started: str
    recipe: str
    variables: dict[str, str]
    pid: int = 0
    status: int | None = None
    timed_out: bool = False
    seconds: float = 0.0
    category: str | None = None
    finding: str | None = None
    cause: str | None = None
    escalations: list[str] = field(default_factory=list)

    @property
    def is_running(self) -> bool:
        """Whether it has not ended, as far as can be known."""
        if self.status is not None:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return self.pid > 0

    def write(self, folder: str) -> None:
        """Puts it into `folder`, as a whole.

        Raises:
            OSError: It cannot be written.
        """
        path = os.path.join(folder, RECORD)
        part = f"{path}.part"
        document = {"run_version": _VERSION, **dataclasses.asdict(self)}
        with open(part, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(document, file, indent=2, ensure_ascii=True)
            file.write("\n")
        os.replace(part, path)


def begin(command: list[str], recipe: str, variables: dict[str, str]) -> Record:
    """The record of a run that begins now."""
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return Record(command, os.getcwd(), started, recipe, variables, os.getpid())


def read_record(folder: str) -> Record | None:
    """The record in a folder; None where there is none that we can read."""
    try:
        with open(os.path.join(folder, RECORD), encoding="utf-8") as file:
            document: Any = json.load(file)
        if document.pop("run_version") != _VERSION:
            return None
        record = Record(**document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return record if _is_sound(record) else None


def _is_sound(record: Record) -> bool:
    """Whether the types are those that we write: the file may be anybody's."""
    words = (record.cwd, record.started, record.recipe, *record.escalations)
    optional = (record.category, record.finding, record.cause)
    return (
        isinstance(record.command, list)
        and all(isinstance(word, str) for word in (*words, *record.command))
        and all(word is None or isinstance(word, str) for word in optional)
        and isinstance(record.variables, dict)
        and isinstance(record.pid, int)
        and isinstance(record.status, (int, type(None)))
        and isinstance(record.seconds, (int, float))
    )
