"""Another run, on another machine."""

import re

from edits.naming import HEX, Match, name, number

PID = re.compile(
    r"(?P<head>[VDIWECF]\d{4} \d\d:\d\d:\d\d\.\d+ |\b(?:pid|PID)(?:[=_]|:? )"
    r"|\bpid\(s\) |^\S+ \w+\[(?=\d+\]: )|\bProcess |: line \d+: +)(?P<id>\d+)\b(?!\.)",
    re.M,
)


def other_pids(text: str, n: int) -> str:
    def other(match: Match) -> str:
        return f"{match['head']}{100 + (int(match['id']) + n) % 4_000_000}"

    return PID.sub(other, text)


CLOCK = re.compile(
    r"\b(?P<h>[01]\d|2[0-3]):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?P<f>[.,]\d+)?\b"
)
DATE = re.compile(r"\b20[12]\d(?P<d>[-_/.])(?:0[1-9]|1[0-2])(?P=d)[0-3]\d")
GLOG_DATE = re.compile(
    r"(?<![A-Za-ln-z0-9_])(?P<level>[VDIWECF])\d{4}(?= \d\d:\d\d:\d\d\.)"
)


def other_times(text: str, n: int) -> str:
    """Another day, and every time of day later by the same seconds."""
    month, day = f"{1 + n % 12:02}", f"{1 + n % 28:02}"

    def later(match: Match) -> str:
        clock = int(match["h"]) * 3600 + int(match["m"]) * 60 + int(match["s"])
        clock = (clock + n) % 86_400
        rest = match["f"] or ""
        rest = rest[:1] + number(rest[1:], n) if rest else ""
        return f"{clock // 3600:02}:{clock // 60 % 60:02}:{clock % 60:02}{rest}"

    text = GLOG_DATE.sub(lambda m: f"{m['level']}{month}{day}", text)
    text = DATE.sub(lambda m: m["d"].join([str(2020 + n % 9), month, day]), text)
    return CLOCK.sub(later, text)


def other_addresses(text: str, n: int) -> str:
    """Addresses have nine digits or more; codes of errors are shorter."""
    return re.sub(
        r"\b0x[0-9a-fA-F]{9,16}\b", lambda m: "0x7" + name(m[0], n, 11, HEX), text
    )


def other_ids(text: str, n: int) -> str:
    """What `id()` gave: in guards on objects."""
    return re.sub(r"\b(?<!\.)[1-9]\d{11,15}\b", lambda m: number(m[0], n), text)


def other_hosts(text: str, n: int) -> str:
    address = f"10.{n % 256}.3.{n % 199}"
    text = re.sub(r"\b(?:10|192|172)(?:\.\d+){3}\b", address, text)
    return re.sub(r"(?<=host      : )\S+", f"node-{n}.cluster.lan", text)


def other_uuids(text: str, n: int) -> str:
    def other(match: Match) -> str:
        return re.sub(
            r"\w+", lambda part: name(match[0], n, len(part[0]), HEX), match[0]
        )

    return re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", other, text)


def other_compile_ids(text: str, n: int) -> str:
    """Other frames were compiled before: each id is of a later one."""

    def later(match: Match) -> str:
        return f"{match['a']}{int(match['frame']) + 1 + n % 50}/{match['c']}"

    return re.sub(
        r"(?P<a>\[|- |reason: )(?P<frame>\d+)/(?P<c>\d+)(?=[\]:_/])", later, text
    )


def other_patch_version(text: str, n: int) -> str:
    return re.sub(
        r"\b2\.(?P<minor>1?\d)\.\d(?=[+\s,)]|$)", rf"2.\g<minor>.{n % 10}", text
    )
