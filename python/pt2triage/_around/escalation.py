"""Runs a command again with the next recipe, while that can tell more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pt2triage._around.log_settings import extended
from pt2triage._around.questions import added_by, open_questions
from pt2triage._around.recipes import Recipe, adds, recipes_of
from pt2triage._around.session import run_session
from pt2triage._around.streams import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pt2triage._around.session import Session


class Step(NamedTuple):
    """One further run.

    Attributes:
        recipe: What it ran with.
        session: The run.
        added: What it tells that was not known, a line for each.
        left: What is still not known.
    """

    recipe: Recipe
    session: Session
    added: list[str]
    left: list[str]


def next_recipe(session: Session, tried: list[Recipe]) -> Recipe | None:
    """The cheapest recipe for what failed that was not tried yet.

    None as well where nothing is left to ask.
    """
    if not open_questions(session.report) or session.ended.interrupted:
        return None
    backend = session.report.findings[0].backend
    for known in recipes_of(session.report.category or ""):
        recipe = _for_backend(known, backend)
        if recipe not in tried and adds(recipe, session.environment.variables):
            return recipe
    return None


def escalate(
    first: Session,
    most: int,
    base: Mapping[str, str],
    *,
    timeout: float | None = None,
) -> Iterator[Recipe | Step]:
    """Runs the command of `first` again, at most `most` times.

    Its output is kept only. Each run has the variables of the first one too.

    Yields:
        The recipe before each run, and the step after it.

    Raises:
        OSError: A file cannot be written.
    """
    best = first
    tried = [first.recipe]
    for number in range(1, most + 1):
        recipe = next_recipe(best, tried)
        if recipe is None:
            return
        yield recipe
        tried.append(recipe)
        folder = os.path.join(first.folder, f"again-{number}")
        os.mkdir(folder)
        session = run_session(
            first.record.command,
            _joined(first.recipe, recipe),
            folder,
            base,
            shown=Shown(streams=False),
            timeout=timeout,
        )
        added = added_by(best.report, session.report)
        left = open_questions(session.report)
        yield Step(recipe, session, added, left)
        if session.ended.interrupted or not session.report.findings:
            return
        if len(left) < len(open_questions(best.report)):
            best = session


def sharpest(first: Session, steps: list[Step]) -> Session:
    """The run whose report leaves least open; the earliest of several."""
    failed = [step.session for step in steps if step.session.report.findings]
    return min([first, *failed], key=lambda one: len(open_questions(one.report)))


def _for_backend(recipe: Recipe, backend: str | None) -> Recipe:
    """The minifier that runs after AOTAutograd knows Inductor only."""
    if (
        backend in (None, "inductor")
        or "TORCHDYNAMO_REPRO_AFTER" not in recipe.variables
    ):
        return recipe
    variables = {**recipe.variables, "TORCHDYNAMO_REPRO_AFTER": "dynamo"}
    return recipe._replace(variables=variables)


def _joined(first: Recipe, recipe: Recipe) -> Recipe:
    variables = {**first.variables, **recipe.variables}
    logs = [r.variables.get("TORCH_LOGS", "") for r in (first, recipe)]
    if any(logs):
        variables["TORCH_LOGS"] = extended(*logs)
    return Recipe(recipe.name, variables, recipe.shows)
