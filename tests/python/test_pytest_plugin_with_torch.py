"""The pytest plugin with tests that fail in PyTorch."""

import json
import re
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from cases import Json
from pytest_runs import PLUGIN

pytestmark = pytest.mark.torch
pytest_plugins = ["pytester"]

TESTS = """
import unittest
import pytest, torch

def breaks(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos()

def branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1

def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend="eager", **options)

@pytest.mark.parametrize("number", [1, 2])
def test_branch(number):
    compiled(branch, fullgraph=True)(torch.ones(3))

@pytest.mark.pt2triage(max_graph_breaks=0)
def test_budget():
    compiled(breaks)(torch.ones(3))

@pytest.mark.pt2triage(max_graph_breaks=1, max_recompiles=0)
def test_allowed():
    compiled(breaks)(torch.ones(3))

@pytest.mark.pt2triage(max_recompiles=1)
def test_recompiles():
    total = compiled(lambda x: x.sum(), dynamic=False)
    for size in (3, 4, 5):
        total(torch.ones(size))

@pytest.mark.xfail(strict=True)
@pytest.mark.pt2triage(max_graph_breaks=0)
def test_expected():
    compiled(breaks)(torch.ones(3))

def test_own():
    assert 1 == 2

def test_fixture(pt2triage_report):
    assert pt2triage_report.counts.graph_breaks == 0
    compiled(breaks)(torch.ones(3))
    assert pt2triage_report.counts.graph_breaks == 1
    before = pt2triage_report()
    compiled(breaks)(torch.ones(3))
    assert before.counts.graph_breaks == 1
    assert pt2triage_report.counts.graph_breaks == 2

@pytest.fixture
def model():
    return compiled(branch, fullgraph=True)(torch.ones(3))

def test_setup(model):
    pass

class TestClass(unittest.TestCase):
    def test_unittest(self):
        compiled(branch, fullgraph=True)(torch.ones(3))

    @pytest.mark.pt2triage(max_graph_breaks=0)
    def test_unittest_budget(self):
        compiled(breaks)(torch.ones(3))
"""

SUMMARY = [
    "*= pt2triage =*",
    "4 tests  graph_break: data-dependent-branch  *.py:10 in branch",
    "    Unsupported: Data-dependent branching",
    "    and 1 more",
    "2 tests  graph_break: user-inserted  *.py:6 in breaks",
    "3 failures in 7 tests: 2 graph_break, 1 recompilation",
]


@pytest.fixture(autouse=True)
def _needs_torch() -> None:
    # It is not loaded: pytester would unload it, and torch does not bear that.
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(TESTS)
    return pytester


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_failing_tests_are_triaged(
    folder: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    options = ("--pt2triage", "--pt2triage-report=out/r.json", "--junitxml=j.xml")
    done = folder.runpytest_subprocess(*PLUGIN, *options, *workers)
    done.assert_outcomes(failed=7, errors=1, passed=2, xfailed=1)
    done.stdout.fnmatch_lines(SUMMARY)
    done.stdout.fnmatch_lines("Reports: out/r.json")
    done.stdout.fnmatch_lines_random(
        [
            "pt2triage: 1 graph break, 0 allowed",
            "  1x *.py:6 in breaks  *graph_break()*(graph_break: user-inserted)",
            "pt2triage: 2 recompiles, 1 allowed",
            "  2x *expected 3, actual *(recompilation: shape)",
            "ERROR graph_break: data-dependent-branch",
        ]
    )
    done.stdout.no_fnmatch_line("*All traceback entries are hidden*")
    done.stdout.no_fnmatch_line("*pytest_plugin*_manager.py*")
    check_junit((folder.path / "j.xml").read_text())
    check_report(json.loads((folder.path / "out/r.json").read_text()))


def check_junit(text: str) -> None:
    told = {
        str(case.get("name")): {
            str(one.get("name")): str(one.get("value")) for one in case.iter("property")
        }
        for case in ElementTree.fromstring(text).iter("testcase")
    }
    branch = told["test_branch[1]"]
    assert branch["pt2triage"] == "graph_break: data-dependent-branch"
    assert re.fullmatch("[0-9a-f]{12}", branch["pt2triage_fingerprint"])
    assert branch["pt2triage_where"].endswith(":10 in branch")
    assert told["test_unittest"] == told["test_setup"] == branch
    assert told["test_own"] == told["test_allowed"] == {}


def check_report(document: Json) -> None:
    tests = {(one["test"].split("::")[-1], one["when"]) for one in document["tests"]}
    assert len(document["tests"]) == len(tests) == 7
    assert ("test_setup", "setup") in tests
    assert ("test_budget", "call") in tests
    for one in document["tests"]:
        assert one["report"]["category"] in ("graph_break", "recompilation")


def test_markers_alone(folder: pytest.Pytester) -> None:
    """Budgets hold without --pt2triage; tests without one are left alone."""
    options = ("-k", "budget or own or branch", "-n", "1")
    done = folder.runpytest_subprocess(*PLUGIN, *options)
    done.assert_outcomes(failed=5)
    done.stdout.no_fnmatch_line("pt2triage: on")
    done.stdout.fnmatch_lines(["*= pt2triage =*", "2 tests  graph_break: user-ins*"])
    done.stdout.fnmatch_lines("1 failure in 2 tests: 1 graph_break")


def test_torch_that_a_test_loads(pytester: pytest.Pytester) -> None:
    """A budget holds although nothing has loaded torch before."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.pt2triage(max_graph_breaks=0)
        def test_late():
            import torch
            torch.compile(lambda x: torch._dynamo.graph_break(), backend="eager")(1)
        """
    )
    done = pytester.runpytest_subprocess(*PLUGIN, "--pt2triage")
    done.stdout.fnmatch_lines("pt2triage: 1 graph break, 0 allowed")


def test_settings_of_the_ini_file(folder: pytest.Pytester) -> None:
    folder.makeini(
        """
        [pytest]
        pt2triage = true
        pt2triage_fail_on = recompilation, graph_break
        pt2triage_top = 1
        """
    )
    done = folder.runpytest_subprocess(*PLUGIN, "-k", "allowed or branch")
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(
        ["pt2triage: on", "pt2triage: findings that fail a test", "and 1 more failure"]
    )
    done = folder.runpytest_subprocess(
        *PLUGIN, "-k", "allowed", "--pt2triage-fail-on=accuracy"
    )
    done.assert_outcomes(passed=1)
