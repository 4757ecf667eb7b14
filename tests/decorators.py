"""What CI systems, containers and launchers make of a log, one function for each.

A decorator gets the lines of a log, without newlines, and gives the bytes that a
system would keep of it. Grammars are those of docs/log-grammar.md; where a system
cuts long lines or stamps only some, so does its decorator.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 29, 15, 22, 18, tzinfo=UTC)
# Container runtimes cut lines here.
PIECE = 16 * 1024

Decorator = Callable[[list[bytes]], bytes]


def stamps(digits: int, zone: str = "Z") -> Iterator[bytes]:
    """Times that go on by a millisecond, with that many digits behind the dot."""
    time = START
    while True:
        fraction = f"{time.microsecond:06d}000"[:digits]
        yield f"{time:%Y-%m-%dT%H:%M:%S}.{fraction}{zone}".encode()
        time += timedelta(milliseconds=1)


def joined(lines: Iterable[bytes], end: bytes = b"\n") -> bytes:
    return b"".join(line + end for line in lines)


def each(prefix: bytes, end: bytes = b"\n") -> Decorator:
    return lambda lines: joined((prefix + line for line in lines), end)


def pieces(line: bytes, size: int = PIECE) -> list[bytes]:
    return [line[i : i + size] for i in range(0, len(line), size)] or [b""]


def github(lines: list[bytes]) -> bytes:
    return b"\xef\xbb\xbf" + joined(
        stamp + b" " + line for stamp, line in zip(stamps(7), lines, strict=False)
    )


def github_messages(lines: list[bytes]) -> bytes:
    """One stamp for each message: what an indented line goes on has it."""
    out: list[bytes] = []
    for stamp, line in zip(stamps(7), lines, strict=False):
        alone = not line.startswith(b" ") and line != b""
        out.append(stamp + b" " + line if alone or not out else line)
    return joined(out, b"\r\n")


def gh_run_view(lines: list[bytes], step: bytes = b"Run tests") -> bytes:
    """`gh run view --log`; the step's file begins with a BOM."""
    columns = b"linux-jammy / test (default, 1, 3)\t" + step + b"\t"
    out = [columns + line for line in github(lines).split(b"\n")[:-1]]
    return joined(out)


def gh_unknown_step(lines: list[bytes]) -> bytes:
    return gh_run_view(lines, b"UNKNOWN STEP")


def gitlab(lines: list[bytes]) -> bytes:
    """Long lines go on in lines with a plus, also after a carriage return."""
    out = []
    times = stamps(6)
    out.append(next(times) + b" 00O section_start:1764429738:step_script\r")
    out.append(next(times) + b" 00O+\x1b[0K$ python train.py")
    for line in lines:
        for i, piece in enumerate(pieces(line, 8 * 1024)):
            out.append(next(times) + b" 01O" + b" +"[i > 0 : (i > 0) + 1] + piece)
    out.append(next(times) + b" 00O section_end:1764429740:step_script\r")
    out.append(next(times) + b" 00O+\x1b[0K")
    return joined(out)


def buildkite(lines: list[bytes]) -> bytes:
    """A stamp at the start, and one in mid-line after a pause."""
    out = []
    for i, line in enumerate(lines):
        ms = int(START.timestamp() * 1000) + i
        mark = b"\x1b_bk;t=%d\x07" % ms
        half = len(line) // 2 if i % 3 == 0 else len(line)
        out.append(
            mark + line[:half] + (mark if half < len(line) else b"") + line[half:]
        )
    return joined(out, b"\r\n")


def buildkite_brackets(lines: list[bytes]) -> bytes:
    return joined(
        b"[" + stamp.replace(b".000", b"")[:19] + b"Z] " + line
        for stamp, line in zip(stamps(3), lines, strict=False)
    )


def jenkins(lines: list[bytes]) -> bytes:
    note = b"\x1b[8mha:////4AvKp0Q/+AAAAlx+LCAAAAA==\x1b[0m"
    return joined(
        b"[" + stamp + b"] " + (note if i % 5 == 0 else b"") + line
        for i, (stamp, line) in enumerate(zip(stamps(3), lines, strict=False))
    )


def jenkins_clock(lines: list[bytes]) -> bytes:
    return joined(b"15:22:%02d  " % (i % 60) + line for i, line in enumerate(lines))


def taskcluster(lines: list[bytes]) -> bytes:
    return joined(
        b"[task " + stamp + b"] " + line
        for stamp, line in zip(stamps(3), lines, strict=False)
    )


def docker_json(lines: list[bytes], blanks: bool = False) -> bytes:
    """A program's output and, in between, another stream with half lines."""
    separators = (", ", ": ") if blanks else (",", ":")
    out = []
    times = stamps(9)

    def add(log: str, stream: str) -> None:
        entry = {"log": log, "stream": stream, "time": next(times).decode()}
        out.append(json.dumps(entry, separators=separators, ensure_ascii=blanks))

    for i, line in enumerate(lines):
        if i % 7 == 3:
            add("a progress bar of ", "stdout")
        text = (line + b"\n").decode("utf-8", "replace")
        for at in range(0, len(text), PIECE):
            add(text[at : at + PIECE], "stderr")
        if i % 7 == 3:
            add("the other stream\n", "stdout")
    return ("\n".join(out) + "\n").encode()


def docker_json_blanks(lines: list[bytes]) -> bytes:
    return docker_json(lines, blanks=True)


def docker_logs(lines: list[bytes]) -> bytes:
    return joined(
        stamp + b" " + line for stamp, line in zip(stamps(9), lines, strict=False)
    )


