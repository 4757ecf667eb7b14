"""The pages of a trace: one folder that works from disk.

The payloads are written as files while the trace is read; the pages come after that,
one by one, and read again what they show.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from pt2triage._errors import OpenError
from pt2triage._traces.chromium import ChromiumFile
from pt2triage._traces.extract import extract, is_extraction, refuse_strangers, written
from pt2triage.report.trace_artifacts import Artifacts, Texts
from pt2triage.report.trace_blocks import Blocks
from pt2triage.report.trace_compile_page import CompilePages
from pt2triage.report.trace_index_page import index_pieces
from pt2triage.report.trace_links import CHROMIUM, COMPILES, FILES, INDEX, Pages
from pt2triage.report.trace_metrics import Metrics
from pt2triage.report.trace_rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pt2triage._inputs import Inputs
    from pt2triage._limits import Limits
    from pt2triage._traces.extract import Extracted
    from pt2triage._traces.trace import Trace
    from pt2triage._types import Progress
    from pt2triage.report.trace_artifacts import Artifact, Key

_OURS = frozenset((INDEX, COMPILES, FILES, CHROMIUM))
_PAGE = re.compile(r"[\w.-]+\.html")
# Pages of compiles at most.
_PAGES = 50_000


class Written:
    """What was written.

    Attributes:
        pages: Pages of compiles.
        left: Compiles without a page, since they are too many.
        events: Chromium events.
        files: What the extraction wrote.
    """

    def __init__(self, pages: int, left: int, events: int, files: Extracted) -> None:
        self.pages = pages
        self.left = left
        self.events = events
        self.files = files


def write_pages(
    source: Sequence[str] | bytes | Inputs,
    folder: str,
    tables: Callable[[], Trace],
    *,
    overwrite: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    failed: Callable[[OpenError], object] | None = None,
) -> Written:
    """Writes the pages of a trace, and its payloads as files.

    Args:
        source: Paths, as `scan` takes them, what they stand for, or content.
        folder: Where to; it must be new or empty.
        tables: Gives the tables of the same source; called in a thread of its own.
        overwrite: Replace a folder that an earlier call has written.
        limits: What compressed data may become.
        progress: Called with the bytes done and the bytes in all.
        failed: Told what cannot be read; without it, that is raised.

    Raises:
        OpenError: The folder cannot be written, or is in use.
    """
    _prepare(folder, overwrite)
    artifacts = Artifacts()
    try:
        with (
            TemporaryFile(dir=folder) as spool,
            ThreadPoolExecutor(1, "pt2triage-tables") as thread,
            open(os.path.join(folder, CHROMIUM), "xb", buffering=1 << 18) as file,
        ):
            trace = thread.submit(tables)
            events = ChromiumFile(file.write)
            metrics = Metrics(spool)
            extracted = extract(
                source,
                os.path.join(folder, FILES),
                chromium=events,
                limits=limits,
                progress=progress,
                failed=failed,
                entry=artifacts.add,
                bare=metrics.add,
            )
            events.finish()
            pages = _write(folder, trace.result(), artifacts, metrics, events.events)
    except OpenError:
        raise
    except OSError as error:
        raise OpenError(error.errno, error.strerror or str(error), folder) from None
    return Written(len(pages.keys), pages.left, events.events, extracted)


def _write(
    folder: str, trace: Trace, artifacts: Artifacts, metrics: Metrics, events: int
) -> Pages:
    """Writes the page of each compile, and the index last: it is there once all is."""
    rows = Rows(trace)
    compiles = ((one.process, one.compile_id) for one in trace.compiles)
    pages = Pages(trace, [*compiles, *_outside(artifacts)], _PAGES)
    blocks = Blocks(Texts(os.path.join(folder, FILES)), pages)
    makes = CompilePages(rows, metrics, artifacts, blocks, pages)
    os.mkdir(os.path.join(folder, COMPILES))
    keys = pages.keys
    for index, key in enumerate(keys):
        before = keys[index - 1] if index else None
        after = keys[index + 1] if index + 1 < len(keys) else None
        path = os.path.join(folder, COMPILES, pages.name(key))
        _write_file(path, [makes.page(key, before, after)])
    outside = [key for key in keys if key[1] is None]
    _write_file(
        os.path.join(folder, INDEX), index_pieces(trace, pages, outside, events)
    )
    return pages


def _outside(artifacts: Artifacts) -> Iterator[Key]:
    """What has artifacts, but for those outside of compiles that another process has
    too: as a rule the version of PyTorch alone."""
    seen: set[tuple[Artifact, ...]] = set()
    for key in artifacts:
        if key[1] is None:
            every = tuple(artifacts.of(key))
            if every in seen:
                continue
            seen.add(every)
        yield key


def _write_file(path: str, pieces: Iterable[str]) -> None:
    with open(path, "xb", buffering=0) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "backslashreplace"))


def written_pages(folder: str) -> set[str]:
    """The files of a folder that are ours: pages, and what the manifest names."""
    compiles = os.listdir(os.path.join(folder, COMPILES))
    pages = {os.path.join(COMPILES, name) for name in compiles if _PAGE.fullmatch(name)}
    files = {os.path.join(FILES, name) for name in written(os.path.join(folder, FILES))}
    return {INDEX, CHROMIUM, *pages, *files}


def _prepare(folder: str, overwrite: bool) -> None:
    """Makes the folder, or sees that it is empty."""
    try:
        os.makedirs(folder, exist_ok=True)
        names = set(os.listdir(folder))
        if not names:
            return
        ours = names <= _OURS and is_extraction(os.path.join(folder, FILES))
        if ours and overwrite and not os.path.islink(folder):
            refuse_strangers(folder, written_pages(folder))
            shutil.rmtree(folder)  # follows no links
            os.makedirs(folder)
            return
    except OSError as error:
        raise OpenError(error.errno, error.strerror or str(error), folder) from None
    why = "It is not empty; name a new folder"
    if ours:
        why += ", or give --overwrite"
    raise OpenError(errno.ENOTEMPTY, why, folder)
