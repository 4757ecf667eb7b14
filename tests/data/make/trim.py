"""Cut a TORCH_TRACE file down for the repository: trim.py IN OUT.

What goes is two thirds of the bytes and nothing that a report depends on: records
of the kinds in DROPPED, with their payloads, and the values of the `*_config`
fields of compilation metrics (whole dumps of torch's settings), which become
null as torch itself writes an unknown field. Every other byte, all other
payloads and their checksums stay as torch wrote them.
"""

import re
import sys
from pathlib import Path

ENVELOPE = re.compile(rb"^V\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ .+?:\d+\] \{")
DROPPED = (b'"chromium_event"', b'"dynamo_cpp_guards_str"')
CONFIG = re.compile(
    rb'"((?:dynamo|compiler|inductor|functorch)_config)": "(?:[^"\\]|\\.)*"'
)


def trim(data: bytes) -> bytes:
    kept: list[bytes] = []
    dropping = False
    for line in data.splitlines(keepends=True):
        match = ENVELOPE.match(line)
        if match:
            dropping = line.startswith(DROPPED, match.end())
        if dropping:
            continue
        if match and b'compilation_metrics"' in line[match.end() : match.end() + 60]:
            line = CONFIG.sub(rb'"\1": null', line)
        kept.append(line)
    return b"".join(kept)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(trim(Path(sys.argv[1]).read_bytes()))
