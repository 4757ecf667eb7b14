"""Writes what trace records carry - graphs, code, errors - as files."""

from __future__ import annotations

import errno
import json
import os
import re

from pt2triage import _core
from pt2triage._errors import OpenError
from pt2triage._traces.records import push_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from pt2triage._inputs import Inputs
    from pt2triage._limits import Limits
    from pt2triage._traces.chromium import ChromiumFile
    from pt2triage._traces.records import Record
    from pt2triage._types import Progress

MANIFEST = "manifest.json"

# One for each timed step of a compile; `ChromiumFile` makes one file of them.
_CHROMIUM = "chromium_event"
# They are most of a trace and have no payload.
_BARE = ("describe_source", "describe_storage", "describe_tensor")
# What the names of files are made of; anything else becomes an underscore.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
# Records of a process that wait until one tells its rank.
_WAITING = 16
# The ending of a file by its record; an SVG may hold scripts, so it is a text.
_ENDINGS = {
    "inductor_output_code": ".py",
    "inductor_autotune_at_compile_time_code": ".py",
    "fx_graph_runnable": ".py",
    "graph_dump": ".cpp",
}


class Extracted:
    """What was written.

    Attributes:
        files: Files written, each distinct payload once.
        repeated: Payloads that a file was there for already.
        bytes: Bytes written.
        damaged: Payloads whose MD5 sum is not the one that the trace states.
        cut: Payloads that were too long, of which the end is missing.
    """

    __slots__ = ("bytes", "cut", "damaged", "files", "repeated")

    def __init__(self) -> None:
        self.files = 0
        self.repeated = 0
        self.bytes = 0
        self.damaged = 0
        self.cut = 0


def extract(
    source: Sequence[str] | bytes | Inputs,
    folder: str,
    *,
    kinds: Sequence[str] = (),
    compile_id: str | None = None,
    overwrite: bool = False,
    chromium: ChromiumFile | None = None,
    limits: Limits | None = None,
    max_payload: int = 0,
    progress: Progress | None = None,
    failed: Callable[[OpenError], object] | None = None,
    entry: Callable[[dict[str, object]], object] | None = None,
    bare: Callable[[Record], object] | None = None,
) -> Extracted:
    """Writes the payloads of traces into a folder, with a manifest.

    Args:
        source: Paths, as `scan` takes them, what they stand for, or content.
        folder: Where to; it must be new or empty. No name in it comes from the trace
            as it is.
        kinds: Names of records or artifacts; none for all but chromium events.
        compile_id: Only of this compile, ``0/1``.
        overwrite: Replace a folder that an earlier call has written.
        chromium: Gets the chromium events.
        limits: What compressed data may become.
        max_payload: Bytes after which a payload is cut; 0 for 256 MiB.
        progress: Called with the bytes done and the bytes in all.
        failed: Told what cannot be read; without it, that is raised.
        entry: Called with each entry of the manifest.
        bare: Called with the records that carry nothing, as metrics.

    Raises:
        OpenError: The folder cannot be written, or is in use.
    """
    _prepare(folder, overwrite)
    without = [name for name in _BARE if name not in kinds]
    if _CHROMIUM not in kinds and chromium is None:
        without.append(_CHROMIUM)
    names = [*kinds, *([_CHROMIUM] if chromium is not None and kinds else [])]
    with open(os.path.join(folder, MANIFEST), "xb") as manifest:
        writer = _Writer(folder, manifest, entry)

        def take(record: Record) -> None:
            if chromium is not None and record.record == _CHROMIUM:
                chromium.add(record)
                if _CHROMIUM not in kinds:
                    return
            if compile_id is None or record.compile_id == compile_id:
                if bare is not None and record.payload is None:
                    bare(record)
                writer.add(record)

        push_records(
            source,
            take,
            names,
            without=without,
            limits=limits,
            max_payload=max_payload,
            progress=progress,
            failed=failed,
        )
        writer.finish()
    return writer.done


def file_name(record: Record, number: int) -> str:
    """A name that says what it is and can do no harm.

    >>> _slug("../../etc/passwd")
    'etc_passwd'
    """
    title = _slug(record.title)
    attempt = f"_attempt{record.attempt}" if record.attempt else ""
    return f"{number:04d}_{title}{attempt}{_ending(record)}"


def _slug(text: str) -> str:
    return _UNSAFE.sub("_", text).strip("._-")[:_LONGEST] or "record"


def _ending(record: Record) -> str:
    ending = _ENDINGS.get(record.title)
    if ending is not None:
        return ending
    metadata = record.metadata
    if isinstance(metadata, dict) and metadata.get("encoding") == "json":
        start = (record.payload or b"")[:64].lstrip()[:1]
        return ".json" if start in (b"{", b"[") else ".txt"
    return ".txt"


def folder_of(compile_id: str | None) -> str:
    """The folder of a compile.

    >>> folder_of("0/1"), folder_of("!2/0/1"), folder_of(None)
    ('0_1', 'autograd2_0_1', 'no_compile')
    """
    if compile_id is None:
        return "no_compile"
    return _slug(compile_id.replace("!", "autograd"))


