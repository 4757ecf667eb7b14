"""Prefixes that a source's own lines tell."""

import re

from oracle.prefixes import INNER, ISO_DATE

COLUMNS = re.compile(
    rb"[^\t]{1,255}\t[^\t]{1,255}\t"
    rb"(?=(?:\xef\xbb\xbf)?" + ISO_DATE + rb"\.\d{7}Z(?: |$))"
)
TELLING = re.compile(
    rb"Traceback \(most recent call last\):\s*$"
    rb"|[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} \d"
    rb"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\].{0,34} torch"  # the logger's name
    rb'|  File ".*", line '
    rb"|Fatal Python error: |Segmentation fault|terminate called "
    rb"|torch\._(?:dynamo|inductor)\.exc\."
)
LABEL = re.compile(rb"(?P<label>(?P<rank>\d{1,6}):|[\w.-]{1,64} +\|)(?: |$)")
NUMBER = re.compile(rb"(?: {0,5}\d{1,5}|\d{6,})\t")


class Learnt:
    """What is known so far."""

    def __init__(self) -> None:
        self.columns = b""
        self.labels: set[bytes] = set()
        self.number: int | None = None
        self.numbered_line = 0

    def without_columns(self, text: bytes) -> bytes:
        if match := COLUMNS.match(text):
            self.columns = match[0]
        return text.removeprefix(self.columns) if self.columns else text

    def find(self, text: bytes, line: int) -> tuple[int, bytes, int | None]:
        """Length, writer and rank of a known prefix."""
        if match := LABEL.match(text):
            label = match["label"]
            if label in self.labels or tells(text[match.end() :]):
                self.labels.add(label)
                rank = match["rank"]
                return match.end(), label, int(rank) if rank else None
        elif (match := NUMBER.match(text)) and line != self.numbered_line:
            number = int(match[0])
            if number == (self.number or -2) + 1 or (
                number and tells(text[match.end() :])
            ):
                self.number, self.numbered_line = number, line
                return match.end(), b"", None
        return 0, b"", None


def tells(text: bytes) -> bool:
    for _ in range(3):
        matches = (pattern.match(text) for pattern in INNER)
        text = text[max((m.end() for m in matches if m), default=0) :]
    return TELLING.match(text) is not None
