"""How long each compile was in which part of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage.plot._axes import (
    clean,
    empty,
    figure_of,
    legend,
    new_axes,
    title,
    y_labels,
)
from pt2triage.plot._compiles import by_process, process_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pt2triage.plot._compiles import Compile

_SECOND = 1e6
_FUNCTION = 28

# From the outermost phase to the innermost; Triton's column counts C++ kernels too.
PHASES = {
    "Dynamo": "#0072B2",
    "AOTAutograd": "#56B4E9",
    "backward": "#CC79A7",
    "Inductor": "#E69F00",
    "code generation": "#D55E00",
    "kernels (Triton, C++)": "#B8A832",
    "not told": "#999999",
}


def phase_times(one: Compile) -> dict[str, int]:
    """Microseconds in each phase by itself; together they are the whole compile.

    Each phase that is known is cut to the one around it. The backward is around
    Inductor where it was compiled alone, later; else it is beside all others.
    """
    forward = [("Dynamo", one.dynamo_us), ("AOTAutograd", one.aot_us)]
    alone = one.backward_us is not None and not any(time for _, time in forward)
    outer = [("backward", one.backward_us)] if alone else forward
    chain = [
        (name, time)
        for name, time in (
            *outer,
            ("Inductor", one.inductor_us),
            ("code generation", one.codegen_us),
            ("kernels (Triton, C++)", one.triton_us),
        )
        if time is not None
    ]
    times: dict[str, int] = {}
    around = None
    for name, time in chain:
        inside = time if around is None else min(time, times[around])
        if around is not None:
            times[around] -= inside
        times[name] = inside
        around = name
    if one.backward_us is not None and not alone:
        times["backward"] = one.backward_us
    if not times and one.duration_us is not None:
        times["not told"] = one.duration_us
    return {name: time for name, time in times.items() if time > 0}


def time_by_phase(compiles: Sequence[Compile], top: int, ax: Axes | None) -> Figure:
    """Stacked bars of the `top` longest compiles, the longest first."""
    timed = [(one, times) for one in compiles if (times := phase_times(one))]
    timed.sort(key=lambda pair: -sum(pair[1].values()))
    shown = timed[:top]
    ax = new_axes(ax, 1.4 * len(shown))
    if not shown:
        return empty(ax, "No compiles with a known time")
    for row, (_, times) in enumerate(shown):
        left = 0.0
        for name, colour in PHASES.items():
            if name in times:
                width = times[name] / _SECOND
                ax.barh(row, width, left=left, height=0.7, color=colour)
                left += width
        ax.text(left, row, f" {_seconds(left)}", va="center", fontsize="small")
    y_labels(ax, _labels(compiles, [one for one, _ in shown]))
    longest = sum(shown[0][1].values()) / _SECOND
    ax.set_xlim(0, longest * 1.12)
    ax.set_xlabel("seconds", fontsize="small")
    used = {name for _, times in shown for name in times}
    legend(ax, {name: PHASES[name] for name in PHASES if name in used})
    total = sum(sum(times.values()) for _, times in timed) / _SECOND
    words = f"{_seconds(total)} in {len(timed):,} compile{'s' * (len(timed) != 1)}"
    title(ax, words, _note(len(timed) - len(shown), len(compiles) - len(timed)))
    return figure_of(ax)


def _labels(compiles: Sequence[Compile], shown: Sequence[Compile]) -> list[str]:
    """The id and function of each; the process too, if there are several."""
    names = process_names(by_process(compiles))
    labels = []
    for one in shown:
        words = f"{one.compile_id} {clean(one.function, _FUNCTION)}"
        if len(names) > 1:
            words = f"{names[one.rank, one.process, one.session]} {words}"
        labels.append(clean(words, _FUNCTION + 20))
    return labels


def _seconds(seconds: float) -> str:
    """A time to read.

    >>> _seconds(12.345), _seconds(0.0123)
    ('12.3 s', '12.3 ms')
    """
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def _note(more: int, untimed: int) -> str:
    notes = []
    if more:
        notes.append(f"{more:,} shorter ones are not shown")
    if untimed:
        notes.append(f"{untimed:,} without a time are not shown")
    return "; ".join(notes)
