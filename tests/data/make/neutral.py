"""Cut a TORCH_TRACE file down for the comparisons: neutral.py IN OUT [FROM=TO...].

Records that nothing compares go (DROPPED, and what is only another form of a graph),
paths of the machine become neutral ones, and the checksums of payloads are made anew.
All else stays as torch wrote it.
"""

import hashlib
import re
import sys
from pathlib import Path

from trim import CONFIG, ENVELOPE

DROPPED = re.compile(
    rb'\{"(chromium_event|describe_\w+|create_symbol|dump_file)"'
    rb'|\{"artifact": \{"name": "(fx_graph_runnable|torch\._functorch\.config'
    rb"|(before|after)_(pre_grad|post_grad|joint)_graph|aot_forward_graph_fw_metadata"
    rb'|compiled_autograd_graph_pre_reordering|dynamo_side_effects|\w+_BYTECODE)"'
)
CHECKSUM = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def neutral(data: bytes, names: list[tuple[bytes, bytes]]) -> bytes:
    for old, new in names:
        data = data.replace(old, new)
    records: list[list[bytes]] = []
    for line in data.splitlines(keepends=True):
        if ENVELOPE.match(line):
            records.append([line])
        elif records:
            records[-1].append(line)
    return b"".join(map(rewritten, records))


def rewritten(record: list[bytes]) -> bytes:
    head, *payload = record
    match = ENVELOPE.match(head)
    if match is None or DROPPED.match(head, match.end() - 1):
        return b""
    content = b"".join(line.removeprefix(b"\t") for line in payload)
    checksum = hashlib.md5(content.removesuffix(b"\n")).hexdigest().encode()
    head = CHECKSUM.sub(b'"has_payload": "%s"' % checksum, head)
    return CONFIG.sub(rb'"\1": null', head) + b"".join(payload)


if __name__ == "__main__":
    pairs = [tuple(word.encode().split(b"=", 1)) for word in sys.argv[3:]]
    made = neutral(Path(sys.argv[1]).read_bytes(), pairs)  # type: ignore[arg-type]
    Path(sys.argv[2]).write_bytes(made)
