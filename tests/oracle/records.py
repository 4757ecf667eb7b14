"""Log records and trace records, rebuilt from lines."""

import json
import re
from dataclasses import dataclass, field

from oracle.learning import Learnt
from oracle.lines import Line, PhysicalLine, physical_lines, pieces
from oracle.wrapping import rebuilt

COMPILE_ID = rb"\d+/\d+(?:_\d+)?|!\d+(?:/\d+/\d+(?:_\d+)?)?"

# PyTorch 2.4 and later. The path ends at the first `:<digits>]`.
GLOG_HEADER = re.compile(
    rb"(?P<level>[VIWEC])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d{6}) +(?P<process>\d+) "
    rb"(?P<path>[^\n]*?):(?P<path_line>\d+)\]"
    rb"(?: \[(?P<compile_id>" + COMPILE_ID + rb")\])?"
    rb"(?: \[__(?P<artifact>[^\]]*)\])?"
    rb"(?: (?P<body>.*))?",
    re.DOTALL,
)
# Before that: no process, and the logger's name instead of a path.
OLD_HEADER = re.compile(
    rb"\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\]"
    rb"(?: \[(?P<compile_id>" + COMPILE_ID + rb")\])?"
    rb" (?P<path>torch[^ ]*?)(?:\.__(?P<artifact>[^ ]*?))?"
    rb": \[(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\]"
    rb"(?: (?P<body>.*))?",
    re.DOTALL,
)

# Lines that begin a new record even where the header says nothing new: torch
# can write two such records within one tick of its clock.
FIRST_LINES = {
    "graph_breaks": ("Graph break in user code at ", "Graph break (", "Graph break: "),
    "recompiles": ("Recompiling function ",),
    "recompiles_verbose": ("Recompiling function ",),
    None: ("torch._dynamo hit config.",),
}

CONTEXT_KEYS = {
    "rank",
    "stack",
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "has_payload",
}


@dataclass
class Record:
    """A log record (`text` is its message) or a trace record (`text`: its name)."""

    kind: str
    level: str
    time: str
    process: str
    path: str
    path_line: str
    compile_id: str | None
    artifact: str | None
    rank: int | None
    line: int
    offset: int
    text: str
    payload: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Header:
    level: str
    time: str
    process: str
    path: str
    path_line: str
    compile_id: str | None
    artifact: str | None


def text_of(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "replace")


def find_header(text: bytes) -> tuple[Header, bytes] | None:
    """The first header anywhere in the line, and what follows it."""
    match = (
        GLOG_HEADER.match(text)
        or OLD_HEADER.match(text)
        or GLOG_HEADER.search(text)
        or OLD_HEADER.search(text)
    )
    if match is None:
        return None
    found = match.groupdict()
    level = text_of(found["level"])
    header = Header(
        level="V" if level == "DEBUG" else level[0],
        time=text_of(found["time"]),
        process=text_of(found.get("process")),
        path=text_of(found["path"]),
        path_line=text_of(found.get("path_line")),
        compile_id=text_of(found["compile_id"]) or None,
        artifact=text_of(found["artifact"]) or None,
    )
    if found["body"] is not None:
        return header, found["body"]
    return header, text[match.end() :]


def read_envelope(line: Line) -> Record | None:
    """The trace record that this line begins, if it does."""
    found = find_header(line.text)
    if found is None:
        return None
    header, body = found
    if header.level != "V" or header.process == "":
        return None
    if header.compile_id or header.artifact or not body.startswith(b'{"'):
        return None
    try:
        envelope = json.loads(body)
    except ValueError:
        return None  # damaged; how the core repairs it is not part of the grammar
    name, metadata = next(iter(envelope.items()))
    if not isinstance(metadata, dict | list) and not CONTEXT_KEYS & envelope.keys():
        return None  # a log message that happens to be JSON
    record = Record(
        kind="trace",
        level=header.level,
        time=header.time,
        process=header.process,
        path=header.path,
        path_line=header.path_line,
        compile_id=compile_id_of(envelope),
        artifact=None,
        rank=envelope.get("rank"),
        line=line.number,
        offset=line.offset,
        text=name,
    )
    if "has_payload" in envelope:
        record.payload = ""
    return record


def compile_id_of(envelope: dict[str, object]) -> str | None:
    autograd = envelope.get("compiled_autograd_id")
    frame = envelope.get("frame_id")
    parts = [] if autograd is None else [f"!{autograd}"]
    if frame is not None:
        parts.append(f"{frame}/{envelope['frame_compile_id']}")
    if not parts:
        return None
    attempt = envelope.get("attempt") or 0
    return "/".join(parts) + (f"_{attempt}" if attempt else "")


def read_records(data: bytes) -> list[Record]:
    """All records of a file, in the order of their first lines."""
    reader = Reader()
    for physical in rebuilt(physical_lines(data)):
        reader.on_line(physical)
    return reader.finish()


class Reader:
    """Joins lines to records."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        # The lines of each record's text or payload, by the record's index.
        self.parts: list[list[str]] = []
        # Per writer and process: the record that its next line may continue.
        self.open_logs: dict[tuple[bytes, str], tuple[Header, int]] = {}
        # Per writer: the trace record whose payload lines may follow.
        self.open_traces: dict[bytes, int] = {}
        self.learnt = Learnt()
        self.only_records = True  # so far no line of other text

    def on_line(self, physical: PhysicalLine) -> None:
        if physical.whole and self.on_payload(b"", physical.raw):  # verbatim
            return
        for line in pieces(physical, self.learnt):
            if self.on_payload(line.writer, line.text):
                continue
            envelope = read_envelope(line)
            if envelope is not None:
                self.open_traces[line.writer] = self.begin(envelope)
                continue
            found = find_header(line.text)
            if found is None:  # plain text: no record, and it closes none
                self.only_records = False
                continue
            header, body = found
            if header.level == "V" and body.startswith(b"{"):
                self.only_records = False  # looked like a trace and is none
            self.on_log_line(line, header, body)

    def on_payload(self, writer: bytes, text: bytes) -> bool:
        """True if the line belongs to a payload, or to one that nobody announced."""
        index = self.open_traces.get(writer)
        if index is None or not text.startswith(b"\t"):
            return False
        if self.records[index].payload is None:
            return self.only_records
        self.parts[index].append(text_of(text[1:]))
        return True

    def on_log_line(self, line: Line, header: Header, body: bytes) -> None:
        text = text_of(body)
        key = (line.writer, header.process)
        current, index = self.open_logs.get(key, (None, -1))
        firsts = FIRST_LINES.get(header.artifact, ())
        if current != header or text.startswith(firsts):
            index = self.begin(
                Record(
                    kind="log",
                    level=header.level,
                    time=header.time,
                    process=header.process,
                    path=header.path,
                    path_line=header.path_line,
                    compile_id=header.compile_id,
                    artifact=header.artifact,
                    rank=line.rank,
                    line=line.number,
                    offset=line.offset,
                    text="",
                )
            )
            self.open_logs[key] = (header, index)
        self.parts[index].append(text)

    def begin(self, record: Record) -> int:
        self.records.append(record)
        self.parts.append([])
        return len(self.records) - 1

    def finish(self) -> list[Record]:
        for record, parts in zip(self.records, self.parts, strict=True):
            if record.kind == "log":
                record.text = "\n".join(parts)
            elif record.payload is not None:
                record.payload = "\n".join(parts)
        return self.records