def compose(lines: list[bytes]) -> bytes:
    """Two services; the other one writes a table."""
    out = []
    for i, line in enumerate(lines):
        out.append(b"trainer-1   | " + line)
        if i % 5 == 2:
            out.append(b"database-1  | name   | value")
    return joined(out)


def compose_own_name(lines: list[bytes]) -> bytes:
    """With `container_name`, in colours, in a step of GitHub's."""
    return github([b"\x1b[36mtrainer  | \x1b[0m" + line for line in lines])


def cri(lines: list[bytes], zone: str = "Z") -> bytes:
    out = []
    times = stamps(9, zone)
    for i, line in enumerate(lines):
        parts = pieces(line)
        for part in parts[:-1]:
            out.append(next(times) + b" stderr P " + part)
            out.append(next(times) + b" stdout F the other stream")
        if i % 7 == 3:
            out.append(next(times) + b" stdout P a progress bar of ")
        out.append(next(times) + b" stderr F " + parts[-1])
        if i % 7 == 3:
            out.append(next(times) + b" stdout F the other stream")
    return joined(out)


def cri_local_time(lines: list[bytes]) -> bytes:
    return cri(lines, "+08:00")


def kubectl(lines: list[bytes]) -> bytes:
    out = []
    for i, (stamp, line) in enumerate(zip(stamps(9), lines, strict=False)):
        out.append(b"[pod/train-0/main] " + stamp + b" " + line)
        if i % 4 == 1:
            out.append(b"[pod/train-1/main] " + stamp + b" step 12 of 40")
    return joined(out)


def journal_short(lines: list[bytes]) -> bytes:
    out = []
    for i, line in enumerate(lines):
        out.append(b"Nov 29 15:22:18 node-3 python3[4242]: " + line)
        if i % 4 == 1:
            out.append(b"Nov 29 15:22:18 node-3 systemd[1]: Started a timer.")
    return joined(out)


def journal_json(lines: list[bytes]) -> bytes:
    """What is not printable comes as an array; what is too large as null."""
    out = []
    for i, line in enumerate(lines):
        try:
            message: object = line.decode()
        except UnicodeDecodeError:
            message = list(line)
        if i % 3 == 0 or (isinstance(message, str) and not message.isprintable()):
            message = list(line)
        entry = {
            "__CURSOR": f"s=1;i={i:x}",
            "__REALTIME_TIMESTAMP": str(int(START.timestamp()) * 1_000_000 + i),
            "_PID": "4242",
            "SYSLOG_IDENTIFIER": "python3",
            "PRIORITY": "6",
            "MESSAGE": message,
        }
        out.append(json.dumps(entry, separators=(",", ":"), ensure_ascii=False))
        if i % 9 == 4:
            other = entry | {"MESSAGE": None, "_PID": "1", "SYSLOG_IDENTIFIER": "x"}
            out.append(json.dumps(other, separators=(",", ":")))
    return ("\n".join(out) + "\n").encode()


def journal_json_lines(lines: list[bytes]) -> bytes:
    """A program that hands the journal several lines as one message."""
    out = []
    for i in range(0, len(lines), 4):
        entry = {
            "MESSAGE": b"\n".join(lines[i : i + 4]).decode("utf-8", "replace"),
            "__REALTIME_TIMESTAMP": str(int(START.timestamp()) * 1_000_000 + i),
            "_PID": "4242",
            "SYSLOG_IDENTIFIER": "python3",
        }
        out.append(json.dumps(entry))
    return ("\n".join(out) + "\n").encode()


def srun(lines: list[bytes]) -> bytes:
    """`srun --label`, with another task between the lines."""
    out = []
    for i, line in enumerate(lines):
        out.append(b"3: " + line)
        if i % 4 == 1:
            out.append(b"0: step %d of 40" % i)
    return joined(out)


def numbered(lines: list[bytes]) -> bytes:
    """`cat -n`."""
    return joined(b"%6d\t" % i + line for i, line in enumerate(lines, start=1))


def coloured(lines: list[bytes]) -> bytes:
    return joined(b"\x1b[31m" + line + b"\x1b[0m" for line in lines)


def shuffled_ends(lines: list[bytes]) -> bytes:
    """Line ends of both kinds."""
    ends = random.Random(7).choices([b"\n", b"\r\n"], k=len(lines))
    return b"".join(map(b"".join, zip(lines, ends, strict=True)))


DECORATORS: dict[str, Decorator] = {
    "github": github,
    "github_messages": github_messages,
    "gh_run_view": gh_run_view,
    "gh_unknown_step": gh_unknown_step,
    "gitlab": gitlab,
    "buildkite": buildkite,
    "buildkite_brackets": buildkite_brackets,
    "jenkins": jenkins,
    "jenkins_clock": jenkins_clock,
    "taskcluster": taskcluster,
    "taskcluster_vcs": lambda lines: taskcluster(lines).replace(b"[task ", b"[vcs "),
    "docker_json": docker_json,
    "docker_json_blanks": docker_json_blanks,
    "docker_logs": docker_logs,
    "compose": compose,
    "compose_own_name": compose_own_name,
    "cri": cri,
    "cri_local_time": cri_local_time,
    "kubectl": kubectl,
    "journal_short": journal_short,
    "journal_json": journal_json,
    "journal_json_lines": journal_json_lines,
    "torchrun": each(b"[default3]:"),
    "torchrun_role": each(b"[trainer3]:"),
    "srun": srun,
    "ray": each(b"\x1b[36m(RayTrainWorker pid=4242, ip=10.0.0.7)\x1b[0m "),
    "ray_task": each(b"(pid=4242) "),
    "vllm": each(b"(EngineCore_0 pid=4242) ERROR 11-29 15:22:18 [core.py:700] "),
    "numbered": numbered,
    "coloured": coloured,
    "line_ends": shuffled_ends,
}
