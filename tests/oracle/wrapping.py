"""Lines whose text is no part of the file: JSON of container runtimes, parts."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from oracle.lines import PhysicalLine
from oracle.prefixes import ISO_DATE

ZONE = rb"(?:Z|[+-]\d\d:?\d\d)"
CRI = re.compile(
    ISO_DATE + rb"(?:\.\d*)?" + ZONE + rb" (std(?:out|err)) ([FP])(?::[^ ]*)?(?: |$)"
)
GITLAB = re.compile(ISO_DATE + rb"\.\d{6}Z ([0-9a-f]{2}[OE])( |\+|$)")
ISO_ANY = re.compile(ISO_DATE + rb"(?:\.\d*)?" + ZONE)
MICROS = re.compile(r"\d+")


def as_object(raw: bytes) -> dict[str, object]:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def docker_entry(raw: bytes) -> tuple[str, bytes] | None:
    entry = as_object(raw) if raw.startswith(b'{"log":') else {}
    log, stream, time = (entry.get(name) for name in ("log", "stream", "time"))
    if stream not in ("stdout", "stderr") or not isinstance(log, str):
        return None
    if not isinstance(time, str) or not ISO_ANY.match(time.encode()):
        return None
    return f"docker {stream}", log.encode("utf-8", "replace")


def journal_entry(raw: bytes) -> tuple[bytes, bytes] | None:
    """Writer and message."""
    entry = as_object(raw) if re.match(rb'\{"[A-Z_]', raw) else {}
    if not MICROS.fullmatch(str(entry.get("__REALTIME_TIMESTAMP"))):
        return None
    message = entry.get("MESSAGE", 0)
    if isinstance(message, list):
        text = bytes(message)
    elif isinstance(message, str):
        text = message.encode()
    elif message is None:
        text = b""
    else:
        return None
    writer = str(entry.get("SYSLOG_IDENTIFIER", ""))
    if "_PID" in entry:
        writer += f"[{entry['_PID']}]"
    return writer.encode(), text


class Rebuilder:
    """Keeps what waits for the rest of its line."""

    def __init__(self) -> None:
        self.held: dict[str, PhysicalLine] = {}

    def release(self, *names: str) -> Iterator[PhysicalLine]:
        for name in names:
            if name in self.held:
                yield self.held.pop(name)

    def hold(self, name: str, line: PhysicalLine, text: bytes) -> None:
        held = self.held.get(name)
        self.held[name] = (
            replace(held, raw=held.raw + text)
            if held
            else replace(line, raw=text, whole=False)
        )

    def gitlab(
        self, line: PhysicalLine, match: re.Match[bytes]
    ) -> Iterator[PhysicalLine]:
        name = "gitlab " + match[1].decode()
        if match[2] == b"+" and name in self.held:
            self.hold(name, line, line.raw[match.end() :])
            return
        if name in self.held:
            waiting = [n for n in self.held if n.startswith("gitlab ")]
            yield from self.release(*waiting[: waiting.index(name) + 1])
        self.hold(name, line, line.raw)

    def on_line(self, line: PhysicalLine) -> Iterator[PhysicalLine]:
        if match := CRI.match(line.raw):
            name = "cri " + match[1].decode()
            if match[2] == b"F" and name not in self.held:
                yield line
                return
            text = line.raw[match.end() :] if name in self.held else line.raw
            self.hold(name, line, text)
            if match[2] == b"F":
                yield from self.release(name)
        elif match := GITLAB.match(line.raw):
            yield from self.gitlab(line, match)
        else:
            yield from self.release(*[n for n in self.held if n.startswith("gitlab ")])
            yield from self.on_json(line)

    def on_json(self, line: PhysicalLine) -> Iterator[PhysicalLine]:
        if docker := docker_entry(line.raw):
            name, text = docker
            self.hold(name, line, text.removesuffix(b"\n"))
            if text.endswith(b"\n"):
                for held in self.release(name):
                    yield from split(held)
        elif journal := journal_entry(line.raw):
            writer, text = journal
            yield from split(replace(line, raw=text, writer=writer, whole=False))
        else:
            yield line


def split(line: PhysicalLine) -> Iterator[PhysicalLine]:
    for part in line.raw.split(b"\n"):
        yield replace(line, raw=part)


def rebuilt(lines: Iterable[PhysicalLine]) -> Iterator[PhysicalLine]:
    rebuilder = Rebuilder()
    for line in lines:
        yield from rebuilder.on_line(line)
    for held in rebuilder.release(*list(rebuilder.held)):
        yield from split(held)
