"""Plots: what is drawn is what the report has, and hostile text is only text."""

import itertools
import subprocess
import sys
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import pt2triage
from cases import case
from hostile_texts import HOSTILE, hostile
from made_compiles import MS, MadeCompile, frame, made_run
from made_reports import report_of
from pt2triage.plot import CompilePlots, ReportPlots
from pt2triage.plot._compiles import OUTCOMES, outcome_of
from pt2triage.plot._phases import phase_times

BREAKS = case("2.13.0/breaks").log
LONG = "very_long_name" * 50


def axes_of(figure: Figure) -> Axes:
    (axes,) = figure.axes
    return axes


def labels(figure: Figure) -> list[str]:
    return [label.get_text() for label in axes_of(figure).get_yticklabels()]


def words(figure: Figure) -> str:
    """All that is written."""
    return "\n".join(text.get_text() for text in texts(figure))


def texts(figure: Figure) -> list[Text]:
    found: list[Any] = figure.findobj(Text)
    return [text for text in found if text.get_text() and text.get_visible()]


def lengths(figure: Figure) -> dict[str, float]:
    """How long the bar of each label is."""
    rows: dict[int, float] = {}
    for patch in axes_of(figure).patches:
        if isinstance(patch, Rectangle):
            row = round(patch.get_y() + patch.get_height() / 2)
            rows[row] = rows.get(row, 0) + patch.get_width()
    return {label: rows[row] for row, label in enumerate(labels(figure))}


def colour(outcome: str) -> str:
    return OUTCOMES[outcome][0].lower()


# Reports: real logs.


def test_breaks_by_line() -> None:
    report = pt2triage.scan(BREAKS)
    figure = report.plot.breaks_by_line()
    wanted = Counter[int]()
    for finding in report.graph_breaks:
        assert finding.user_frame is not None
        assert finding.user_frame.line is not None
        wanted[finding.user_frame.line] += finding.count
    assert {
        int(label.partition(":")[2].split()[0]): length
        for label, length in lengths(figure).items()
    } == wanted
    assert "breaks.py:5 in print_break" in labels(figure)
    assert 'print("hello")' in words(figure)
    assert "files below /home/dev/model" in words(figure)
    legend = axes_of(figure).get_legend()
    assert legend is not None
    assert {text.get_text() for text in legend.get_texts()} == {
        finding.cause for finding in report.graph_breaks
    }


def test_most_breaks_come_first_and_the_rest_is_counted() -> None:
    report = report_of(
        *(
            {
                "category": "graph_break",
                "cause": f"cause-{line % 3}",
                "count": line,
                "user_frame": {"file": "a.py", "line": line, "function": "f"}
                | {"code": None},
            }
            for line in range(1, 8)
        )
    )
    figure = ReportPlots(report).breaks_by_line(top=2)
    assert lengths(figure) == {"a.py:7 in f": 7, "a.py:6 in f": 6}
    assert labels(figure) == ["a.py:7 in f", "a.py:6 in f"]
    assert "5 more lines with 15 are not shown" in words(figure)
    assert "28 graph breaks by line" in words(figure)


def test_recompiles_by_guard() -> None:
    report = pt2triage.scan(BREAKS)
    figure = report.plot.recompiles_by_guard()
    found = lengths(figure)
    assert found["G['glob']\nbreaks.py:46 in g"] == 8
    assert found["n\nbreaks.py:34 in recompiles"] == 3
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert "recompile limit reached" in words(figure)
    assert f"{report.counts.recompiles} recompiles by guard" in words(figure)


def test_a_guard_that_fails_twice_in_one_recompile_counts_once() -> None:
    guard: dict[str, Any] = {"guard": "n == 3", "cause": "scalar-value"}
    guard |= dict.fromkeys(("compile_id", "expected", "actual", "user_code"))
    report = report_of({"guard_failures": [guard | {"source": "n"}] * 2, "count": 1})
    assert set(lengths(ReportPlots(report).recompiles_by_guard()).values()) == {1}


# Compiles: synthetic rows.


def spans(figure: Figure) -> list[tuple[str, float, float, float]]:
    """Colour, row, begin and end of each bar of a timeline."""
    found = []
    for bars in axes_of(figure).collections:
        if isinstance(bars, PolyCollection):
            shades: Any = bars.get_facecolor()
            for path in bars.get_paths():
                box = path.get_extents()
                row = (box.y0 + box.y1) / 2
                found.append((to_hex(shades[0]), round(row, 3), box.x0, box.x1))
    return found


