"""Another device, or the same one in another state."""

import re

from edits.naming import Match, number

FIGURE = re.compile(r"\b\d+(?:\.\d+)? (?=(?:GiB|MiB|KiB|bytes)\b)")


def other_free_memory(text: str, n: int) -> str:
    """How full the device was; not what was asked for."""

    def figures(match: Match) -> str:
        return FIGURE.sub(lambda m: f"{number('00', n)}.{n % 90 + 10} ", match[0])

    line = r"(?<=GPU )\d[^\n]*(?:free|in use|unallocated)[^\n]*"
    return re.sub(line, figures, text)


def other_gpu(text: str, n: int) -> str:
    text = re.sub(
        r"\bGPU (?P<node>node-)?\d+(?= has| \()", rf"GPU \g<node>{n % 16}", text
    )
    text = re.sub(r"\b(?P<kind>cuda|xpu|npu):\d+\b", rf"\g<kind>:{n % 16}", text)
    return re.sub(r"\b0000:[0-9A-Fa-f]{2}:", f"0000:{n % 256:02x}:", text)


def other_threads(text: str, n: int) -> str:
    """Where in the grid an assertion failed."""

    def threads(match: Match) -> str:
        return ",".join(str((int(i) * 3 + n) % 1024) for i in match[0].split(","))

    return re.sub(r"(?<=block: \[|hread: \[|al id: \[)\d+,\d+,\d+", threads, text)


def other_collective(text: str, n: int) -> str:
    """The number of the operation that timed out, and for how long it ran."""
    text = re.sub(r"(?<=WorkNCCL\(SeqNum=)\d+", str(n), text)
    return re.sub(r"(?<=ran for )\d+(?= milliseconds)", str(10_000 + n), text)


def other_accuracy_figures(text: str, n: int) -> str:
    """How far off: noise in the last digits."""

    def noise(match: Match) -> str:
        return match[0][:-2] + number("00", n)

    return re.sub(r"(?<=fp64\): )\d+\.\d+", noise, text)
