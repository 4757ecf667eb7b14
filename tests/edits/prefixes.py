"""Other ranks and tests, and what stands before lines."""

import re
from collections.abc import Callable

from edits.naming import Match


def each_line(text: str, dress: Callable[[str], str]) -> str:
    lines = text.split("\n")
    end = [lines.pop()] if lines[-1] == "" else []
    return "\n".join([dress(line) for line in lines] + end)


def with_rank(text: str, n: int) -> str:
    return each_line(text, lambda line: f"[rank{n % 64}]: {line}")


def with_torchrun(text: str, n: int) -> str:
    return each_line(text, lambda line: f"[default{n % 8}]:{line}")


def with_ci_times(text: str, n: int) -> str:
    day, second = 1 + n % 28, n % 60
    stamp = f"2025-04-{day:02}T06:19:{second:02}.{n % 10**7:07}Z "
    return each_line(text, lambda line: stamp + line)


def with_colour(text: str, n: int) -> str:
    def colour(line: str) -> str:
        text, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
        return f"\x1b[{31 + n % 7}m{text}\x1b[0m{end}"

    return each_line(text, colour)


def with_crlf(text: str, n: int) -> str:
    return each_line(text, lambda line: line + "\r")


RANK = re.compile(
    r"(?P<head>\[rank|\[default|\[Rank |\brank=|\bRank |\[(?=\d+\] is setting up))"
    r"(?P<rank>\d+)"
)


def other_rank(text: str, n: int) -> str:
    def later(match: Match) -> str:
        return f"{match['head']}{int(match['rank']) + n % 64}"

    return RANK.sub(later, text)


def other_test_parameters(text: str, n: int) -> str:
    return re.sub(r"(?P<test>\btest_\w+\[[^\]\n]+)\]", rf"\g<test>-{n}]", text)
