"""Clusters as JSON, in pieces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pt2triage import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._cluster import Cluster
    from pt2triage._clusters import Clusters

TOOL = {"name": "pt2triage", "version": __version__}


def marks(confidential: bool) -> dict[str, bool]:
    """What a document says of itself, if anything."""
    return {"confidential": True} if confidential else {}


def head_of(clusters: Clusters, shown: int) -> dict[str, Any]:
    """The document without its last key, ``clusters``, which lists the first ones."""
    return {
        "schema_version": 1,
        "kind": "clusters",
        **marks(clusters.is_confidential),
        "tool": TOOL,
        "sources": clusters.sources,
        "lines": clusters.lines,
        "malformed": clusters.malformed,
        "unrecognised": clusters.unrecognised,
        "findings": clusters.findings,
        "omitted_findings": clusters.omitted,
        "omitted_clusters": len(clusters) - shown,
        "counts": clusters.counts,
        "unreadable": [one._asdict() for one in clusters.unreadable],
    }


def pieces(clusters: Clusters, shown: Sequence[Cluster]) -> Iterator[str]:
    """The document with these of its clusters, one after the other."""
    head = json.dumps(head_of(clusters, len(shown)), indent=2, ensure_ascii=False)
    yield head.removesuffix("\n}") + ',\n  "clusters": ['
    first = True
    for cluster in shown:
        text = json.dumps(cluster.to_dict(), indent=2, ensure_ascii=False)
        yield ("\n    " if first else ",\n    ") + text.replace("\n", "\n    ")
        first = False
    yield "]\n}\n" if first else "\n  ]\n}\n"
