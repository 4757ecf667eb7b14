"""What ``pt2triage run --escalate`` does and prints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pt2triage._around.escalation import Step, escalate, sharpest
from pt2triage._around.questions import open_questions
from pt2triage.cli._console import complain
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from pt2triage._around.recipes import Recipe
    from pt2triage._around.session import Session


def run_again(first: Session, most: int, timeout: float | None) -> Session:
    """Runs the command again while that can tell more; says what each run added.

    Returns:
        The run that tells most: `first` where no other tells more.
    """
    questions = open_questions(first.report)
    if first.ended.interrupted:
        return first
    if not questions:
        complain("not run again: no recipe can tell more of this")
        return first
    complain(f"not known: {', '.join(questions)}")
    steps: list[Step] = []
    try:
        for told in escalate(first, most, os.environ, timeout=timeout):
            if isinstance(told, Step):
                steps.append(told)
                _tell(told)
                first.record.escalations.append(_summary(told))
            else:
                complain(f"again, with {_settings(told)}: {told.shows}")
    except OSError as error:
        complain(f"{one_line(str(error.filename))}: {error.strerror or error}")
    left = steps[-1].left if steps else questions
    if (
        left
        and len(steps) < most
        and not (steps and steps[-1].session.ended.interrupted)
    ):
        complain("no further recipe can tell more of this")
    return sharpest(first, steps)


def _tell(step: Step) -> None:
    for line in step.added or ["nothing new"]:
        complain(f"  + {one_line(line)}")
    if step.session.ended.timed_out:
        complain("  its time was up")


def _summary(step: Step) -> str:
    return one_line(
        f"{_settings(step.recipe)}: {'; '.join(step.added) or 'nothing new'}"
    )


def _settings(recipe: Recipe) -> str:
    return " ".join(f"{name}={value}" for name, value in recipe.variables.items())
