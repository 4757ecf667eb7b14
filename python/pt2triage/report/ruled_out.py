"""What a report proves not to be the failure, with the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pt2triage._core import Finding
    from pt2triage._report import Report

# Each row: what is ruled out, and its proof; None where the log does not prove it.
# Silence is no proof but where PyTorch always speaks.
Rule = tuple[str, "Callable[[Report, Finding], str | None]"]


def _not_run_time(report: Report, finding: Finding) -> str | None:
    if finding.phase != "trace":
        return None
    return "the stack or the record is of compilation; compiled code had not run"


def _not_compilation(report: Report, finding: Finding) -> str | None:
    if finding.phase != "run":
        return None
    return "the graph had been compiled; the stack or the record is of its run"


def _no_crash(report: Report, finding: Finding) -> str | None:
    if report.counts.crashes or finding.exception is None:
        return None
    return "the process lived to raise an exception, and no signal is in the log"


def _no_device_assert(report: Report, finding: Finding) -> str | None:
    if report.counts.device_asserts or finding.phase != "trace":
        return None
    return "no kernel printed an assertion, and none had run in this stack"


def _no_export(report: Report, finding: Finding) -> str | None:
    if finding.compile_mode != "compile":
        return None
    return "torch.compile is proven, by the stack or the kind of record"


def _no_compile(report: Report, finding: Finding) -> str | None:
    mode = finding.compile_mode or ""
    if not mode.startswith("export"):
        return None
    return "the stack is of torch.export, not of torch.compile's call wrapper"


def _no_backend(report: Report, finding: Finding) -> str | None:
    if finding.category != "graph_break" or finding.phase != "trace":
        return None
    if finding.secondary_categories:
        return None
    return "capture stopped before a backend was given this graph"


def _no_recompiles(report: Report, finding: Finding) -> str | None:
    counts = report.counts
    if counts.recompiles or counts.recompile_limit_hits:
        return None
    if finding.category == "recompilation":
        return None
    if not any(source.trace_records for source in report.sources):
        return None
    return "the trace records each recompile, and there is none in it"


def _no_limit(report: Report, finding: Finding) -> str | None:
    if report.counts.recompile_limit_hits or finding.category == "recompilation":
        return None
    if not any(source.log_records for source in report.sources):
        return None
    return "PyTorch warns of a limit by itself, and there is no such warning"


def _not_every_rank(report: Report, finding: Finding) -> str | None:
    ranks = {rank for source in report.sources for rank in source.ranks}
    if not finding.ranks or not ranks - set(finding.ranks):
        return None
    others = ", ".join(map(str, sorted(ranks - set(finding.ranks))[:8]))
    return f"ranks {others} are in the log without it"


def _not_steady(report: Report, finding: Finding) -> str | None:
    return "the test passed when it was run again" if finding.flaky else None


RULES: tuple[Rule, ...] = (
    ("a failure at run time", _not_run_time),
    ("a failure of compilation", _not_compilation),
    ("a crash of the process", _no_crash),
    ("an assertion on the device", _no_device_assert),
    ("torch.export", _no_export),
    ("torch.compile", _no_compile),
    ("the backend (Inductor)", _no_backend),
    ("recompilation", _no_recompiles),
    ("a recompile limit", _no_limit),
    ("a failure of every rank", _not_every_rank),
    ("a failure of every run", _not_steady),
)

# Not decided by a log in which these do not appear, and what would show it.
_UNDECIDED = (
    ("recompilation", "recompiles", 'TORCH_LOGS="recompiles"'),
    ("graph_break", "graph_breaks", 'TORCH_LOGS="graph_breaks"'),
)


def ruled_out(report: Report, finding: Finding) -> list[tuple[str, str]]:
    """What the report rules out, each with its reason."""
    rows = [(what, proof(report, finding)) for what, proof in RULES]
    return [(what, reason) for what, reason in rows if reason is not None]


def undecided(report: Report, finding: Finding) -> list[tuple[str, str]]:
    """Kinds of events that the log may only be silent about, and how to see them."""
    if any(source.trace_records for source in report.sources):
        return []
    return [
        (count.replace("_", " "), setting)
        for category, count, setting in _UNDECIDED
        if finding.category != category and not getattr(report.counts, count)
    ]
