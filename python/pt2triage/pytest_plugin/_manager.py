"""Manager: captures each phase of a test, and judges it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from _pytest.outcomes import OutcomeException

from pt2triage._capture import Capture
from pt2triage._errors import MissingTorchError, Pt2TriageError
from pt2triage.pytest_plugin import asks
from pt2triage.pytest_plugin._budget import Budget, broken
from pt2triage.pytest_plugin._ignored import Ignored
from pt2triage.pytest_plugin._live import CAPTURE
from pt2triage.pytest_plugin._told import tell
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Generator

    from pt2triage.pytest_plugin._settings import Settings


class Manager:
    """The hooks of a run in which tests are captured."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def pytest_report_header(self) -> str | None:
        if not self._settings.every_test:
            return None
        from importlib.util import find_spec

        return "pt2triage: on" + (", without torch" * (find_spec("torch") is None))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object]:
        __tracebackhide__ = True
        yield from self._phase(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object]:
        __tracebackhide__ = True
        budget = Budget.of(item, self._settings.budgets, self._settings.fail_on)
        yield from self._phase(item)
        capture = item.stash.get(CAPTURE, None)
        if capture is not None and (
            text := broken(capture.report, budget, self._ignored(item))
        ):
            _fail(text)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object]:
        __tracebackhide__ = True
        yield from self._phase(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        capture = item.stash.get(CAPTURE, None)
        if report.failed and capture is not None:
            # Here, not where it was raised: unittest hands its exceptions over late.
            error = call.excinfo.value if call.excinfo else None
            if error is not None and not isinstance(error, OutcomeException):
                capture.add_exception(error)
            ignored = self._ignored(item)
            whole = bool(self._settings.report)
            tell(item, report, capture.report, ignored, whole=whole)
        if call.when == "teardown" and capture is not None:
            del item.stash[CAPTURE]  # items live until the end of the run
        return report

    def summarise(
        self, terminal: pytest.TerminalReporter, failed: list[pytest.TestReport]
    ) -> None:
        """Prints the summary, and writes the file of reports."""
        from pt2triage.pytest_plugin._summary import summarise, write_report

        lines = list(summarise(failed, self._settings.top))
        if path := self._settings.report:
            try:
                write_report(path, failed)
            except OSError as error:
                lines.append(f"{path}: it cannot be written: {error.strerror}")
            else:
                lines.append(f"Reports: {one_line(path)}")
        if lines:
            terminal.section("pt2triage")
            for line in lines:
                terminal.line(line)

    def _ignored(self, item: pytest.Item) -> Ignored:
        return Ignored(self._settings.config, item.nodeid)

    def _phase(self, item: pytest.Item) -> Generator[None, object]:
        """Runs a phase of a test, captured if it asks; no traceback shows us."""
        __tracebackhide__ = True
        by_itself = asks(item)
        if not by_itself and not self._settings.every_test:
            yield
            return
        capture = item.stash[CAPTURE] = Capture(trace=False)
        try:
            # A test that did not load torch, and does not ask, is not made to.
            if by_itself or "torch" in sys.modules:
                capture.__enter__()
        except MissingTorchError:
            pass
        except Pt2TriageError:  # a torch that is unknown: budgets must not seem kept
            if by_itself:
                raise
        try:
            yield
        finally:
            capture.__exit__(None, None, None)


def _fail(text: str) -> None:
    # Not in a hook: pytest would say that it hides the only frame.
    pytest.fail(text, pytrace=False)
