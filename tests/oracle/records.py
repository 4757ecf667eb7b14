"""Log records and trace records, rebuilt from lines."""

import json
import re
from dataclasses import dataclass, field

from oracle.lines import Line, read_lines

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
    match = GLOG_HEADER.search(text) or OLD_HEADER.search(text)
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
        artifact=metadata.get("name") if name == "artifact" else None,
        rank=envelope.get("rank", line.rank),
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
    records: list[Record] = []
    # Per writer and process: the record that its next line may continue.
    open_logs: dict[tuple[bytes, str], tuple[Header, list[str], Record]] = {}
    # Per writer: the trace record whose payload lines may follow, and those.
    open_traces: dict[bytes, tuple[Record, list[str]]] = {}
    texts: list[tuple[Record, list[str]]] = []
    payloads: list[tuple[Record, list[str]]] = []

    for line in read_lines(data):
        if line.text.startswith(b"\t") and line.writer in open_traces:
            verbatim = line.raw if line.raw.startswith(b"\t") else line.text
            open_traces[line.writer][1].append(text_of(verbatim[1:]))
            continue
        record = read_envelope(line)
        if record is not None:
            records.append(record)
            open_traces[line.writer] = (record, [])
            payloads.append(open_traces[line.writer])
            continue
        found = find_header(line.text)
        if found is None:
            continue  # plain text: no record, and it closes none
        header, body = found
        text = text_of(body)
        key = (line.writer, header.process)
        current = open_logs.get(key)
        firsts = FIRST_LINES.get(header.artifact, ())
        if current and current[0] == header and not text.startswith(firsts):
            current[1].append(text)
            continue
        record = Record(
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
        records.append(record)
        open_logs[key] = (header, [text], record)
        texts.append((record, open_logs[key][1]))

    for record, lines in texts:
        record.text = "\n".join(lines)
    for record, lines in payloads:
        if record.payload is not None:
            record.payload = "\n".join(lines)
    return records
