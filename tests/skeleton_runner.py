"""Runs test files in one interpreter: python skeleton_runner.py OUT FILE...

Writes to OUT, as JSON, for each file the class of the exception with which its test
failed, or null. With --no-helpers as the last argument the modules that PyTorch's
test helpers need are not there.
"""

import importlib.util
import json
import sys
import unittest
from pathlib import Path
from types import TracebackType
from typing import Any

ExcInfo = tuple[type[BaseException], BaseException, TracebackType]


class Recorder(unittest.TestResult):
    """Keeps the class of the first failure."""

    def __init__(self) -> None:
        super().__init__()
        self.raised: str | None = None

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._keep(err[0])

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._keep(err[0])

    def _keep(self, kind: type[BaseException]) -> None:
        name = f"{kind.__module__}.{kind.__qualname__}"
        self.raised = self.raised or name.removeprefix("builtins.")


def run(path: Path) -> str | None:
    import torch._dynamo

    torch._dynamo.reset()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    recorder = Recorder()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(recorder)
    assert recorder.testsRun == 1, path
    return recorder.raised


if __name__ == "__main__":
    files = sys.argv[2:]
    if files[-1] == "--no-helpers":
        files.pop()
        sys.modules["expecttest"] = None  # type: ignore[assignment]
    raised = {path: run(Path(path)) for path in files}
    Path(sys.argv[1]).write_text(json.dumps(raised), encoding="utf-8")
