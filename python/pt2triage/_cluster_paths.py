"""Scanning many sources into clusters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pt2triage._batch import scan_each
from pt2triage._clusters import Clusters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pt2triage._scan import PathInput
    from pt2triage._types import Progress


def cluster(
    paths: PathInput | Iterable[PathInput],
    *,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Clusters:
    """Scans many sources one by one and groups what failed by fingerprint.

    Args:
        paths: A path, or many: files and folders, as for `scan`.
        verify: Check the MD5 sums of trace payloads.
        jobs: Sources to read at the same time; all cores if not given.
        progress: Called about 20 times a second with the bytes done and the
            bytes in all (None if unknown). What it raises stops the scan.

    Returns:
        The clusters. What cannot be read is in their `unreadable`.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = (paths,)
    clusters = Clusters()
    for one in scan_each(paths, verify=verify, jobs=jobs, progress=progress):
        if one.report is not None:
            clusters.add(one.report)
        if one.error is not None:
            clusters.add_unreadable(one.name, str(one.error.strerror))
    return clusters
