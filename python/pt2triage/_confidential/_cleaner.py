"""Cleaner: one text without code, folders and secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._confidential._code import without_code, without_known
from pt2triage._confidential._paths import file_name, without_folders
from pt2triage._confidential._secrets import masked

if TYPE_CHECKING:
    from collections.abc import Iterable

# Texts whose clean form is kept: hints and reasons come again and again.
_CACHE = 4096
# What is left of a text may look like a path again.
_ROUNDS = 4
# A path with a space in it: no rule knows where it ends.
_ODD = re.compile(r"\s.*[/\\]|[/\\].*\s")


class Cleaner:
    """Cleans texts."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._code: list[str] = []
        self._cache: dict[str, str] = {}

    def knowing(
        self, paths: Iterable[str | None], code: Iterable[str | None] = ()
    ) -> Cleaner:
        """A cleaner for texts in which these paths and lines of code may stand.

        They are hard to tell from prose. It shares the memory of this one.
        """
        made = Cleaner()
        made._cache = self._cache
        odd = {path for path in paths if path and _ODD.search(path)}
        made._paths = sorted(odd, key=len, reverse=True)
        lines = {line.strip() for line in code if line}
        made._code = sorted(lines, key=len, reverse=True)
        return made

    def __call__(self, text: str) -> str:
        """The clean text. Cleaning it again changes nothing."""
        for path in self._paths:
            text = text.replace(path, file_name(path))
        for line in self._code:
            text = without_known(text, line)
        known = self._cache.get(text)
        if known is None:
            if len(self._cache) >= _CACHE:
                self._cache.clear()
            known = self._cache[text] = _cleaned(text)
        return known

    def optional(self, text: str | None) -> str | None:
        """The same of what may be unknown."""
        return None if text is None else self(text)


def clean(text: str) -> str:
    """`text` without code, folders and secrets.

    >>> clean("cp ~/acme/model.py s3://acme/x && export API_KEY=abc")
    'cp model.py s3://*** && export API_KEY=***'
    """
    return _cleaned(text)


def _cleaned(text: str) -> str:
    text = without_code(text)
    for _ in range(_ROUNDS):
        after = without_folders(masked(text))  # secrets may have slashes
        if after == text:
            break
        text = after
    return text
