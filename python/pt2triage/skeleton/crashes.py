"""Samples of crashes and of failures of generated code while it runs."""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic

# The program runs in a process of its own, so that its death is a failed test.
_CHILD = """\
program = \"\"\"
import faulthandler
import torch

faulthandler.enable()

def backend(graph, inputs):
    def run(*args):
        @

    return run

torch.compile(torch.sin, backend=backend)(torch.ones(4))
\"\"\"
command = [sys.executable, "-c", textwrap.dedent(program)]
done = subprocess.run(command, capture_output=True, text=True)
self.assertEqual(done.returncode, 0, f"exit {done.returncode}: {done.stderr}")
"""


def _row(
    category: str,
    cause: str,
    body: str,
    topic: Topic = topics.INDUCTOR,
    raises: str = "AssertionError",
    imports: tuple[str, ...] = (),
) -> Sample:
    return Sample(category, cause, topic, raises, body, imports)


def _child(cause: str, statement: str) -> Sample:
    body = _CHILD.replace("@", statement)
    imports = ("import subprocess", "import sys", "import textwrap")
    return _row("runtime_crash", cause, body, imports=imports)


def _gpu(category: str, cause: str, topic: Topic, what: str) -> Sample:
    body = f"""\
if not torch.cuda.is_available():
    self.fail("needs a GPU: {what} cannot happen without one")
self.fail("put the function here that ends in {what}")
"""
    return Sample(category, cause, topic, "AssertionError", body, gpu=True)


_CUSTOM_OP = """\
@torch.library.custom_op("pt2triage_repro::@NAME", mutates_args=())
def @NAME(x: torch.Tensor) -> torch.Tensor:
    @REAL

@@NAME.register_fake
def _(x):
    return torch.empty_like(x)

def fn(x):
    return @NAME(x) + 1

x = torch.ones(4, 4)
torch.compile(fn)(x)
"""


def _custom_op(cause: str, name: str, real: str, raises: str) -> Sample:
    body = _CUSTOM_OP.replace("@NAME", name).replace("@REAL", real)
    imports = ("import torch.library",)
    return _row("runtime_crash", cause, body, topics.CUSTOM_OPS, raises, imports)


SAMPLES = (
    _child("segfault", "import ctypes; ctypes.string_at(0)"),
    _child("abort", "import os; os.abort()"),
    _gpu(
        "runtime_crash",
        "illegal-memory-access",
        topics.GPU,
        "an illegal memory access",
    ),
    _custom_op(
        "size-stride-assert",
        "transposed",
        "return x.t().contiguous().t()",
        "AssertionError",
    ),
    _gpu(
        "runtime_crash", "cudagraph-overwrite", topics.CUDAGRAPHS, "a reused CUDA graph"
    ),
    _custom_op(
        "out-of-memory-during-compile",
        "greedy",
        'raise torch.OutOfMemoryError("planted: out of memory")',
        "torch.OutOfMemoryError",
    ),
    _custom_op(
        "other",
        "unable",
        'raise RuntimeError("this kernel cannot run")',
        "RuntimeError",
    ),
    _row(
        "triton_kernel",
        "index-out-of-bounds",
        """\
def fn(x, index):
    return x[index] + 1

x, index = torch.ones(10), torch.tensor([1, 2, 50] * 10)
torch.compile(fn)(x, index)
""",
        topics.CPU,
        "RuntimeError",
    ),
    _gpu("triton_kernel", "device-assert", topics.TRITON, "a device-side assert"),
    _gpu("triton_kernel", "triton-compile", topics.TRITON, "a Triton compile error"),
    _gpu("triton_kernel", "ptxas", topics.TRITON, "an error of ptxas"),
    _gpu("triton_kernel", "out-of-resources", topics.TRITON, "a lack of resources"),
    _gpu("triton_kernel", "other", topics.TRITON, "a failure of a Triton kernel"),
)
