"""Physical lines, and the decorations that other programs put around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oracle.learning import Learnt
from oracle.prefixes import DECORATIONS

ESCAPE = re.compile(
    rb"\x1b\[8mha:[\w+/=]*\x1b\[0m"  # Jenkins's console notes
    rb"|\x1b\[[ -?]*[@-~]"  # CSI: colours, cursor movements
    rb"|\x1b[\]_P^].*?(?:\x07|\x1b\\)"  # OSC, APC, DCS, PM with their bodies
    rb"|\x1b.",  # two bytes
    re.DOTALL,
)

RAY_SUFFIX = re.compile(
    rb" \[repeated \d+x across cluster\](?: \(Ray deduplicates.*)?$"
)


@dataclass(frozen=True)
class PhysicalLine:
    """Bytes up to a newline, and where they stand."""

    number: int
    offset: int
    raw: bytes
    writer: bytes = b""  # by what it was wrapped in
    whole: bool = True  # False: rebuilt


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


def pieces(line: PhysicalLine, learnt: Learnt) -> Iterator[Line]:
    """The parts between carriage returns that do not end the line, undressed."""
    for raw in line.raw.replace(b"\0", b"").rstrip(b"\r").split(b"\r"):
        yield undress(line, raw, learnt)


def undress(line: PhysicalLine, raw: bytes, learnt: Learnt) -> Line:
    text = learnt.without_columns(ESCAPE.sub(b"", raw).rstrip(b"\r"))
    writer = line.writer
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
        else:
            length, label, number = learnt.find(text, line.number)
            writer += label
            rank = rank if number is None else number
            text = text[length:]
            again = length > 0
    if writer:
        text = RAY_SUFFIX.sub(b"", text)
    return Line(line.number, line.offset, text, writer, rank)
