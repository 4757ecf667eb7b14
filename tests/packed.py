"""Packs files for tests: every compression and archive that is read."""

import bz2
import gzip
import io
import lzma
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping

import pytest


def zst(data: bytes) -> bytes:
    """By the `zstd` program: Python's own module is as new as 3.14."""
    if shutil.which("zstd") is None:
        pytest.skip("needs the zstd program")
    done = subprocess.run(
        ["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gz,
    "zst": zst,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


def make_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


class _NoSeek(io.RawIOBase):
    """What a zip archive is streamed into: sizes come behind the members."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        self.data += piece
        return len(piece)


def make_streamed_zip(files: Mapping[str, bytes]) -> bytes:
    out = _NoSeek()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.data


def make_tar(files: Mapping[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()
