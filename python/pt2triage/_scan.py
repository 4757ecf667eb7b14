"""Scanning: bytes from files, buffers and streams go to the core."""

from __future__ import annotations

import errno
import io
import os
import stat

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._inputs import find_inputs, open_error
from pt2triage._report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    from pt2triage._types import Progress, Readable

    PathInput: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]

# Bytes handed to the core at a time: small enough for a prompt Ctrl-C.
_CHUNK = 1 << 18


def scan(
    x: PathInput | Sequence[PathInput] | bytes | bytearray | memoryview | Readable,
    *,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Reads PyTorch logs and traces and says what failed.

    Args:
        x: A path, or a list or tuple of paths (a folder stands for all files in
            it, hidden and binary ones left out; a ``torch_compile_debug`` folder
            is one source); ``bytes``, ``bytearray`` or ``memoryview`` for content;
            or an object with ``read``.
        verify: Check the MD5 sums of trace payloads.
        jobs: Files to read at the same time; all cores if not given.
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
        return _scan_paths([x], verify, jobs, progress)
    if isinstance(x, (list, tuple)):
        return _scan_paths(x, verify, jobs, progress)
    if isinstance(x, (bytes, bytearray, memoryview)):
        return _scan_bytes(x, verify, progress)
    if hasattr(x, "read"):
        result = scan_stream(x, stream_name(x), verify, progress)
        return Report(_core.make_report([result]))
    raise TypeError(
        "scan() takes a path, a list of paths, bytes or an object with read, not "
        f"{type(x).__name__}; for lines there is scan_lines()"
    )


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
    result = _feed(_join(lines), name, verify, progress, None)
    return Report(_core.make_report([result]))


def scan_files(
    paths: Sequence[str],
    *,
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[_core.Result | OpenError]:
    """Scans files; one result or error for each, in order.

    Regular files are read by threads of the core, pipes and devices here.
    """
    jobs = _default_jobs() if jobs is None else jobs
    if jobs < 1:
        raise ValueError("jobs must be at least 1")
    sizes = [_regular_size(path) for path in paths]
    regular = [p for p, size in zip(paths, sizes, strict=True) if size is not None]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    meter = _Meter(progress, total) if progress is not None else None
    scanned = iter(
        _core.scan_files([os.fsencode(path) for path in regular], verify, jobs, meter)
        if regular
        else ()
    )
    results: list[_core.Result | OpenError] = []
    for path, size in zip(paths, sizes, strict=True):
        if size is None:
            results.append(_scan_special(path, verify, meter))
        else:
            results.append(_checked(path, next(scanned)))
    return results


def scan_stream(
    stream: Readable, name: str, verify: bool, progress: Progress | None
) -> _core.Result:
    """Reads an object with ``read`` to its end."""
    return _feed(_chunks(stream), name, verify, progress, None)


def stream_name(stream: object) -> str:
    """The name of an open file, ``<stream>`` where it has none."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _scan_paths(
    paths: Sequence[object],
    verify: bool,
    jobs: int | None,
    progress: Progress | None,
) -> Report:
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
    inputs = find_inputs(names)
    if inputs.errors:
        raise inputs.errors[0]
    scanned = scan_files(inputs.paths, verify=verify, jobs=jobs, progress=progress)
    results: list[_core.Result] = []
    for result in inputs.gather(scanned):
        if isinstance(result, OpenError):
            raise result
        results.append(result)
    if inputs.errors:  # in a debug folder
        raise inputs.errors[0]
    return Report(_core.make_report(results))


def _scan_bytes(
    content: bytes | bytearray | memoryview, verify: bool, progress: Progress | None
) -> Report:
    view = memoryview(content)
    if not view.contiguous:
        view = memoryview(bytes(view))
    view = view.cast("B")
    chunks = (view[start : start + _CHUNK] for start in range(0, len(view), _CHUNK))
    result = _feed(chunks, "<bytes>", verify, progress, len(view))
    return Report(_core.make_report([result]))


def _feed(
    chunks: Iterable[bytes | bytearray | memoryview],
    name: str,
    verify: bool,
    progress: Progress | None,
    total: int | None,
) -> _core.Result:
    scanner = _core.Scanner(_encode(name), verify)
    done = 0
    for chunk in chunks:
        scanner.feed(chunk)
        done += len(chunk)
        if progress is not None:
            progress(done, total)
    return scanner.finish()


def _chunks(stream: Readable) -> Iterable[bytes | bytearray]:
    while True:
        chunk: object = stream.read(_CHUNK)
        if chunk is None and hasattr(stream, "fileno"):  # nothing there yet
            import select

            waiting: Any = stream
            select.select((waiting,), (), ())
            continue
        if isinstance(chunk, str):
            chunk = _encode(chunk)
        if not isinstance(chunk, (bytes, bytearray)):
            raise TypeError(f"read() gave {type(chunk).__name__}, not bytes or str")
        if not chunk:
            return
        yield chunk


def _join(lines: Iterable[str | bytes]) -> Iterable[bytes]:
    """Whole lines, gathered into chunks."""
    gathered = bytearray()
    for line in lines:
        gathered += _encode(line) if isinstance(line, str) else line
        if not gathered.endswith(b"\n"):
            gathered += b"\n"
        if len(gathered) >= _CHUNK:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def _encode(text: str) -> bytes:
    """The bytes that `text` was decoded from, as far as can be known."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _default_jobs() -> int:
    try:
        return len(os.sched_getaffinity(0))  # what this process may use
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def _regular_size(path: str) -> int | None:
    """The size of a regular file; 0 where that cannot be told any more."""
    try:
        info = os.stat(path)
    except OSError:
        return 0  # the core says what is wrong
    return info.st_size if stat.S_ISREG(info.st_mode) else None


class _Meter:
    """Tells the bytes of several scans, one after the other, as one number."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        self._progress = progress
        self._total = total
        self._before = 0
        self._done = 0

    def __call__(self, done: int, total: int | None = None) -> None:
        self._done = self._before + done
        self._progress(self._done, self._total)

    def next(self) -> None:
        """What comes now starts to count at 0 again."""
        self._before = self._done


class _Pipe:
    """A file whose errors name it."""

    def __init__(self, path: str, file: Readable) -> None:
        self._path = path
        self._file = file

    def read(self, size: int, /) -> bytes | str:
        try:
            return self._file.read(size)
        except OSError as error:
            raise open_error(self._path, error) from error


def _scan_special(
    path: str, verify: bool, meter: _Meter | None
) -> _core.Result | OpenError:
    if meter is not None:
        meter.next()
    try:
        file = io.FileIO(path)
    except OSError as error:
        return open_error(path, error)
    with file:
        try:
            return scan_stream(_Pipe(path, file), path, verify, meter)
        except OpenError as error:
            return error
        except MemoryError:
            return out_of_memory(path)


def out_of_memory(name: str) -> OpenError:
    """Says which source was too much."""
    return OpenError(errno.ENOMEM, "Out of memory", name)


def _checked(
    path: str, result: _core.Result | _core.Failure
) -> _core.Result | OpenError:
    """The result, or why there is none."""
    if not isinstance(result, _core.Failure):
        return result
    if result.out_of_memory:
        return out_of_memory(path)
    try:  # the system says it best
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.read(fd, 1)
        finally:
            os.close(fd)
    except OSError as error:
        return open_error(path, error)
    reason = result.message.removeprefix(f"{path}: ")
    return OpenError(errno.EIO, reason, path)
