"""What the logs of a confidential report hold besides, as it may be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pt2triage._confidential._cleaner import Cleaner
from pt2triage._confidential._paths import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pt2triage.report.search import Found


def found_twin(found: Found, names: Mapping[str, str]) -> Found:
    """Environment and artifacts, cleaned; of a program only where it stands.

    Args:
        found: What the files hold.
        names: The names of the sources as the report has them.
    """
    cleaner = Cleaner()

    def named(source: str) -> str:
        return names.get(source) or file_name(source)

    program = found.program
    return replace(
        found,
        environment={key: cleaner(value) for key, value in found.environment.items()},
        artifacts=[
            one._replace(path=file_name(one.path), source=named(one.source))
            for one in found.artifacts
        ],
        program=None if program is None else ("", named(program[1]), program[2]),
    )
