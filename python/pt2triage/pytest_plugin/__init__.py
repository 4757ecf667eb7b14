"""The pytest plugin: says what of PyTorch 2 failed in a test.

This module is loaded by every pytest run of its environment, so it loads nothing but
pytest. The rest is loaded if ``--pt2triage`` is given, or if a test has the marker
``pt2triage`` or the fixture ``pt2triage_report``.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pt2triage.pytest_plugin._live import LiveReport
    from pt2triage.pytest_plugin._manager import Manager

_MARKER = (
    "pt2triage(max_graph_breaks=None, max_recompiles=None): fail the test if PyTorch "
    "breaks graphs or compiles again more often than that while it runs."
)
_NAME = "pt2triage-manager"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pt2triage", "what of PyTorch 2 failed in a test")
    # None: what the ini file says.
    group.addoption(
        "--pt2triage",
        action="store_true",
        default=None,
        help="say of each failing test what of PyTorch 2 failed in it",
    )
    group.addoption(
        "--pt2triage-top",
        type=int,
        metavar="N",
        help="failures that the summary lists (10)",
    )
    group.addoption(
        "--pt2triage-report",
        metavar="PATH",
        help="write the reports of failing tests as JSON",
    )
    group.addoption(
        "--pt2triage-fail-on",
        metavar="CATEGORY[,...]",
        help="fail tests that pass, but have a finding of these categories",
    )
    for what in ("graph-breaks", "recompiles"):
        group.addoption(
            f"--pt2triage-max-{what}",
            metavar="N",
            help=f"fail tests with more {what.replace('-', ' ')}; markers come first",
        )
    parser.addini("pt2triage", "as --pt2triage", type="bool", default=False)
    parser.addini("pt2triage_top", "as --pt2triage-top", default="10")
    parser.addini("pt2triage_report", "as --pt2triage-report", default="")
    parser.addini("pt2triage_fail_on", "as --pt2triage-fail-on", default="")
    for name in ("max_graph_breaks", "max_recompiles"):
        option = f"--pt2triage-{name.replace('_', '-')}"
        parser.addini(f"pt2triage_{name}", f"as {option}", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    enabled = config.getoption("pt2triage")
    if enabled is None:
        enabled = config.getini("pt2triage")
    if enabled:
        _register(config, every_test=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if not config.pluginmanager.has_plugin(_NAME) and any(map(asks, items)):
        _register(config, every_test=False)


@pytest.fixture
def pt2triage_report(request: pytest.FixtureRequest) -> LiveReport:
    """What of PyTorch 2 failed in this test until now.

    Its attributes are those of `pt2triage.Report`; called, it gives a report that
    does not change any more.
    """
    from pt2triage.pytest_plugin._live import LiveReport

    if not request.config.pluginmanager.has_plugin(_NAME):
        pytest.fail("pt2triage_report must be an argument of the test", pytrace=False)
    return LiveReport(request.node)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    config, stats = terminalreporter.config, terminalreporter.stats
    failed = [*stats.get("failed", ()), *stats.get("error", ())]
    manager = config.pluginmanager.get_plugin(_NAME)
    if manager is None and any(hasattr(test, "pt2triage") for test in failed):
        # Workers of xdist found the tests that ask.
        manager = _register(config, every_test=False)
    if manager is not None and not config.option.collectonly:
        manager.summarise(terminalreporter, failed)


def asks(item: pytest.Item) -> bool:
    """Whether a test asks for us by itself."""
    marked = item.get_closest_marker("pt2triage") is not None
    return marked or "pt2triage_report" in getattr(item, "fixturenames", ())


def _register(config: pytest.Config, *, every_test: bool) -> Manager:
    from pt2triage.pytest_plugin._manager import Manager
    from pt2triage.pytest_plugin._settings import Settings

    manager = Manager(Settings.of(config, every_test=every_test))
    config.pluginmanager.register(manager, _NAME)
    return manager
