"""Reads the plain forms of a command's options without argparse.

Loading argparse takes longer than scanning a log of a few megabytes. The options of
a command are a table that argparse is fed from, and that `read` reads too: what it
understands it reads as argparse does; all else, from ``--help`` to a wrong value, it
leaves to argparse, which has the words for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    # What add_argument() of argparse takes: the names, and the settings.
    Option: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


class Arguments:
    """What the words of a command line say, by name; `run` does it."""

    run: Callable[[Arguments], int]

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def read(words: Sequence[str], options: Iterable[Option]) -> Arguments | None:
    """The arguments of a command; None where argparse has to tell.

    Args:
        words: What follows the name of the command.
        options: All that the command takes. The one without a dash takes one or
            more words, which stand together.
    """
    known: dict[str, tuple[str, dict[str, Any]]] = {}
    values: dict[str, Any] = {}
    rest = ""
    for flags, settings in options:
        name = _name(flags)
        values[name] = False if _is_switch(settings) else settings.get("default")
        if flags[0].startswith("-"):
            known.update((flag, (name, settings)) for flag in flags)
        else:
            rest = name
    given: list[str] = []
    closed = False  # an option came after the first words
    left = iter(words)
    for word in left:
        if _is_plain(word):
            if closed:
                return None
            given.append(word)
            continue
        closed = bool(given)
        flag, glued = _split(word)
        if flag not in known:
            return None
        name, settings = known[flag]
        if _is_switch(settings):
            if glued is not None:
                return None
            values[name] = True
            continue
        text = next(left, "--") if glued is None else glued
        if glued is None and not _is_plain(text):
            return None
        try:
            value = settings.get("type", str)(text)
        except Exception:  # argparse meets it again, and says what is wrong
            return None
        if value not in settings.get("choices", (value,)):
            return None
        if settings.get("action") == "extend":
            value = [*(values[name] or ()), *value]
        values[name] = value
    if not given:
        return None
    values[rest] = given
    return Arguments(**values)


def _name(flags: tuple[str, ...]) -> str:
    """The attribute that holds the value."""
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    return long.lstrip("-").replace("-", "_")


def _is_switch(settings: dict[str, Any]) -> bool:
    return settings.get("action") == "store_true"


def _is_plain(word: str) -> bool:
    """Whether a word is no option, whatever options there are."""
    return not word.startswith("-") or word == "-"


def _split(word: str) -> tuple[str, str | None]:
    """The option in a word, and the value in it: ``--name=value`` or ``-nvalue``."""
    if word.startswith("--"):
        flag, equals, value = word.partition("=")
        return flag, value if equals else None
    if len(word) > 2 and "=" not in word:
        return word[:2], word[2:]
    return word, None
