"""The pytest plugin, in runs of pytest of their own; without PyTorch."""

import re
import subprocess
import sys

import pytest

from pytest_runs import PLUGIN

pytest_plugins = ["pytester"]

TWO_TESTS = """
import sys

def test_passes():
    ours = {name for name in sys.modules if name.startswith("pt2triage")}
    assert ours <= {"pt2triage", "pt2triage.pytest_plugin"}
    assert not {"torch", "rich", "jinja2"} & {*sys.modules}

def test_fails():
    assert 1 == 2
"""

WITHOUT_TORCH = "import sys; sys.modules['torch'] = None"


def test_import_loads_nothing() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import pt2triage.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == ["pt2triage", "pt2triage.pytest_plugin"]


def test_a_run_without_it_is_as_it_was(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWO_TESTS)

    def output(*options: str) -> str:
        done = pytester.runpytest_subprocess("--no-header", "-rA", *options)
        done.assert_outcomes(passed=1, failed=1)
        return re.sub(r"in \d+\.\d+s =*", "", done.stdout.str() + done.stderr.str())

    assert output(*PLUGIN) == output("-p", "no:pt2triage")


def test_failures_of_others_get_nothing(pytester: pytest.Pytester) -> None:
    """But for the header: a test that fails by itself is not ours."""
    pytester.makepyfile("def test_fails(): assert 1 == 2")
    done = pytester.runpytest_subprocess(*PLUGIN, "--pt2triage")
    done.stdout.fnmatch_lines("pt2triage: on*")
    assert done.stdout.str().count("pt2triage: ") == 1
    done.stdout.no_fnmatch_line("*= pt2triage =*")
    done.stdout.no_fnmatch_line("*- pt2triage -*")


def test_without_torch(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(WITHOUT_TORCH)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.pt2triage(max_graph_breaks=0)
        def test_marked(): pass

        def test_fixture(pt2triage_report):
            assert pt2triage_report.category is None
            assert repr(pt2triage_report()) == "<Report nothing failed, 1 source>"
        """
    )
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=2)
    pytester.runpytest_subprocess(*PLUGIN, "--pt2triage").assert_outcomes(passed=2)


def test_wrong_markers(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(WITHOUT_TORCH)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.pt2triage(max_graphbreaks=0)
        def test_key(): pass

        @pytest.mark.pt2triage(max_graph_breaks=True)
        def test_value(): pass

        @pytest.mark.pt2triage(1)
        def test_position(): pass

        def test_late(request):
            request.getfixturevalue("pt2triage_report")
        """
    )
    done = pytester.runpytest_subprocess(*PLUGIN, "--strict-markers")
    done.assert_outcomes(failed=3, passed=1)
    done.stdout.fnmatch_lines_random(
        [
            "pt2triage: the marker has no 'max_graphbreaks'; choose from max_graph*",
            "pt2triage: max_graph_breaks: True is no number of 0 or more",
            "pt2triage: the marker takes max_graph_breaks and max_recompiles by name",
        ]
    )


def test_fixture_that_comes_too_late(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "def test_late(request): request.getfixturevalue('pt2triage_report')"
    )
    done = pytester.runpytest_subprocess(*PLUGIN)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines("pt2triage_report must be an argument of the test")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--pt2triage-fail-on=graph", "*there is no category 'graph'; choose from *"),
        ("--pt2triage-top=-1", "*pt2triage_top: '-1' is no number of 0 or more"),
        (
            "--pt2triage-max-recompiles=few",
            "*pt2triage_max_recompiles: 'few' is no number of 0 or more",
        ),
    ],
)
def test_wrong_options(pytester: pytest.Pytester, option: str, message: str) -> None:
    done = pytester.runpytest_subprocess(*PLUGIN, "--pt2triage", option)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(message)


def test_wrong_settings_of_the_project(pytester: pytest.Pytester) -> None:
    """They are read only where the plugin is on."""
    pytester.makepyprojecttoml("[tool.pt2triage]\nignore = 1")
    pytester.makepyfile("def test_passes(): pass")
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)
    done = pytester.runpytest_subprocess(*PLUGIN, "--pt2triage")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines("*pyproject.toml: tool.pt2triage.ignore: it must be *")
