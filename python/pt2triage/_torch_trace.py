"""TraceTap: hears the records that ``TORCH_TRACE`` would write."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class TraceTap(logging.Handler):
    """A handler of torch's trace log; torch before 2.4 has none. Thread-safe."""

    def __init__(self, internal: Any) -> None:
        super().__init__(logging.DEBUG)
        self._internal = internal
        self._log: logging.Logger | None = getattr(internal, "trace_log", None)
        self._takers: tuple[Callable[[str], None], ...] = ()
        self._guard = threading.Lock()
        if self._log is not None:
            self.setFormatter(internal.TorchLogsFormatter(trace=True))

    def add(self, taker: Callable[[str], None]) -> None:
        """Begins to tell `taker`, as a file begins: with what is known already."""
        if self._log is None:
            return
        for metadata, payload in self._beginning():
            taker(self.format(_record(self._internal, metadata, payload)))
        with self._guard:
            self._takers = (*self._takers, taker)
            if self not in self._log.handlers:
                # The first: torch's own one, without a folder, removes itself at the
                # first record, and the one that follows it is then passed over.
                self._log.handlers.insert(0, self)

    def remove(self, taker: Callable[[str], None]) -> None:
        with self._guard:
            self._takers = tuple(x for x in self._takers if x != taker)
            if self._log is not None and not self._takers:
                self._log.removeHandler(self)

    def handle(self, record: logging.LogRecord) -> bool:
        takers = self._takers
        try:
            text = self.format(copy.copy(record))
        except Exception:
            return False  # torch drops what JSON has no form for, too
        for taker in takers:
            taker(text)
        return True

    def _beginning(self) -> Iterator[tuple[dict[str, Any], str | None]]:
        """The version of torch, and the names of files that were numbered before."""
        import torch

        payload = json.dumps({"pytorch_version": str(torch.__version__)}, indent=0)
        digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        artifact = {"name": "torch_version", "encoding": "json"}
        yield {"artifact": artifact, "has_payload": digest}, payload
        structured = getattr(torch._logging, "structured", None)
        for name, number in dict(getattr(structured, "INTERN_TABLE", {})).items():
            yield {"str": [name, number]}, None


def _record(
    internal: Any, metadata: dict[str, Any], payload: str | None
) -> logging.LogRecord:
    record = logging.LogRecord(
        "torch.__trace", logging.DEBUG, internal.__file__, 1, "", (), None
    )
    record.__dict__.update(metadata=metadata, payload=payload)
    return record