class _Writer:
    """Writes files, and their manifest beside them."""

    def __init__(
        self,
        folder: str,
        manifest: BinaryIO,
        entry: Callable[[dict[str, object]], object] | None,
    ) -> None:
        self.done = Extracted()
        self._folder = folder
        self._manifest = manifest
        self._entry = entry
        self._paths: dict[tuple[str, int], str] = {}  # by MD5 and size
        self._folders: dict[tuple[int, str | None], str] = {}
        self._processes: dict[int, str] = {}
        self._waiting: dict[int, list[Record]] = {}  # for the rank of the process
        self._numbers: dict[str, int] = {}
        head = {"tool": {"name": "pt2triage", "version": _core.__version__}}
        manifest.write(json.dumps(head)[:-1].encode() + b', "entries": [')
        self._between = b"\n"

    def add(self, record: Record) -> None:
        """Writes a record, or keeps it until its process says which rank it is."""
        if record.process not in self._processes and record.rank is None:
            waiting = self._waiting.setdefault(record.process, [])
            waiting.append(record)
            if len(waiting) <= _WAITING:
                return
        self._begin(record)
        self._put(record)

    def finish(self) -> None:
        for records in list(self._waiting.values()):
            self._begin(records[-1])
            self._put(records[-1])
        self._manifest.write(b"\n]}\n")

    def _begin(self, record: Record) -> None:
        """Names the folder of a process, and writes what waited for that."""
        if record.process in self._processes:
            return
        name = f"process_{record.process}"
        rank = f"rank_{record.rank}"
        if record.rank is not None and rank not in self._processes.values():
            name = rank
        self._processes[record.process] = name
        for earlier in self._waiting.pop(record.process, ()):
            if earlier is not record:
                self._put(earlier)

    def _put(self, record: Record) -> None:
        payload = record.payload
        if payload is None:
            return
        key = (record.md5 or "", len(payload))
        path = self._paths.get(key)
        if path is None:
            path = self._write(record, payload)
            self._paths[key] = path
        else:
            self.done.repeated += 1
        self.done.damaged += record.is_intact is False
        self.done.cut += record.is_cut
        self._note(record, path, len(payload))

    def _write(self, record: Record, payload: bytes) -> str:
        folder = self._folder_of(record)
        number = self._numbers.get(folder, 0)
        self._numbers[folder] = number + 1
        path = f"{folder}/{file_name(record, number)}"
        with open(f"{self._folder}/{path}", "xb", buffering=0) as file:
            file.write(payload)
        self.done.files += 1
        self.done.bytes += len(payload)
        return path

    def _folder_of(self, record: Record) -> str:
        key = (record.process, record.compile_id)
        folder = self._folders.get(key)
        if folder is None:
            process = self._processes[record.process]
            folder = f"{process}/{folder_of(record.compile_id)}"
            os.makedirs(os.path.join(self._folder, folder), exist_ok=True)
            self._folders[key] = folder
        return folder

    def _note(self, record: Record, path: str, size: int) -> None:
        entry: dict[str, object] = {
            "path": path,
            "record": record.record,
            "name": record.name,
            "process": record.process,
            "rank": record.rank,
            "compile_id": record.compile_id,
            "attempt": record.attempt,
            "bytes": size,
            "md5": record.md5,
            "intact": record.is_intact,
            "cut": record.is_cut,
            "source": record.source,
            "line": record.line,
            "offset": record.offset,
        }
        self._manifest.write(self._between + json.dumps(entry).encode())
        self._between = b",\n"
        if self._entry is not None:
            self._entry(entry)


def _prepare(folder: str, overwrite: bool) -> None:
    """Makes the folder, or sees that it is empty."""
    try:
        os.makedirs(folder, exist_ok=True)
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
        if not names:
            return
        if overwrite and MANIFEST in names and is_extraction(folder):
            import shutil

            refuse_strangers(folder, written(folder))

            shutil.rmtree(folder)  # follows no links
            os.makedirs(folder)
            return
    except OSError as error:
        raise OpenError(error.errno, error.strerror or str(error), folder) from None
    why = "It is not empty; name a new folder"
    if MANIFEST in names and is_extraction(folder):
        why += ", or give --overwrite"
    raise OpenError(errno.ENOTEMPTY, why, folder)


def refuse_strangers(folder: str, ours: set[str]) -> None:
    """Raises OpenError if there is a file below the folder that is none of `ours`."""
    for where, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        for name in (*names, *links):
            path = os.path.relpath(os.path.join(where, name), folder)
            if path not in ours:
                why = f"It holds {path!r}, which pt2triage did not write; move it away"
                raise OpenError(errno.ENOTEMPTY, why, folder)


def written(folder: str) -> set[str]:
    """The files that the manifest of a folder names, and itself."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            entries = json.load(file)["entries"]
        return {MANIFEST, *(str(entry["path"]) for entry in entries)}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {MANIFEST}  # it was cut: nothing is known of the others


def is_extraction(folder: str) -> bool:
    """Whether `extract` has written the folder."""
    if os.path.islink(folder):
        return False
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            return file.read(64).startswith(b'{"tool": {"name": "pt2triage"')
    except OSError:
        return False