def test_timeline() -> None:
    rows = [*made_run(1, "b.log"), *made_run(0, "a.log")]
    figure = CompilePlots(rows).timeline()
    assert [label for label in labels(figure) if label] == ["rank 0", "rank 1"]
    found = spans(figure)
    assert Counter(shade for shade, *_ in found) == Counter(
        colour(outcome_of(one)) for one in rows
    )
    for row in {row for _, row, _, _ in found}:
        bars = sorted(span[2:] for span in found if span[1] == row)
        for (_, end), (begin, _) in itertools.pairwise(bars):
            assert end <= begin
    assert max(end for *_, end in found) == pytest.approx(7.5)
    assert "0/0 forward" in words(figure)


def test_timeline_says_what_it_leaves_out() -> None:
    rows = [frame(0), frame(1, start_us=None)]
    figure = CompilePlots(rows).timeline()
    assert "1 without a time are not shown" in words(figure)
    many = [frame(0, rank=rank, process=f"{rank}") for rank in range(1000)]
    figure = CompilePlots(many).timeline()
    assert "872 more rows are not shown" in words(figure)
    assert figure.get_figheight() <= 100


def test_sessions_and_processes_have_names_of_their_own() -> None:
    rows = [
        frame(0, rank=0, process="a.log"),
        frame(0, rank=0, process="b.log"),
        frame(0, process="c.log"),
        frame(0, process="c.log", session=1),
    ]
    assert labels(CompilePlots(rows).timeline()) == [
        "rank 0 a.log",
        "rank 0 b.log",
        "c.log session 0",
        "c.log session 1",
    ]


def test_time_by_phase() -> None:
    rows = made_run()
    figure = CompilePlots(rows).time_by_phase()
    found = lengths(figure)
    assert found["0/0 forward"] == pytest.approx(1.0)
    assert found["!0/4/0 backward"] == pytest.approx(0.9)
    figure = CompilePlots(rows).time_by_phase(top=1)
    assert labels(figure) == ["0/0 forward"]
    assert "7 shorter ones are not shown" in words(figure)


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, [200, 200, 100, 200, 300]),
        ({"inductor_us": None, "codegen_us": None, "triton_us": None}, [200, 800]),
        ({"aot_us": None}, [400, 100, 200, 300]),
        ({"backward_us": 50 * MS}, [200, 200, 100, 200, 300, 50]),
        (
            {"dynamo_us": None, "aot_us": None, "backward_us": 700 * MS},
            [100, 100, 200, 300],
        ),
    ],
)
def test_phases_are_without_what_is_in_them(
    more: dict[str, Any], wanted: list[int]
) -> None:
    times = phase_times(frame(0, **more))
    assert list(times.values()) == [time * MS for time in wanted]


def test_a_compile_without_phases_has_its_duration() -> None:
    names = ("dynamo_us", "aot_us", "inductor_us", "codegen_us", "triton_us")
    nothing: dict[str, Any] = dict.fromkeys(names)
    assert phase_times(frame(0, **nothing)) == {"not told": 1_000 * MS}
    assert phase_times(frame(0, duration_us=None, **nothing)) == {}


TIME = st.none() | st.integers(0, 10**9)


@given(st.tuples(TIME, TIME, TIME, TIME, TIME))
def test_phases_add_up_to_the_outermost(times: tuple[int | None, ...]) -> None:
    names = ("dynamo_us", "aot_us", "inductor_us", "codegen_us", "triton_us")
    known: dict[str, Any] = dict(zip(names, times, strict=True))
    one = frame(0, duration_us=None, **known)
    outermost = next((time for time in times if time is not None), 0)
    assert sum(phase_times(one).values()) == outermost


def markers(figure: Figure) -> Counter[tuple[str, int]]:
    """How many markers there are of each colour and size."""
    found = Counter[tuple[str, int]]()
    for dots in axes_of(figure).collections:
        if isinstance(dots, PathCollection):
            places: Any = dots.get_offsets()
            shades: Any = dots.get_facecolor()
            if number := len(places):
                found[to_hex(shades[0]), round(float(dots.get_sizes()[0]))] += number
    return found


def test_compile_ids() -> None:
    rows = made_run()
    figure = CompilePlots(rows).compile_ids()
    found = markers(figure)
    dots = found.pop((colour("restarted"), 14))
    assert dots == sum(one.attempts - 1 for one in rows)
    assert {shade: number for (shade, _), number in found.items()} == Counter(
        colour(outcome_of(one)) for one in rows
    )
    for one in rows:
        assert one.compile_id in words(figure)
    assert "compiled autograd !0" in words(figure)
    assert "frame 1: attention (net.py:40)" in labels(figure)
    assert "rank" not in words(figure)  # there is one process


