"""Where the output of a command goes: to stdout, or whole into a file."""

from __future__ import annotations

import os
import stat
import sys

from pt2triage.report.safe import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO, TypeAlias

    # Takes text, or bytes of UTF-8.
    Write: TypeAlias = Callable[[str | bytes], None]


class OutputError(Exception):
    """The output cannot be written; the text says why, in one line."""


def check_output(path: str | None, inputs: Iterable[str] = ()) -> None:
    """Finds out before a long scan that its output could not be written.

    Raises:
        OutputError: `path` is a folder, or in none, or one of `inputs`.
    """
    if path is None or path == "-":
        return
    for name in inputs:
        if (
            os.path.isfile(name)
            and os.path.exists(path)
            and os.path.samefile(name, path)
        ):
            raise OutputError(f"cannot write {one_line(path)}: it is one of the inputs")
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise OutputError(f"cannot write {one_line(path)}: it is a folder")
    if not os.path.isdir(folder):
        raise OutputError(
            f"cannot write {one_line(path)}: there is no folder {one_line(folder)}"
        )


def write_output(text: str, path: str | None, *, utf8: bool) -> None:
    """Writes the whole text; see ``write_pieces``."""
    write_pieces(lambda write: write(text), path, utf8=utf8)


def write_pieces(
    produce: Callable[[Write], None], path: str | None, *, utf8: bool
) -> None:
    """Writes what `produce` hands out to a file, or to stdout.

    A reader that stops early, as ``head`` does, is no error. A file is there once
    all is written; until then, and if that fails, it is what it was before.

    Args:
        produce: Calls its argument with one piece after the other.
        path: The file; None or ``-`` for stdout.
        utf8: Write UTF-8 whatever the encoding of stdout is.

    Raises:
        OutputError: It cannot be written.
    """
    if path is None or path == "-":
        try:
            _write_stdout(produce, utf8)
        except BrokenPipeError:
            _drop_stdout()
        except (OSError, ValueError) as error:
            _drop_stdout()
            raise OutputError(f"cannot write to stdout: {_reason(error)}") from error
        return
    try:
        _replace(
            path,
            lambda file: produce(
                lambda piece: _write_all(file, _encoded(piece, "utf-8"))
            ),
        )
    except OSError as error:
        raise OutputError(f"cannot write {one_line(path)}: {_reason(error)}") from error


def _replace(path: str, fill: Callable[[BinaryIO], None]) -> None:
    """Puts a new file in the place of `path` once `fill` has filled it."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    regular = mode is None or stat.S_ISREG(mode)
    if regular and mode is not None:
        os.close(os.open(path, os.O_WRONLY))  # to replace it takes fewer rights
    folder = os.path.dirname(os.path.realpath(path))
    part = os.path.join(folder, f".pt2triage-{os.urandom(6).hex()}.part")
    fd = -1
    if regular:
        try:
            fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError:
            fd = -1  # a folder that takes no new files
    if fd < 0:
        with open(path, "wb") as file:
            fill(file)
        return
    try:
        with open(fd, "wb") as file:
            if mode is not None:
                os.fchmod(fd, stat.S_IMODE(mode))
            fill(file)
        os.replace(part, os.path.realpath(path))
    except BaseException:
        _remove(part)
        raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _write_stdout(produce: Callable[[Write], None], utf8: bool) -> None:
    stream = sys.stdout
    if stream is None:
        raise OSError("it is closed")
    encoding = "utf-8" if utf8 else (stream.encoding or "utf-8")
    buffer = getattr(stream, "buffer", None)
    stream.flush()

    def write(piece: str | bytes) -> None:
        data = _encoded(piece, encoding)
        if buffer is None:  # replaced by something that takes text only
            stream.write(data.decode(encoding))
        else:
            _write_all(buffer, data)

    produce(write)
    if buffer is None:
        stream.flush()
    else:
        _flush_all(buffer)


def _encoded(piece: str | bytes, encoding: str) -> bytes:
    if isinstance(piece, bytes):
        return piece
    return piece.encode(encoding, "backslashreplace")


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Writes to a file that may be one that does not wait for its reader."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[file.write(rest) :]
        except BlockingIOError as error:
            rest = rest[error.characters_written :]
            _wait_for(file)


def _flush_all(file: BinaryIO) -> None:
    while True:
        try:
            file.flush()
            return
        except BlockingIOError:
            _wait_for(file)


def _wait_for(file: BinaryIO) -> None:
    import select

    select.select((), (file,), ())


def _drop_stdout() -> None:
    """Keeps the interpreter from writing what is left when it exits."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        return


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error))
