"""Levels: loggers let more through than they are set to, and show no more for it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_NEVER = logging.CRITICAL + 1


class Levels:
    """Changed levels and what they were. Its owner locks it."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._undo: list[Callable[[], None]] = []

    def __contains__(self, logger: logging.Logger) -> bool:
        return logger.name in self._before

    def tap(
        self, logger: logging.Logger, level: int, take: Callable[..., bool]
    ) -> None:
        """Hands all records of a logger to `take`, which says which of them go on.

        Args:
            logger: The logger of an artifact.
            level: The level that it has without us.
            take: A filter.
        """
        disabled, logger.disabled = logger.disabled, False
        self._before[logger.name] = _NEVER if disabled else level
        logger.setLevel(logging.DEBUG)
        logger.addFilter(take)

        def undo() -> None:
            logger.removeFilter(take)
            logger.disabled = disabled
            if logger.level == logging.DEBUG:  # else somebody chose another one
                logger.setLevel(level)

        self._undo.append(undo)

    def lower(self, logger: logging.Logger) -> None:
        """Lets the warnings of a logger through that is set to errors only."""
        level = self._before[logger.name] = logger.level
        handlers = list(logger.handlers)
        for handler in handlers:
            handler.addFilter(self.shown)

        def undo() -> None:
            for handler in handlers:
                handler.removeFilter(self.shown)
            if logger.level == logging.WARNING:
                logger.setLevel(level)

        logger.setLevel(logging.WARNING)
        self._undo.append(undo)

    def restore(self) -> None:
        while self._undo:
            self._undo.pop()()
        self._before.clear()

    def shown(self, record: logging.LogRecord) -> bool:
        """Whether the levels without us let a record through."""
        logger: logging.Logger | None = logging.getLogger(record.name)
        while logger is not None:
            level = self._before.get(logger.name, logger.level)
            if level:
                return record.levelno >= level
            logger = logger.parent
        return True
