"""Messages whose holes differ between two prints of one failure, and pairs of
messages that are two failures although they look alike.

The fields in braces are drawn by tests/python/test_fingerprint_texts.py. `missing`
says what `NormaliseText` does not do yet; empty where it does.
"""

from typing import NamedTuple


class Alike(NamedTuple):
    name: str
    text: str
    missing: str = ""


ALIKE = [
    Alike("address", "<function f at {address}> is bad"),
    Alike("address in upper case", "at 0x{bare_address}, in f"),
    Alike("address on Windows", "<f at {bare_address}>"),
    Alike("id", "___check_obj_id(L['x'], {id}) failed"),
    Alike("code object", '<code object f at {address}, file "m.py", line {line}>'),
    Alike("pid", "DataLoader worker (pid {pid}) is killed by signal: Killed."),
    Alike("pids", "worker (pid(s) {pid}, {pid}) exited"),
    Alike("PID", "Signal 11 (SIGSEGV) received by PID {pid}"),
    Alike("process", "Process {pid} has 7 handles"),
    Alike("thread", "thread {pid} failed"),
    Alike("place", "in {folder}/m.py:{line}:{line}"),
    Alike("traceback line", 'File "{folder}/m.py", line {line}, in f'),
    Alike("relative", "in src/m.py:{line}"),
    Alike("folder", "no folder {folder}/out"),
    Alike("line number", "line number: {line}"),
    Alike("Line", "Line {line}, in f"),
    Alike("lineno", "at lineno={line}"),
    Alike("line in brackets", "kernel.cpp({line}): bad"),
    Alike("line in Triton", "at {line}:11:"),
    Alike("resume", "torch_dynamo_resume_in_f_at_{line} is bad"),
    Alike("space", "in {folder}/{spaced}/m.py:{line}"),
    Alike("quoted", 'in "{folder}/{spaced}/m.py":{line}'),
    Alike("odd folder", "in {folder}/{odd}/m.py:{line}"),
    Alike("checkout in temp", "in {tmp_or_home}/m.py:{line}"),
    Alike("generated", "in /tmp/torchinductor_{user}/ab/c{hash}.py:{line}"),
    Alike("library", "/tmp/torchinductor_{user}/ab/c{hash}.so: undefined symbol: foo"),
    Alike("cache", "in /cache/ab/c{hash}.py:{line}"),
    Alike("key", "fx graph f{hash} failed"),
    Alike("digest", "key {digest} failed"),
    Alike("UUID", "job {uuid} failed"),
    Alike("temp file", "no file /tmp/{tmp}"),
    Alike("temp folder", "no file {temp_root}/{tmp}"),
    Alike("temp name", "{tmp} is missing"),
    Alike("debug", "see /home/x/run_{digits}-pid_{pid}/minifier/repro.py"),
    Alike("debug folder", "see run_{digits}-pid_{pid}/out"),
    Alike("eval", "<eval_with_key>.{line} is bad"),
    Alike("cell", "in Cell In[{line}], line 3"),
    Alike("IPython", "in <ipython-input-{line}-58f2b1d0c3aa>"),
    Alike("threads", "k.cu:94: block: [{gpu},0,0], thread: [{gpu},{gpu},0] failed"),
    Alike("rank", "[Rank {rank}] is gone"),
    Alike("rank of NCCL", "[{rank}] is setting up NCCL communicator"),
    Alike("device", "expected device cuda:{gpu}"),
    Alike("GPU", "GPU {gpu} has a problem"),
    Alike("bus", "device 0000:{byte}:00.0 fell off"),
    Alike(
        "memory",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU {gpu} has a total capacity"
        " of {gib} GiB of which {gib} GiB is free.",
    ),
    Alike(
        "memory up to 2.1",
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU {gpu}; {gib} GiB total"
        " capacity; {gib} GiB already allocated; {gib} GiB free)",
    ),
    Alike("collective", "WorkNCCL(SeqNum={line}, OpType=X) failed"),
    Alike("ran for", "ran for {pid} milliseconds"),
    Alike("took", "gave up after {gib} seconds"),
    Alike("date", "failed at 2025-{mm}-{mm} 03:{mm}:05"),
    Alike("address of a host", "closed by peer [10.0.0.{gpu}]"),
    Alike("port", "no route to localhost:{port}"),
    Alike("host", "failed on host node-{gpu}", "host names after host, on"),
    Alike("compile id", "in frame [{gpu}/1]"),
    Alike("guard's id", "Guard fail reason: {gpu}/0: n == 3"),
    Alike("RMSE", "RMSE (res-fp64): {gib}, (ref-fp64): {gib}"),
]


class Different(NamedTuple):
    name: str
    one: str
    other: str
    missing: str = ""


CPP = "C++ compile error\n\nCommand:\ng++ x.cpp\n\nOutput:\nx.cpp:3:1: error: "
SUBPROCESS = (
    "An exception occurred in a subprocess:\n\nTraceback (most recent call last):\n"
    '  File "/srv/a.py", line 1, in f\n'
)
RECOMPILE = "Recompiling function f in m.py:3\n    triggered by the following guard"

DIFFERENT = [
    Different("number", "size 3 is bad", "size 4 is bad"),
    Different("word", "no kernel for sin", "no kernel for cos"),
    Different("file", "cannot read /srv/a.bin", "cannot read /srv/b.bin"),
    Different("operator", "aten.sin.default failed", "aten.cos.default failed"),
    Different("shape", "shape [2, 3] failed", "shape [3, 3] failed"),
    Different("wrapped", "backend raised:\nKeyError: a", "backend raised:\nOSError: a"),
    Different(
        "file in temp",
        "cannot read /tmp/a/one.bin",
        "cannot read /tmp/a/two.bin",
    ),
    Different(
        "error code",
        "fatal exception: code 0xc0000374",
        "fatal exception: code 0xe06d7363",
    ),
    Different(
        "C++ error",
        CPP + "no member named 'a'",
        CPP + "expected ';'",
    ),
    Different(
        "subprocess",
        SUBPROCESS + "ValueError: a",
        SUBPROCESS + "KeyError: b",
    ),
    Different(
        "guard",
        RECOMPILE + " failure(s):\n    - 0/0: tensor 'x' size mismatch at index 0.",
        RECOMPILE + " failure(s):\n    - 0/0: tensor 'y' size mismatch at index 0.",
        "the guards of a RecompileError",
    ),
]
