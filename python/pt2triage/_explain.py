"""Looking up words from Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage.knowledge import Explanation


def explain(word: str) -> tuple[Explanation, ...]:
    """Says what a word of PyTorch's compiler, or of a report, means.

    Args:
        word: A category or cause, an exception class, a graph-break id or type, a
            log artifact or alias, an environment variable, a config option, or a
            source file of torch. Case does not matter.

    Returns:
        One explanation for each meaning; none where the word is unknown.

    >>> [found] = explain("GB0059")
    >>> found.kind, found.facts["counts as"]
    ('graph-break', ('graph_break: unsupported-builtin',))
    """
    from pt2triage import knowledge  # reads no table before it is needed

    return knowledge.explain(word)
