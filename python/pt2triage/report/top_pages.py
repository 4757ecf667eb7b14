"""Clusters as Markdown, and as a page of HTML that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt2triage import __version__
from pt2triage.report import top_text
from pt2triage.report.layout import crop
from pt2triage.report.templating import environment, html_environment

if TYPE_CHECKING:
    import jinja2

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters

# Clusters that are told in full in Markdown; columns of a line.
_FULL = 5
_COLUMNS = 200


def render_markdown(clusters: Clusters, limit: int | None = 20) -> str:
    """A table for a summary, and where to look for the first clusters."""
    return _render(environment(), "top.md.j2", clusters, limit)


def render_html(clusters: Clusters, limit: int | None = 200) -> str:
    """A page with the table; what a row stands for is folded in it."""
    return _render(html_environment(), "top.html.j2", clusters, limit)


def _render(
    made: jinja2.Environment, name: str, clusters: Clusters, limit: int | None
) -> str:
    made = made.overlay()
    made.filters = made.filters | {
        "what": lambda one: crop(top_text.what(one), _COLUMNS),
        "where": top_text.where,
        "when": top_text.when,
        "places": _places,
        "spans": top_text.spans,
        "or_dash": lambda text: text or "-",
    }
    shown = clusters[:limit]
    page: str = made.get_template(name).render(
        version=__version__,
        heading=top_text.heading(clusters),
        notes=top_text.notes(clusters),
        sources=clusters.sources,
        clusters=shown,
        full=_FULL,
        left=len(clusters) - len(shown),
    )
    return page


def _places(one: Cluster) -> list[str]:
    places = [f"{place.source}:{place.line}" for place in one.places]
    left = one.sources - len(places)
    return [*places, f"and {left:,} more sources"] if left > 0 else places
