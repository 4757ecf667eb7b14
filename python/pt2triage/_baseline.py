"""Baselines: findings that are accepted, in a file that is kept with the code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pt2triage._errors import OpenError
from pt2triage._saved import is_saved, load
from pt2triage.report.layout import crop
from pt2triage.report.top_text import what

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._cluster import Cluster

# Columns of an entry's text.
_COLUMNS = 160

Row = dict[str, Any]


class Update(NamedTuple):
    """What an update of a baseline changes: numbers of entries."""

    added: int
    removed: int
    changed: int


def may_replace(path: str) -> bool:
    """Whether a file is a baseline, so that an update may write it anew."""
    return is_saved(path) and _rows(path) is not None


def updated(
    path: str, accepted: Iterable[Cluster], *, keep_words: bool = True
) -> tuple[str, Update]:
    """The text of a baseline that accepts these, and what it changes.

    Entries that stay keep their words, so that a change of the file shows what
    has changed and nothing else; without `keep_words` they get new ones.
    """
    old = _rows(path) or {}
    rows = [
        _row(one, old.get(one.fingerprint) if keep_words else None) for one in accepted
    ]
    rows.sort(key=lambda row: (row["category"], row["cause"], row["fingerprint"]))
    new = {row["fingerprint"]: row for row in rows}
    update = Update(
        added=sum(key not in old for key in new),
        removed=sum(key not in new for key in old),
        changed=sum(key in old and old[key] != row for key, row in new.items()),
    )
    document = {"schema_version": 1, "kind": "baseline", "accepted": rows}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n", update


def _row(one: Cluster, old: Row | None) -> Row:
    user = None
    if one.user_file is not None:  # without folders, which differ by machine
        user = one.user_file.replace("\\", "/").rpartition("/")[2]
        user += f" in {one.user_function}" if one.user_function else ""
    row: Row = {
        "fingerprint": one.fingerprint,
        "category": one.category,
        "cause": one.cause,
        "count": one.count,
        "user": user,
        "what": crop(what(one), _COLUMNS),
    }
    if old is not None:
        row |= {key: old[key] for key in ("user", "what") if key in old}
    return row


def _rows(path: str) -> dict[str, Row] | None:
    """The entries of a baseline by fingerprint; None if it is none."""
    try:
        load(path)
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            document = json.load(file)
    except (OpenError, OSError, ValueError):
        return None
    if document.get("kind") != "baseline":
        return None
    return {row["fingerprint"]: row for row in document["accepted"]}