def test_compile_ids_of_several_ranks() -> None:
    figure = CompilePlots([*made_run(0), *made_run(1)]).compile_ids()
    assert "rank 0" in words(figure)
    assert labels(figure).count("frame 3: loss (net.py:12)") == 2


def test_a_frame_that_is_compiled_very_often() -> None:
    rows = [frame(0, again, attempts=9) for again in range(20)]
    figure = CompilePlots(rows).compile_ids()
    assert "+4" in words(figure)
    assert "0/3 x9" in words(figure)


# All of them.


def every_plot(text: str) -> list[Figure]:
    """Each plot, with `text` wherever a log has its say."""
    breaks = hostile(text, category="graph_break")
    report = ReportPlots(report_of(breaks, hostile(text)))
    row = MadeCompile(function=text, file=text, process=text, compile_id=text)
    other = MadeCompile(function=text, file=text, process=f"{text}2", compile_id=text)
    compiles = CompilePlots([row, other])
    return [
        report.breaks_by_line(),
        report.recompiles_by_guard(),
        compiles.timeline(),
        compiles.time_by_phase(),
        compiles.compile_ids(),
    ]


@pytest.mark.parametrize("text", [*HOSTILE, LONG, "$" + LONG, "", "漢字 \U0001f600"])
def test_hostile_text_is_shown_as_it_is(text: str) -> None:
    for figure in every_plot(text):
        written = texts(figure)
        assert not any(one.get_parse_math() for one in written if "$" in one.get_text())
        for one in written:
            assert all(line.isprintable() for line in one.get_text().split("\n"))
            assert max(map(len, one.get_text().split("\n"))) <= 80
        assert "Rectangle" not in words(figure)
        # Every warning is an error here, that of a missing glyph, too.
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_formulas_are_not_set() -> None:
    name = r"$\alpha$ $x_1$"
    for figure in every_plot(name):
        assert name in words(figure)


def test_a_folder_is_no_formula() -> None:
    places = [{"file": f"/$a$/b/{name}.py", "line": 1} for name in ("m", "n")]
    more: dict[str, Any] = {"category": "graph_break"}
    report = report_of(
        *(
            more | {"user_frame": place | {"function": "f", "code": None}}
            for place in places
        )
    )
    figure = ReportPlots(report).breaks_by_line()
    (note,) = (one for one in texts(figure) if "/$a$/b" in one.get_text())
    assert not note.get_parse_math()


def test_nothing_to_draw_is_said() -> None:
    report, none = pt2triage.scan(b"").plot, CompilePlots([])
    for figure, said in (
        (report.breaks_by_line(), "No graph breaks"),
        (report.recompiles_by_guard(), "No recompiles"),
        (report.timeline(), "No compiles with a known time"),
        (none.time_by_phase(), "No compiles with a known time"),
        (none.compile_ids(), "No compiles"),
        (CompilePlots([frame(0, start_us=None)]).timeline(), "No compiles with"),
    ):
        assert said in words(figure)
        assert not axes_of(figure).patches


def test_axes_of_the_caller() -> None:
    figure = Figure()
    parts: Any = figure.subfigures(1, 2)
    left, right = parts[0].subplots(), parts[1].subplots()
    assert pt2triage.scan(BREAKS).plot.breaks_by_line(ax=left) is figure
    assert CompilePlots(made_run()).compile_ids(ax=right) is figure
    assert left.patches
    assert right.collections


def test_plots_are_named() -> None:
    assert repr(pt2triage.scan(b"").plot) == (
        "<ReportPlots: breaks_by_line, compile_ids, recompiles_by_guard, "
        "time_by_phase, timeline>"
    )


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'pt2triage\[plot\]'"):
        pt2triage.scan(b"").plot.breaks_by_line()


def test_pyplot_is_not_touched() -> None:
    """Nor is matplotlib loaded before the first plot."""
    code = (
        "import sys, pt2triage\n"
        "plot = pt2triage.scan(b'').plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot.breaks_by_line()._repr_png_()\n"
        "assert 'matplotlib' in sys.modules\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("inline", [False, True])
def test_notebooks_show_it(inline: bool) -> None:
    """Whether or not the notebook has loaded pyplot, which shows figures itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from IPython.core.interactiveshell import InteractiveShell
        from IPython.core.pylabtools import select_figure_formats
    shell = InteractiveShell()
    try:
        if inline:
            select_figure_formats(shell, {"png"})
        figure = CompilePlots(made_run()).timeline()
        shown, _ = shell.display_formatter.format(figure)
        assert shown["image/png"]
    finally:
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()
