"""TorchLogs: makes torch's loggers tell us what ``TORCH_LOGS`` would have shown.

One for the process, however many listen. What torch prints does not change: records
that only we want stop at their logger, and the last listener that goes puts all back.
"""

from __future__ import annotations

import copy
import logging
import threading
from typing import TYPE_CHECKING, Any, Protocol

from pt2triage._torch_levels import Levels
from pt2triage._torch_trace import TraceTap

if TYPE_CHECKING:
    from collections.abc import Callable

# As in TORCH_LOGS="graph_breaks,recompiles"; warnings are always shown.
ARTIFACTS = frozenset({"graph_breaks", "recompiles"})

_TAKEN = "_pt2triage_taken"


class Listener(Protocol):
    """Who is told; from any thread, and it must not raise."""

    def on_log(self, text: str) -> None: ...
    def on_lost(self) -> None: ...


class _Enabled(set[str]):
    """Artifacts that the user wants; torch, when it asks, hears of ours too."""

    def __contains__(self, name: object) -> bool:
        return name in ARTIFACTS or super().__contains__(name)

    def by_user(self, name: str) -> bool:
        return super().__contains__(name)


class _Handler(logging.Handler):
    """Takes the warnings of the loggers that torch registers."""

    def __init__(self, take: Callable[[logging.LogRecord], None]) -> None:
        super().__init__(logging.WARNING)
        self._take = take

    def handle(self, record: logging.LogRecord) -> bool:
        self._take(record)  # without the handler's lock: formatting may log
        return True


class TorchLogs:
    """The tap; it needs ``torch._logging._internal`` of 2.2 to 2.13. Thread-safe."""

    def __init__(self, internal: Any) -> None:
        self._internal = internal
        self._lock = threading.RLock()
        self._listeners: tuple[Listener, ...] = ()
        self._handler = _Handler(self._take)
        self._formatter: logging.Formatter = internal.TorchLogsFormatter()
        self._levels = Levels()
        self._undo: list[Callable[[], object]] = []
        self.trace = TraceTap(internal)

    def add(self, listener: Listener) -> None:
        with self._lock:
            if not self._listeners:
                self._attach()
            self._listeners = (*self._listeners, listener)

    def remove(self, listener: Listener) -> None:
        with self._lock:
            self._listeners = tuple(x for x in self._listeners if x is not listener)
            if not self._listeners:
                self._detach()

    def _attach(self) -> None:
        try:
            self._tap()
        except BaseException:
            self._detach()
            raise

    def _tap(self) -> None:
        registry = self._internal.log_registry
        enabled = self._enable()
        for name in registry.get_artifact_log_qnames():
            logger = logging.getLogger(name)
            if getattr(logger, "artifact_name", None) in ARTIFACTS:
                self._levels.tap(logger, logger.level, self._filter)
        self._await_loggers(enabled)
        loggers = [logging.getLogger(name) for name in registry.get_log_qnames()]
        for logger in loggers:
            if logger.level > logging.WARNING:
                self._levels.lower(logger)
            logger.addHandler(self._handler)

        def undo() -> None:
            for logger in loggers:
                logger.removeHandler(self._handler)

        self._undo.append(undo)
        self._stand_aside()

    def _detach(self) -> None:
        while self._undo:
            self._undo.pop()()
        self._levels.restore()

    def _enable(self) -> _Enabled:
        """Torch asks whether to say why it compiles again: yes."""
        state = self._internal.log_state
        by_user: set[str] = state.artifact_names
        enabled = state.artifact_names = _Enabled(by_user)

        def undo() -> None:
            by_user.clear()  # what the user changed meanwhile stays
            by_user.update(enabled)
            if state.artifact_names is enabled:
                state.artifact_names = by_user

        self._undo.append(undo)
        return enabled

    def _await_loggers(self, enabled: _Enabled) -> None:
        """Taps those loggers of artifacts that torch makes later."""
        registry = self._internal.log_registry
        register = registry.register_artifact_log

        def registered(name: str) -> None:
            register(name)
            logger = logging.getLogger(name)
            artifact = getattr(logger, "artifact_name", None)
            with self._lock:
                if self._undo and artifact in ARTIFACTS and logger not in self._levels:
                    by_user = enabled.by_user(artifact)
                    level = logging.DEBUG if by_user else logger.level
                    self._levels.tap(logger, level, self._filter)

        registry.register_artifact_log = registered
        self._undo.append(lambda: registry.__dict__.pop("register_artifact_log", None))

    def _stand_aside(self) -> None:
        """Puts all back while torch sets its logs up anew, as ``set_logs`` does."""
        internal = self._internal
        init = internal._init_logs

        def init_logs(*args: Any, **options: Any) -> None:
            with self._lock:
                listening = bool(self._undo)
                self._detach()
                try:
                    init(*args, **options)
                finally:
                    if listening:
                        self._attach()

        def undo() -> None:
            if internal._init_logs is init_logs:
                internal._init_logs = init

        internal._init_logs = init_logs
        self._undo.append(undo)

    def _filter(self, record: logging.LogRecord) -> bool:
        """A logger of an artifact has a record: where it goes without us, it goes."""
        self._take(record)
        return self._levels.shown(record)

    def _take(self, record: logging.LogRecord) -> None:
        if record.__dict__.get(_TAKEN):
            return  # by the logger of an artifact, or by one further down
        record.__dict__[_TAKEN] = True
        listeners = self._listeners
        try:  # a copy: the formatter leaves texts in it that others would print
            text = self._formatter.format(copy.copy(record))
        except Exception:
            for listener in listeners:
                listener.on_lost()
            return
        for listener in listeners:
            listener.on_log(text)


_made: TorchLogs | None = None
_making = threading.Lock()


def torch_logs() -> TorchLogs:
    """The one of this process; imports torch."""
    global _made
    import torch._logging._internal as internal

    with _making:
        if _made is None:
            _made = TorchLogs(internal)
        return _made
