"""From inputs to outcomes, in order and in constant memory.

What only streams and archives need is loaded where it is used: a scan of plain files
has to start quickly.
"""

from __future__ import annotations

import errno
import io
import os

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._outcome import OWN, Meter, Outcome, Settings, open_error, out_of_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pt2triage._inputs import Inputs
    from pt2triage._limits import Limits
    from pt2triage._state import State
    from pt2triage._types import Progress, Readable


def scan_inputs(
    inputs: Inputs,
    *,
    verify: bool = False,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    state: State | None = None,
    judge: bool = False,
    tables: bool = False,
) -> Iterator[Outcome]:
    """One outcome for each source, in order: a file, a member of an archive, a
    debug folder. Regular files are read by threads of the core, a few hundred ahead
    of what was taken; pipes, archives in archives and remote files here. What
    `state` knows already is not read. With `judge`, threads make the report of each
    file too: such results can be made reports, but not be merged. With `tables`,
    results hold the tables of traces.
    """
    settings = Settings(verify=verify, jobs=jobs, limits=limits, skip=inputs.skip)
    settings.judge = judge and state is None and not inputs.folders
    settings.tables = tables
    if progress is not None:
        settings.meter = Meter(progress, inputs.total_size())
    outcomes = _of_each(inputs, settings, state)
    done = 0
    for folder in inputs.folders:
        for _ in range(done, folder.start):
            yield from next(outcomes)
        results: list[_core.Result | None] = []
        for _ in range(folder.start, folder.stop):
            members = list(next(outcomes))
            # An archive among the logs of a debug folder is only listed.
            results.append(members[0].result if len(members) == 1 else None)
            for member in members:
                if member.error is not None:
                    yield Outcome.failed(member.error)
        yield Outcome(folder.name, folder.merge(results))
        if folder.omitted:
            inputs.skip("debug files", folder.omitted)
        done = folder.stop
    for each in outcomes:
        yield from each


def outcomes_of_streams(
    inputs: Inputs, settings: Settings, progress: Progress | None = None
) -> Iterator[Outcome]:
    """The outcomes of all sources, in order, each read here as a stream and given to
    the scanner of the settings."""
    if progress is not None:
        settings.meter = Meter(progress, inputs.total_size())
    for i, path in enumerate(inputs.paths):
        kind = inputs.special.get(i)
        if kind is not None:
            yield from _of_special(path, kind, settings)
        else:
            yield from _of_pipe(path, settings, only_text=inputs.found[i])


def _of_each(
    inputs: Inputs, settings: Settings, state: State | None
) -> Iterator[Iterator[Outcome]]:
    """The outcomes of each path; to be used up before the next one is asked for."""
    if state is None:
        yield from _of_new(inputs, settings, range(len(inputs.paths)))
        return
    # All are looked at before any is read: what changes meanwhile is not kept.
    new = [
        i
        for i, path in enumerate(inputs.paths)
        if i in inputs.special or not state.knows(path)
    ]
    scanned = _of_new(inputs, settings, new)
    of_new = set(new)
    for i, path in enumerate(inputs.paths):
        if i in of_new:
            yield state.keep(path, next(scanned))
        else:  # unless what was kept is damaged
            yield state.read(path) or next(_of_new(inputs, settings, [i]))


def _of_new(
    inputs: Inputs, settings: Settings, places: Sequence[int]
) -> Iterator[Iterator[Outcome]]:
    """The outcomes of the paths at these places."""
    special = inputs.special
    found = inputs.found
    files = [
        file_to_scan(
            inputs.paths[i],
            only_text=found[i],
            origin=inputs.origins.get(inputs.paths[i], ("", "")),
        )
        for i in places
        if i not in special
    ]
    pool = _core.FileScans(
        files,
        settings.verify,
        settings.jobs,
        settings.limits_of_core,
        settings.judge,
        settings.tables,
    )
    for i in places:
        path = inputs.paths[i]
        kind = special.get(i)
        if kind is not None:
            yield _of_special(path, kind, settings)
            continue
        given = pool.next(settings.meter)
        if isinstance(given, _core.Result):
            yield iter((Outcome.of(path, given),))
        elif isinstance(given, _core.Failure):
            yield iter((Outcome.failed(_why(path, given)),))
        elif given == "binary":
            settings.skip("binary", 1)
            yield iter(())
        elif given == "own":
            settings.skip(OWN, 1)
            yield iter(())
        else:
            yield _of_packed(path, given, bool(found[i]), settings)


def file_to_scan(
    path: str,
    *,
    name: str = "",
    only_text: bool = False,
    origin: tuple[str, str] = ("", ""),
) -> _core._FileToScan:
    """A file as the core takes it.

    Args:
        path: The file.
        name: That of the source; empty: the path.
        only_text: Whether it is passed over if it is no text.
        origin: The CI job and step that wrote it.
    """
    job, step = origin
    return (
        os.fsencode(path),
        os.fsencode(name),
        only_text,
        0,
        os.fsencode(job),
        os.fsencode(step),
        None,
    )


def _of_packed(
    path: str, holds: str, found: bool, settings: Settings
) -> Iterator[Outcome]:
    """The members of an archive, or the one of a compressed file."""
    from pt2triage._streams import Member, scan_stream

    settings.unpacked = 0
    try:
        with io.FileIO(path) as file:
            if holds == "zip":
                from pt2triage._zip import scan_zip_path

                yield from scan_zip_path(path, file, Member(path, 1), settings)
            else:
                member = Member(path, only_text=found)
                yield from scan_stream(file, member, settings)
    except OSError as error:
        yield Outcome.failed(open_error(path, error))
    except MemoryError:
        yield Outcome.failed(out_of_memory(path))


def _of_special(path: str, kind: str, settings: Settings) -> Iterator[Outcome]:
    settings.unpacked = 0
    if kind == "stdin":
        return scan_guarded(_stdin(), "<stdin>", settings)
    if kind == "pipe":
        return _of_pipe(path, settings)
    from pt2triage._remote import scan_remote

    return scan_remote(path, settings, only_text=kind == "found remote")


def _of_pipe(
    path: str, settings: Settings, *, only_text: bool = False
) -> Iterator[Outcome]:
    try:
        file = io.FileIO(path)
    except OSError as error:
        yield Outcome.failed(open_error(path, error))
        return
    with file:
        yield from scan_guarded(file, path, settings, only_text=only_text)


def scan_guarded(
    stream: Readable | None,
    name: str,
    settings: Settings,
    *,
    only_text: bool = False,
) -> Iterator[Outcome]:
    """Scans a stream whose errors are outcomes."""
    from pt2triage._bytes import ByteStream
    from pt2triage._streams import Member, scan_stream

    if stream is None:
        yield Outcome.failed(OpenError(errno.EBADF, "It is closed", name))
        return
    try:
        member = Member(name, only_text=only_text)
        yield from scan_stream(ByteStream(stream), member, settings)
    except OSError as error:
        yield Outcome.failed(open_error(name, error))
    except MemoryError:
        yield Outcome.failed(out_of_memory(name))


def _stdin() -> Readable | None:
    import sys

    return getattr(sys.stdin, "buffer", sys.stdin)


def _why(path: str, failure: _core.Failure) -> OpenError:
    """Why the core could not scan a file."""
    if failure.out_of_memory:
        return out_of_memory(path)
    try:  # the system says it best
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.read(fd, 1)
        finally:
            os.close(fd)
    except OSError as error:
        return open_error(path, error)
    reason = failure.message.removeprefix(f"{path}: ")
    return OpenError(errno.EIO, reason, path)
