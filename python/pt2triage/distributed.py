"""Scanning with many processes and machines: the scans are placed by Dask.

    from dask.distributed import Client
    import pt2triage.distributed

    report = pt2triage.distributed.scan(["s3://ci-logs/night/"], client=Client(...))

The report is the one that `pt2triage.scan` gives on one machine: workers send what
they read as it is before it is judged, and all is judged together here. `scan_batch`
is a plain function of picklable values, for any other engine.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from pt2triage import __version__, _core
from pt2triage._errors import OpenError
from pt2triage._inputs import Inputs, find_inputs
from pt2triage._outcome import Outcome
from pt2triage._report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from distributed import Client, Future

    from pt2triage._limits import Limits
    from pt2triage._scan import PathInput
    from pt2triage._types import Progress

# A batch is handed out when it has as many bytes, or as many sources.
_BATCH_BYTES = 64 << 20
_BATCH_SOURCES = 32
# Batches that wait at each thread of a worker, so that none has to wait for us.
_AHEAD = 2
# Seconds for the scheduler to answer.
_PATIENCE = 10


class Unit(NamedTuple):
    """What one worker reads as a whole: a file, an archive, a debug folder.

    Attributes:
        path: A path or a URL that workers can open.
        found: It was found in a folder, so that it is passed over if it is no text.
        size: Bytes, as far as known.
    """

    path: str
    found: bool = False
    size: int = 0


class Batch(NamedTuple):
    """What a batch gave.

    Attributes:
        outcomes: Of each source, in order.
        skipped: Number of entries passed over, by kind.
    """

    outcomes: list[Outcome]
    skipped: dict[str, int]


def scan(
    paths: PathInput | Iterable[PathInput],
    *,
    client: Client | None = None,
    verify: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scans what is named, on the workers of a Dask cluster.

    Args:
        paths: Files, folders and URLs, as for `pt2triage.scan`. Folders are looked
            through here; workers must be able to open the same paths.
        client: The cluster's client; the current one if not given.
        verify: Check the MD5 sums of trace payloads.
        limits: What compressed data may become.
        progress: Called after each batch with the bytes done and the bytes in all.

    Raises:
        OpenError: A source cannot be opened or read to its end.
    """
    return _report_of(
        scan_inputs(
            _find(paths),
            client=client,
            verify=verify,
            limits=limits,
            progress=progress,
        )
    )


def plan(paths: PathInput | Iterable[PathInput]) -> list[list[Unit]]:
    """What is named, in batches for `scan_batch`; for any engine.

    Raises:
        OpenError: Something of it cannot be opened, or not by other processes.
    """
    return list(batches_of(units_of(_find(paths))))


def merge(batches: Iterable[Batch]) -> Report:
    """The report on all that batches gave, in the order of the plan.

    Raises:
        OpenError: A source could not be opened or read to its end.
    """
    return _report_of(outcome for batch in batches for outcome in batch.outcomes)


def _find(paths: PathInput | Iterable[PathInput]) -> Inputs:
    words = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    inputs = find_inputs([os.fsdecode(word) for word in words])
    if inputs.errors:
        raise inputs.errors[0]
    return inputs


def _report_of(outcomes: Iterable[Outcome]) -> Report:
    results: list[_core.Result] = []
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
        if outcome.result is not None:
            results.append(outcome.result)
    return Report(_core.make_report(results))


