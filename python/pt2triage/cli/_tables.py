"""``pt2triage scan --format parquet|arrow``: tables for queries."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from pt2triage._errors import OpenError
from pt2triage.cli import _console as console
from pt2triage.cli import scan
from pt2triage.cli._console import complain
from pt2triage.cli._output import OutputError, check_output, write_pieces
from pt2triage.cli._reading import Reading
from pt2triage.report.safe import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer

    from pt2triage._batch import Scanned
    from pt2triage._types import Category
    from pt2triage.cli._options import Arguments
    from pt2triage.cli._output import Write


def run(args: Arguments) -> int:
    """Scans each source for itself and writes the rows as they come."""
    seen = _Seen(args)
    try:
        _check(args)
        if _is_folder(args):
            _write_folder(args, seen)
        else:
            _write_stream(args, seen)
    except OutputError as error:
        complain(str(error))
        return console.FAILED
    except _CannotScan as stop:
        name, reason = str(stop.error.filename), str(stop.error.strerror)
        complain(f"{one_line(name)}: {one_line(reason)}")
        return console.FAILED
    gate = scan._gate(seen.categories, args.fail_on or (), args.quiet)
    return console.FAILED if seen.failed else gate


class _CannotScan(Exception):
    """A list of names or a state cannot be read: no error of what is written."""

    def __init__(self, error: OpenError) -> None:
        super().__init__(str(error))
        self.error = error


class _Seen:
    """Scans the sources, complains, and keeps what the exit status depends on."""

    def __init__(self, args: Arguments) -> None:
        self._args = args
        self.categories: list[Category] = []
        self.failed = False

    def scan(self) -> Iterator[Scanned]:
        try:
            reading = Reading(self._args, self._args.paths)
            for scanned in reading.reports():
                yield self._look_at(scanned)
        except OpenError as error:
            raise _CannotScan(error) from error
        self.failed = bool(reading.errors)

    def _look_at(self, scanned: Scanned) -> Scanned:
        if self._args.fail_on and scanned.report is not None:
            self.categories += [f.category for f in scanned.report._core.findings]
        if self._args.category and scanned.report is not None:
            only = scanned.report.only(*self._args.category)
            scanned = scanned._replace(report=only)
        return scanned.confidential() if self._args.confidential else scanned


def _check(args: Arguments) -> None:
    """Finds out before a long scan what cannot be done."""
    if args.unit_test is not None:
        raise OutputError("--unit-test goes with a report, not with tables")
    if args.format == "parquet" and args.output in (None, "-"):
        raise OutputError("--format parquet writes a folder of tables: add -o DIR")
    if args.partition_by and not _is_folder(args):
        raise OutputError("--partition-by needs a folder: -o DIR/")
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise OutputError(
            f"--format {args.format} needs pyarrow: pip install 'pt2triage[arrow]'"
        ) from None
    del pyarrow
    if not _is_folder(args):
        check_output(args.output, args.paths)
        if args.output in (None, "-") and console.is_terminal(sys.stdout):
            raise OutputError("Arrow is no text for a terminal: add -o FILE")


def _is_folder(args: Arguments) -> bool:
    """Whether a folder of tables is meant, not one stream of findings."""
    name = args.output
    if name in (None, "-"):
        return False
    return args.format == "parquet" or os.path.isdir(name) or name.endswith("/")


def _write_folder(args: Arguments, seen: _Seen) -> None:
    """Appends one file to each table of a folder."""
    from pt2triage._history import HistoryWriter
    from pt2triage._tables import Stamp

    try:
        with HistoryWriter(
            args.output,
            form=args.format,
            stamp=Stamp.now(args.date),
            by_date=args.partition_by == "date",
            confidential=args.confidential,
        ) as writer:
            for scanned in seen.scan():
                writer.add(scanned)
    except NotADirectoryError:
        raise OutputError(
            f"cannot write {one_line(args.output)}: it is a file; name a folder"
        ) from None
    except OSError as error:
        reason = error.strerror or one_line(str(error))
        raise OutputError(f"cannot write {one_line(args.output)}: {reason}") from error


def _write_stream(args: Arguments, seen: _Seen) -> None:
    """Writes the findings as one Arrow IPC stream."""
    from pt2triage._tables import Stamp, TableFile

    def produce(write: Write) -> None:
        table = TableFile(
            *("findings", _File(write), "arrow", Stamp.now(args.date)),
            confidential=args.confidential,
        )
        for scanned in seen.scan():
            if scanned.report is not None:
                table.add(scanned.report)
        table.close()

    write_pieces(produce, args.output, utf8=True)


class _File(io.RawIOBase):
    """A function that takes bytes, as the file that pyarrow writes to."""

    def __init__(self, write: Write) -> None:
        super().__init__()
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        piece = bytes(data)
        self._write(piece)
        return len(piece)
