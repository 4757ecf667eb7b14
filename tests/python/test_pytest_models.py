"""The pytest plugin on a test suite of compiled models, two of which are spoiled."""

from importlib.util import find_spec

import pytest

from pytest_runs import PLUGIN

pytestmark = pytest.mark.torch
pytest_plugins = ["pytester"]

MODELS = """
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))

    def forward(self, x):
        return self.layers(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        mixed, _ = self.mix(x, x, x, need_weights=False)
        return self.norm(x + mixed)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        y = self.layer(x)
        if y.mean() > 0:  # planted graph break
            y = y * 2
        return y


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # planted recompile
        return self.layer(x) / self.calls
"""

COMMON = """
import pytest, torch
import models

def train(model, *shape, steps=3):
    torch._dynamo.reset()
    torch.manual_seed(0)
    compiled = torch.compile(model, backend="eager")
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        compiled(torch.randn(shape)).square().mean().backward()
        optimiser.step()
        optimiser.zero_grad()
"""

DENSE = """
from common import models, train

def test_mlp():
    train(models.Mlp(), 4, 8)

def test_gated():
    train(models.Gated(), 4, 8)

def test_mlp_of_another_size():
    train(models.Mlp(), 7, 8)
"""

SEQUENCES = """
import pytest
from common import models, train

def test_attention():
    train(models.Attention(), 2, 5, 8)

def test_counting():
    train(models.Counting(), 4, 8)

@pytest.mark.pt2triage(max_recompiles=2)
def test_counting_is_allowed():
    train(models.Counting(), 4, 8)

@pytest.mark.pt2triage(max_graph_breaks=None)
def test_gated_is_allowed():
    train(models.Gated(), 4, 8)
"""

BUDGETS = """
[pytest]
pt2triage = true
pt2triage_max_graph_breaks = 0
pt2triage_max_recompiles = 0
"""


def line_of(text: str) -> int:
    lines = MODELS.strip().splitlines()
    (line,) = (number for number, code in enumerate(lines, 1) if text in code)
    return line


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    # Torch is not loaded here: pytester would unload it, and torch does not bear that.
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    pytester.makepyfile(
        models=MODELS, common=COMMON, test_dense=DENSE, test_sequences=SEQUENCES
    )
    pytester.makeini(BUDGETS)
    return pytester


def test_planted_lines_are_told(suite: pytest.Pytester) -> None:
    done = suite.runpytest_subprocess(*PLUGIN, "-n", "2")
    done.assert_outcomes(passed=5, failed=2)
    done.stdout.fnmatch_lines_random(
        [
            "FAILED test_dense.py::test_gated*",
            "FAILED test_sequences.py::test_counting*",
            "pt2triage: 1 graph break, 0 allowed",
            f"  1x *models.py:{line_of('planted graph break')} in forward  *"
            "(graph_break: data-dependent-branch)",
            "pt2triage: 2 recompiles, 0 allowed",
            "  2x *models.py:*self.calls == *(recompilation: scalar-value)",
            # The guard is of the planted line.
            f"*(*models.py:{line_of('planted recompile')})",
            "2 failures in 2 tests: 1 graph_break, 1 recompilation",
        ]
    )


def test_options_come_before_the_ini_file(suite: pytest.Pytester) -> None:
    options = ("--pt2triage-max-recompiles=2", "--pt2triage-max-graph-breaks=1")
    done = suite.runpytest_subprocess(*PLUGIN, *options, "-k", "gated or counting")
    done.assert_outcomes(passed=4)


def test_budgets_of_all_tests_need_the_plugin_on(suite: pytest.Pytester) -> None:
    suite.makeini(BUDGETS.replace("pt2triage = true", ""))
    done = suite.runpytest_subprocess(*PLUGIN, "test_dense.py")
    done.assert_outcomes(passed=3)
    done.stdout.no_fnmatch_line("pt2triage: on")


IGNORE = """
[tool.pt2triage]
ignore = [{ cause = "data-dependent-*", file = "models.py", reason = "wanted here" }]
"""


def test_what_is_ignored_fails_no_test(suite: pytest.Pytester) -> None:
    """But for budgets, which count it."""
    options = ("--pt2triage-fail-on=graph_break", "-k", "test_gated")
    suite.makepyprojecttoml(IGNORE)
    suite.makeini("[pytest]")
    done = suite.runpytest_subprocess(*PLUGIN, "--pt2triage", *options)
    done.assert_outcomes(passed=2)
    suite.makeini(BUDGETS)
    done = suite.runpytest_subprocess(*PLUGIN, *options)
    done.assert_outcomes(passed=1, failed=1)
    # It is not blamed on what is ignored.
    done.stdout.fnmatch_lines("pt2triage: 1 graph break, 0 allowed")
    done.stdout.no_fnmatch_line("*= pt2triage =*")


def test_a_rule_for_one_test(suite: pytest.Pytester) -> None:
    """What no rule matches fails as before."""
    suite.makepyprojecttoml(
        "[tool.pt2triage]\n"
        'ignore = [{ test = "*::test_gated_is_allowed", reason = "known" }]'
    )
    suite.makeini("[pytest]")
    options = ("--pt2triage", "--pt2triage-fail-on=graph_break", "-k", "test_gated")
    done = suite.runpytest_subprocess(*PLUGIN, *options)
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines("FAILED test_dense.py::test_gated*")