def scan_inputs(
    inputs: Inputs,
    *,
    client: Client | None = None,
    verify: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """The outcomes of what was found, in its order."""
    if client is None:
        client = _current_client()
    units = units_of(inputs)
    total = sum(unit.size for unit in units)
    done = 0
    batches = iter(batches_of(units))
    pending: deque[tuple[list[Unit], Future]] = deque()
    try:
        while True:
            width = _AHEAD * max(1, sum(client.nthreads().values()))
            while len(pending) < width and (batch := next(batches, None)):
                pending.append((batch, _submit(client, batch, verify, limits)))
            if not pending:
                return
            batch, future = pending.popleft()
            for given in _results(client, batch, future, verify, limits):
                yield from given.outcomes
                for kind, number in given.skipped.items():
                    inputs.skip(kind, number)
            done += sum(unit.size for unit in batch)
            if progress is not None:
                progress(done, total)
    finally:
        client.cancel([future for _, future in pending])


def scan_batch(
    units: list[Unit],
    version: str = __version__,
    verify: bool = False,
    limits: Limits | None = None,
) -> Batch:
    """Scans some sources in this process, on one thread.

    Raises:
        RuntimeError: The one who asks has another version of pt2triage, with which
            the results would be of no use.
    """
    from pt2triage._outcomes import scan_inputs as scan_here

    if version != __version__:
        raise RuntimeError(
            f"this worker has pt2triage {__version__}, who asks has {version}; "
            "install the same version on both"
        )
    inputs = Inputs()
    for unit in units:
        inputs.add(unit.path, found=unit.found)
    outcomes = [Outcome.failed(error) for error in inputs.errors]
    outcomes += scan_here(inputs, verify=verify, jobs=1, limits=limits)
    return Batch(outcomes, inputs.skipped)


def units_of(inputs: Inputs) -> list[Unit]:
    """What workers are to read, in order.

    Raises:
        OpenError: Standard input or a pipe is among it.
    """
    units: list[Unit] = []
    done = 0
    for folder in inputs.folders:
        units += (_unit_of(inputs, i) for i in range(done, folder.start))
        units.append(Unit(os.path.abspath(folder.name)))
        done = folder.stop
    units += (_unit_of(inputs, i) for i in range(done, len(inputs.paths)))
    return units


def _unit_of(inputs: Inputs, i: int) -> Unit:
    path = inputs.paths[i]
    kind = inputs.special.get(i)
    if kind is None:
        try:
            size = os.stat(path).st_size
        except OSError:  # gone since it was found; its worker tells
            size = 0
        return Unit(os.path.abspath(path), inputs.found[i], size)
    if kind in ("pipe", "stdin"):
        raise OpenError(errno.ESPIPE, "Workers cannot read it; name files", path)
    return Unit(path, kind == "found remote")


def batches_of(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """The units in batches worth the sending."""
    batch: list[Unit] = []
    size = 0
    for unit in units:
        batch.append(unit)
        size += unit.size
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_SOURCES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _submit(
    client: Client, batch: list[Unit], verify: bool, limits: Limits | None
) -> Future:
    return client.submit(scan_batch, batch, __version__, verify, limits, pure=False)


def _results(
    client: Client,
    batch: list[Unit],
    future: Future,
    verify: bool,
    limits: Limits | None,
) -> Iterator[Batch]:
    """What a batch gave. If workers die of it again and again, its sources go one by
    one, so that only the one that is the cause is not read."""
    from distributed.scheduler import KilledWorker

    try:
        yield future.result()
    except KilledWorker:
        if len(batch) == 1:
            error = OpenError(errno.EIO, "Workers die when they read it", batch[0].path)
            yield Batch([Outcome.failed(error)], {})
            return
        for unit in batch:
            alone = _submit(client, [unit], verify, limits)
            yield from _results(client, [unit], alone, verify, limits)


def _current_client() -> Client:
    return _dask().get_client()


def connect(address: str) -> Client:
    """A client of the scheduler at this address.

    Raises:
        OpenError: Dask is missing, or the scheduler does not answer.
    """
    try:
        dask = _dask()
        # A client that cannot even begin leaves a traceback behind when it is deleted.
        dask.comm.resolve_address(address)
        return dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except ModuleNotFoundError as error:
        raise OpenError(errno.ENOENT, str(error), address) from error
    except (OSError, ValueError) as error:
        reason = f"No Dask scheduler answers ({error})"
        raise OpenError(errno.ECONNREFUSED, reason, address) from error


def _dask() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise ModuleNotFoundError(
            "It needs Dask: pip install 'pt2triage[dask]'", name="distributed"
        ) from None
    return distributed
