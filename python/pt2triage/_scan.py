"""Scanning: bytes from files, buffers and streams go to the core."""

from __future__ import annotations

import errno
import os

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._inputs import find_inputs
from pt2triage._outcome import Meter, Outcome, Settings, encode
from pt2triage._outcomes import scan_inputs
from pt2triage._report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from pt2triage._limits import Limits
    from pt2triage._streams import Bytes
    from pt2triage._types import Progress, Readable

    PathInput: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]

# Bytes of lines that are gathered for the core.
_CHUNK = 1 << 18


def scan(
    x: PathInput | Sequence[PathInput] | bytes | bytearray | memoryview | Readable,
    *,
    verify: bool = False,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Report:
    """Reads PyTorch logs and traces and says what failed.

    Args:
        x: A path, or a list or tuple of paths (a folder stands for all files in
            it, hidden and binary ones left out; a ``torch_compile_debug`` folder
            is one source; ``s3://``, ``https://`` ... are read through fsspec);
            ``bytes``, ``bytearray`` or ``memoryview`` for content; or an object with
            ``read``. Compressed data and archives are unpacked, and the members of
            an archive are sources of their own.
        verify: Check the MD5 sums of trace payloads.
        jobs: Files to read at the same time; all cores if not given.
        limits: What compressed data may become (`pt2triage.Limits`).
        progress: Called about 20 times a second with the bytes done and the
            bytes in all (None if unknown). What it raises stops the scan.

    Returns:
        The report. Content that cannot be read is named in its ``diagnostics``;
        it is never an error.

    Raises:
        OpenError: A path cannot be opened or read. It is an ``OSError`` too.

    >>> report = scan(b"torch._dynamo.exc.RecompileError: Recompiling function f")
    >>> report.category
    'recompilation'
    """
    if isinstance(x, (str, os.PathLike)):
        x = [x]
    if isinstance(x, (list, tuple)):
        inputs = find_inputs(path_names(x))
        if inputs.errors:
            raise inputs.errors[0]
        return _report(
            scan_inputs(
                inputs, verify=verify, jobs=jobs, limits=limits, progress=progress
            )
        )
    from pt2triage._bytes import ByteStream
    from pt2triage._streams import Member, scan_stream

    settings = Settings(verify=verify, jobs=jobs, limits=limits)
    stream: Bytes
    size: int | None
    if isinstance(x, (bytes, bytearray, memoryview)):
        buffer = _Buffer(x)
        name, stream, size = "<bytes>", buffer, len(buffer)
    elif hasattr(x, "read"):
        name, stream, size = stream_name(x), ByteStream(x), None
    else:
        raise TypeError(
            "scan() takes a path, a list of paths, bytes or an object with read, not "
            f"{type(x).__name__}; for lines there is scan_lines()"
        )
    if progress is not None:
        settings.meter = Meter(progress, size)
    return _report(scan_stream(stream, Member(name), settings))


def scan_lines(
    lines: Iterable[str | bytes],
    *,
    name: str = "<lines>",
    verify: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Scans lines of text, with or without their newlines.

    Args:
        lines: The lines, for example of an open file or of a running command.
        name: The name of the source in the report.
        verify: Check the MD5 sums of trace payloads.
        progress: Called now and then with the bytes done and None.

    >>> scan_lines(["all is well"]).category is None
    True
    """
    if isinstance(lines, (str, bytes, bytearray, memoryview)):
        raise TypeError("scan_lines() takes lines, not one text: use .splitlines()")
    scanner = _core.Scanner(encode(name), verify)
    done = 0
    for chunk in _join(lines):
        scanner.feed(chunk)
        done += len(chunk)
        if progress is not None:
            progress(done, None)
    return Report(_core.make_report([scanner.finish()]))


def stream_name(stream: object) -> str:
    """The name of an open file, ``<stream>`` where it has none."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _report(outcomes: Iterable[Outcome]) -> Report:
    """The report of all outcomes. What is cut or damaged is in its diagnostics."""
    results: list[_core.Result] = []
    for outcome in outcomes:
        if outcome.result is not None:
            results.append(outcome.result)
        elif outcome.error is not None:
            raise outcome.error
    return Report(_core.make_report(results))


def path_names(paths: Sequence[object]) -> list[str]:
    """The paths as text; OpenError for what is none."""
    names: list[str] = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"a path must be str or PathLike, not {type(path).__name__}"
            )
        names.append(os.fsdecode(path))
    for name in names:
        if "\n" in name and not os.path.lexists(name):
            raise OpenError(
                errno.ENOENT,
                "This is text, not a path; use scan(text.encode()) or scan_lines()",
                name if len(name) <= 80 else name[:77] + "...",
            )
    return names


class _Buffer:
    """Bytes in memory, as a stream."""

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        view = memoryview(content)
        if not view.contiguous:
            view = memoryview(bytes(view))
        self._left = view.cast("B")

    def __len__(self) -> int:
        return len(self._left)

    def read(self, size: int, /) -> bytes:
        chunk = bytes(self._left[:size])
        self._left = self._left[size:]
        return chunk


def _join(lines: Iterable[str | bytes]) -> Iterable[bytes]:
    """Whole lines, gathered into chunks."""
    gathered = bytearray()
    for line in lines:
        gathered += encode(line) if isinstance(line, str) else line
        if not gathered.endswith(b"\n"):
            gathered += b"\n"
        if len(gathered) >= _CHUNK:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)
