"""The page of one compile: its facts, and what it left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage import __version__
from pt2triage._traces.times import phases_of, time_of
from pt2triage.report.page_rows import cut
from pt2triage.report.templating import html_environment, script_hash
from pt2triage.report.trace_links import INDEX, title_of
from pt2triage.report.trace_text import duration, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pt2triage import _core
    from pt2triage.report.trace_artifacts import Artifacts, Key
    from pt2triage.report.trace_blocks import Blocks
    from pt2triage.report.trace_links import Pages
    from pt2triage.report.trace_metrics import Metrics
    from pt2triage.report.trace_rows import Rows

SCRIPTS = ("trace_code.js", "trace_compile.js")

# Rows of a list; artifacts of a page.
_ROWS = 200
_ARTIFACTS = 2000


class CompilePages:
    """Makes the pages of compiles, one after the other."""

    def __init__(
        self,
        rows: Rows,
        metrics: Metrics,
        artifacts: Artifacts,
        blocks: Blocks,
        pages: Pages,
    ) -> None:
        self._rows = rows
        self._metrics = metrics
        self._artifacts = artifacts
        self._blocks = blocks
        self._pages = pages
        self._template = html_environment().get_template("trace_compile.html.j2")
        self._policy = " ".join(f"'sha256-{script_hash(name)}'" for name in SCRIPTS)

    def page(self, key: Key, before: Key | None, after: Key | None) -> str:
        """The page of a compile; `before` and `after` are those that it leads to."""
        pages = self._pages
        compiles = self._rows.compiles.get(key, [])
        artifacts = self._artifacts.of(key)
        lists, left = self._lists(key)
        left["artifact"] = max(len(artifacts) - _ARTIFACTS, 0)
        return self._template.render(
            version=__version__,
            policy=self._policy,
            index=f"../{INDEX}",
            me=pages.link(key, ""),
            title=title_of(key[1]),
            before=pages.link(before, "") if before else None,
            after=pages.link(after, "") if after else None,
            compiles=[(one, _facts(one)) for one in compiles],
            function=next((c.function for c in compiles if c.function), ""),
            **lists,
            left=left,
            metrics=self._metrics.of(key),
            shown=self._blocks.of(key, artifacts[:_ARTIFACTS]),
            number=len(artifacts),
            where=where,
            duration=duration,
            cut=cut,
        )

    def _lists(self, key: Key) -> tuple[dict[str, Sequence[object]], dict[str, int]]:
        """The rows of each table, and how many are left out."""
        rows = self._rows
        tables: dict[str, Sequence[object]] = {
            "breaks": rows.breaks.get(key, ()),
            "recompiles": rows.recompiles.get(key, ()),
            "cache_events": rows.cache_events.get(key, ()),
            "symbols": rows.symbols.get(key, ()),
            "collectives": rows.collectives.get(key, ()),
        }
        lists = {name: table[:_ROWS] for name, table in tables.items()}
        return lists, {name: max(len(t) - _ROWS, 0) for name, t in tables.items()}


def _facts(one: _core.Compile) -> list[tuple[str, str]]:
    """Label and value of what is known."""
    phases = [(name, time) for name, time in phases_of(one).items() if time]
    numbers = (
        ("operations", one.graph_ops),
        ("nodes", one.graph_nodes),
        ("inputs", one.graph_inputs),
        ("guards", one.guards),
        ("graph breaks", one.graph_breaks or None),
    )
    rows = [
        ("outcome", one.outcome),
        ("function", one.function),
        ("at", where(one.file, one.line)),
        ("attempts", f"{one.attempts:,}" if one.attempts > 1 else ""),
        ("time", duration(time_of(one)) if time_of(one) else ""),
        ("by phase", ", ".join(f"{name} {duration(time)}" for name, time in phases)),
        ("lost to restarts", duration(one.restart_us) if one.restart_us else ""),
        ("FX graph cache", one.fx_cache),
        ("AOTAutograd cache", one.aot_cache),
        ("saved by caches", duration(one.cache_saved_us) if one.cache_saved_us else ""),
        *((label, "" if n is None else f"{n:,}") for label, n in numbers),
        ("graph hash", one.graph_hash),
        ("no CUDA graphs", one.cudagraph_skip_reason),
        ("failed at", where(one.fail_file, one.fail_line)),
    ]
    return [(label, cut(value)) for label, value in rows if value]
