"""Documents that were saved before: reports, clusters and baselines as JSON."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Any

from pt2triage import CATEGORIES
from pt2triage._cluster import Cluster, Place, Step
from pt2triage._clusters import COUNTS, Clusters
from pt2triage._errors import OpenError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pt2triage._types import Category

# Bytes in which a document of ours says what it is.
_HEAD = 256
# How a line of `scan --format jsonl` begins.
_LINE = re.compile(rb'\{ ?"fingerprint": ?"')


def is_saved(path: str) -> bool:
    """Whether a file begins as a document of pt2triage does."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return False  # who reads it says why
    return head.startswith(b"{") and (
        b'"schema_version"' in head or _LINE.match(head) is not None
    )


def load(path: str, *, baselines: bool = True) -> Clusters:
    """The clusters of a saved report, of saved clusters or of a baseline.

    Args:
        path: The file.
        baselines: Whether a baseline will do, which knows no lines of code.

    Raises:
        OpenError: The file cannot be read, or holds something else.
    """
    import json

    try:
        with open(path, "rb") as file:
            data = file.read()
        if _LINE.match(data):
            raise _wrong(
                path,
                "it is lines of JSON, and one document is read: save it "
                "with --format json",
            )
        document: object = json.loads(data.decode("utf-8-sig", "replace"))
    except OSError as error:
        raise OpenError(error.errno, error.strerror, path) from error
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"it is not whole JSON: {error}") from error
    if not isinstance(document, dict) or document.get("schema_version") != 1:
        raise _wrong(path, _NO_DOCUMENT)
    if document.get("kind") == "baseline" and not baselines:
        raise _wrong(path, "it is a baseline, which pt2triage check compares with")
    try:
        return _clusters_of(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _wrong(path, f"it is not as pt2triage writes it: {error!r}") from error


_NO_DOCUMENT = (
    "it is no report, clusters or baseline of pt2triage, as scan --format json, "
    "top --format json and check --update-baseline write them"
)


def _wrong(path: str, reason: str) -> OpenError:
    return OpenError(errno.EINVAL, reason, path)


def _clusters_of(document: Mapping[str, Any]) -> Clusters:
    clusters = Clusters()
    clusters.is_confidential = document.get("confidential") is True
    counts = document.get("counts", {})
    clusters.counts = {name: int(counts.get(name, 0)) for name in COUNTS}
    kind = document.get("kind")
    if kind == "baseline":
        for row in document["accepted"]:
            clusters.restore(_restored(row))
    elif kind == "clusters":
        clusters.sources = int(document["sources"])
        clusters.findings = int(document["findings"])
        clusters.omitted = int(document["omitted_findings"])
        clusters.omitted += int(document["omitted_clusters"])
        for row in document["clusters"]:
            clusters.restore(_restored(row))
    else:
        clusters.sources = len(document["sources"])
        clusters.as_one = clusters.sources > 1
        clusters.findings = len(document["findings"])
        clusters.omitted = int(document["omitted_findings"])
        for row in document["findings"]:
            _add_finding(clusters, row)
    return clusters


def _add_finding(clusters: Clusters, row: Mapping[str, Any]) -> None:
    """Findings of one fingerprint differ in their tests only."""
    made = _restored(row)
    known = clusters.get(made.fingerprint)
    if known is None:
        clusters.restore(made)
        return
    known.count += made.count
    known.findings += 1
    known.guards = tuple(dict.fromkeys((*known.guards, *made.guards)))
    known.flaky = known.flaky and made.flaky
    if made.severity == "error":
        known.severity = "error"


def _restored(row: Mapping[str, Any]) -> Cluster:
    """A cluster from a cluster, finding or accepted entry."""
    frame = row.get("user_frame") or {}
    evidence = row.get("evidence", ())
    failures = row.get("guard_failures", ())
    guards = row.get("guards") or [guard["guard"] for guard in failures]
    sources, named = row.get("sources"), len({one["source"] for one in evidence})
    return Cluster(
        fingerprint=_text(row["fingerprint"]),
        category=_category(row["category"]),
        cause=_text(row["cause"]),
        severity="error" if row.get("severity") == "error" else "warning",
        count=_number(row["count"]),
        findings=_number(row.get("findings", 1)),
        sources=_number(named if sources is None else sources),
        exception=_text_or_none(row.get("exception")),
        message=_text_or_none(row.get("message", row.get("what"))),
        reason=_text_or_none(row.get("reason")),
        user_file=_text_or_none(frame.get("file")),
        user_line=None if frame.get("line") is None else _number(frame["line"]),
        user_function=_text_or_none(frame.get("function")),
        guards=tuple(dict.fromkeys(map(_text, guards))),
        remedy=tuple(
            Step(_text(step["action"]), _text_or_none(step["command"]))
            for step in row.get("remedy", ())
        ),
        next_command=_text_or_none(row.get("next_command")),
        flaky=row.get("flaky") is True,
        places=[
            Place(_text(place["source"]), _number(place["line"]))
            for place in (row.get("places") or evidence)
        ],
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _category(value: object) -> Category:
    if value not in CATEGORIES:
        raise ValueError(f"{value!r} is no category")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is no number")
    return value
