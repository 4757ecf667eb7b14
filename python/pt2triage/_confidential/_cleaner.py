"""Cleaner: one text without code, folders and secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pt2triage._confidential._code import without_code
from pt2triage._confidential._paths import file_name, without_folders
from pt2triage._confidential._secrets import masked

if TYPE_CHECKING:
    from collections.abc import Iterable

# Texts whose clean form is kept: hints and reasons come again and again.
_CACHE = 4096
# What is left of a text may look like a path again.
_ROUNDS = 4


class Cleaner:
    """Cleans texts; knows paths and code that are hard to tell from prose."""

    def __init__(self, paths: Iterable[str] = (), code: Iterable[str] = ()) -> None:
        """Takes what is known.

        Args:
            paths: Paths; of those with spaces no other rule knows where they end.
            code: Lines of code.
        """
        odd = {path for path in paths if re.search(r"\s.*[/\\]|[/\\].*\s", path)}
        self._paths = sorted(odd, key=len, reverse=True)
        self._code = frozenset(line for line in map(str.strip, code) if len(line) > 3)
        self._cache: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The clean text. Cleaning it again changes nothing."""
        known = self._cache.get(text)
        if known is None:
            known = text
            for path in self._paths:
                known = known.replace(path, file_name(path))
            known = self._cleaned(known)
            if len(self._cache) >= _CACHE:
                self._cache.clear()
            self._cache[text] = known
        return known

    def _cleaned(self, text: str) -> str:
        text = without_code(text, self._code)
        for _ in range(_ROUNDS):
            after = without_folders(masked(text))  # secrets may have slashes
            if after == text:
                break
            text = after
        return text

    def optional(self, text: str | None) -> str | None:
        """The same of what may be unknown."""
        return None if text is None else self(text)


def clean(text: str) -> str:
    """`text` without code, folders and secrets.

    >>> clean("cp ~/acme/model.py s3://acme/x && export API_KEY=abc")
    'cp model.py s3://*** && export API_KEY=***'
    """
    return Cleaner()(text)
