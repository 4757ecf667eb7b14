"""Files at URLs - s3://, gs://, https:// ... - by way of fsspec, in blocks."""

from __future__ import annotations

import errno
from urllib.parse import urlsplit, urlunsplit

from pt2triage._bytes import ByteStream
from pt2triage._errors import OpenError
from pt2triage._members import is_hidden
from pt2triage._outcome import Outcome, open_error, out_of_memory
from pt2triage._streams import Member, scan_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pt2triage._inputs import Inputs
    from pt2triage._outcome import Settings

# Read at a time; one such block is held, and one that comes after it.
_BLOCK = 4 << 20
_EXTRA = "pip install 'pt2triage[remote]'"


def find_remote(url: str, inputs: Inputs) -> None:
    """Adds what a URL stands for: a file, a folder, or all that a pattern matches."""
    try:
        fs, path = _open_system(url)
        # Of a web server a question mark is a part of the name, and there are no
        # folders.
        web = url.lower().startswith(("http://", "https://"))
        if any(mark in path for mark in ("*[" if web else "*?[")):
            base = path.rpartition("/")[2]
            matches = sorted(
                name  # as a shell does
                for name in fs.glob(path)
                if base.startswith(".") or not is_hidden(name.rpartition("/")[2])
            )
            if not matches:
                raise OpenError(errno.ENOENT, "No file matches the pattern", url)
        elif not web and fs.isdir(path):
            for name in sorted(fs.find(path)):
                if is_hidden(name[len(path) :].lstrip("/")):
                    inputs.skip("hidden")
                else:
                    inputs.add_special(_url(fs, name, url), "found remote")
            return
        else:
            matches = [path]
        for name in matches:
            if web or not fs.isdir(name):
                inputs.add_special(_url(fs, name, url), "remote")
    except Exception as error:  # each file system has its own
        inputs.errors.append(_why(url, error))


def scan_remote(
    url: str, settings: Settings, *, only_text: bool = False
) -> Iterator[Outcome]:
    """What is at a URL."""
    name = public(url)
    try:
        fs, path = _open_system(url)
        with fs.open(path, "rb", block_size=_BLOCK, cache_type="readahead") as file:
            can_seek = bool(file.seekable())
            yield from scan_stream(
                ByteStream(file),
                Member(name, only_text=only_text),
                settings,
                seekable=file if can_seek else None,
            )
    except MemoryError:
        yield Outcome.failed(out_of_memory(name))
    except Exception as error:
        yield Outcome.failed(_why(url, error))


def public(url: str) -> str:
    """A URL without what may be secret: the user, the password, a signed query."""
    parts = urlsplit(url)
    return urlunsplit(
        (parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")
    )


def _open_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        scheme = url.partition("://")[0]
        why = f"To read {scheme}:// fsspec is needed: {_EXTRA}"
        raise OpenError(errno.ENOSYS, why, public(url)) from None
    fs, path = url_to_fs(url)
    return fs, path


def _url(fs: Any, name: str, url: str) -> str:
    """The URL of a file, in the scheme that the user wrote."""
    full: str = fs.unstrip_protocol(name)
    scheme, rest = url.partition("://")[0], full.partition("://")[2]
    return f"{scheme}://{rest}"


def _why(url: str, error: Exception) -> OpenError:
    name = public(url)
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and isinstance(cause, Exception):
        error = cause  # fsspec's word for whatever a web server or a network does
    status = getattr(error, "status", None)
    if isinstance(status, int):  # aiohttp's text would hold the URL's secrets
        if status in (404, 410):
            return OpenError(errno.ENOENT, "No such file", name)
        said = f"{status} {getattr(error, 'message', '')}".rstrip()
        return OpenError(errno.EIO, f"The server answers {said}", name)
    if hasattr(error, "host") and hasattr(error, "port"):
        return OpenError(errno.EIO, str(error), name)
    if isinstance(error, OpenError):
        return OpenError(error.errno, error.strerror, name)
    if isinstance(error, ImportError):
        return OpenError(errno.ENOSYS, f"{error} ({_EXTRA})", name)
    if isinstance(error, OSError) and error.errno is not None:
        return open_error(name, error)
    if isinstance(error, FileNotFoundError):
        return OpenError(errno.ENOENT, "No such file", name)
    why = str(error) or type(error).__name__
    if type(error).__name__ == "NoCredentialsError":  # of botocore
        why += "; set them as for Amazon's own programs: AWS_PROFILE, ~/.aws ..."
    return OpenError(errno.EIO, why, name)
