"""Physical lines, and the decorations that other programs put around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ESCAPE = re.compile(
    rb"\x1b\[[ -?]*[@-~]"  # CSI: colours, cursor movements
    rb"|\x1b[\]_P^].*?(?:\x07|\x1b\\)"  # OSC, APC, DCS, PM with their bodies
    rb"|\x1b.",  # two bytes
    re.DOTALL,
)

ISO_TIME = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d*)?Z"

# What may stand before the text, any number of times, in any order. Groups:
# `writer` tells interleaved writers apart, `rank` numbers the process.
DECORATIONS = [
    re.compile(rb"\xef\xbb\xbf"),
    re.compile(rb"\[(?:task )?" + ISO_TIME + rb"\](?: |$)"),
    re.compile(
        ISO_TIME + rb"(?:$| (?:std(?:out|err) (?:F(?: |$)?|P )|\d\d[OE](?:[ +]|$))?)"
    ),
    re.compile(rb"(?P<writer>\[default(?P<rank>\d+)\]:)"),
    re.compile(rb"(?P<writer>\[rank(?P<rank>\d+)\]:?) ?"),
    re.compile(rb"(?P<writer>\([^()]* pid=\d[^()]*\)) ?"),
    re.compile(
        rb"(?:ERROR|WARNING|INFO|DEBUG|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d "
        rb"\[?(?P<writer>[^\] ]*\d\]) ?"
    ),
    re.compile(rb"E   "),
]
RAY_SUFFIX = re.compile(
    rb" \[repeated \d+x across cluster\](?: \(Ray deduplicates.*)?$"
)


@dataclass(frozen=True)
class PhysicalLine:
    """Bytes up to a newline, and where they stand."""

    number: int
    offset: int
    raw: bytes


@dataclass(frozen=True)
class Line:
    """One line, or one piece of a line that a progress bar rewrote."""

    number: int
    offset: int  # of the physical line
    text: bytes  # what is left when it is undressed
    writer: bytes
    rank: int | None


def physical_lines(data: bytes) -> Iterator[PhysicalLine]:
    """Cut at newlines only: the last line may have none."""
    offset = 0
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        yield PhysicalLine(number, offset, raw)
        offset += len(raw) + 1


def pieces(line: PhysicalLine) -> Iterator[Line]:
    """The parts between carriage returns that do not end the line, undressed."""
    for raw in line.raw.replace(b"\0", b"").rstrip(b"\r").split(b"\r"):
        yield undress(line.number, line.offset, raw)


def undress(number: int, offset: int, raw: bytes) -> Line:
    text = ESCAPE.sub(b"", raw).rstrip(b"\r")
    writer = b""
    rank = None
    again = True
    while again:
        again = False
        for decoration in DECORATIONS:
            match = decoration.match(text)
            if match is None:
                continue
            groups = match.groupdict()
            writer += groups.get("writer") or b""
            if groups.get("rank") is not None:
                rank = int(groups["rank"])
            text = text[match.end() :]
            again = True
            break
    if writer:
        text = RAY_SUFFIX.sub(b"", text)
    return Line(number, offset, text, writer, rank)
