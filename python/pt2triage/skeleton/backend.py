"""Samples of backend failures.

What fails in real life is a graph that Inductor cannot compile; the samples plant
the failure at the same place instead, so that the class and the cause are right.
"""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic

_MOCK = ("from unittest import mock",)

# An operator whose lowering raises what stands for @.
_LOWERING = """\
def broken(*args, **kwargs):
    raise @

def fn(x):
    return x.tanh() + 1

x = torch.ones(4)
planted = {torch.ops.aten.tanh.default: broken}
with mock.patch.dict(lowering.lowerings, planted):
    self.assertEqual(torch.compile(fn)(x), fn(x))
"""

# A step of Inductor, the method @, that raises.
_STEP = """\
def broken(*args, **kwargs):
    raise AssertionError("planted in this step of Inductor")

def fn(x):
    return x.tanh() + 1

x = torch.ones(4)
with mock.patch.object(@, broken):
    self.assertEqual(torch.compile(fn)(x), fn(x))
"""


def _row(
    cause: str,
    body: str,
    topic: Topic = topics.INDUCTOR,
    imports: tuple[str, ...] = (),
    raises: str = "torch._inductor.exc.InductorError",
) -> Sample:
    category = "backend_compiler_failed"
    return Sample(category, cause, topic, raises, body, imports)


def _lowering(cause: str, error: str, topic: Topic, *imports: str) -> Sample:
    needed = ("from torch._inductor import lowering", *imports, *_MOCK)
    return _row(cause, _LOWERING.replace("@", error), topic, needed)


def _step(cause: str, method: str, module: str) -> Sample:
    return _row(cause, _STEP.replace("@", method), imports=(module, *_MOCK))


SAMPLES = (
    _lowering("lowering", 'AssertionError("no layout for tanh")', topics.INDUCTOR),
    _step(
        "scheduling",
        'scheduler.Scheduler, "fuse_nodes"',
        "from torch._inductor import scheduler",
    ),
    _step(
        "codegen",
        'cpp.CppScheduling, "codegen_node"',
        "from torch._inductor.codegen import cpp",
    ),
    _row(
        "cpp-compile",
        """\
def fn(x):
    return x.relu() + 1

x = torch.ones(4)
planted = {"cpp.inject_relu_bug_TESTING_ONLY": "compile_error"}
with config.patch(planted):
    self.assertEqual(torch.compile(fn)(x), fn(x))
""",
        topics.CPU,
        ("from torch._inductor import config",),
    ),
    _row(
        "triton-compile",
        """\
if not torch.cuda.is_available():
    self.fail("needs a GPU: Inductor compiles no Triton kernel without one")
self.fail("put the function here whose Triton kernel does not compile")
""",
        topics.GPU,
        raises="AssertionError",
    ),
    _lowering(
        "autotuning",
        'NoValidChoicesError("No choices to select")',
        topics.AUTOTUNE,
        "from torch._inductor.select_algorithm import NoValidChoicesError",
    ),
    _row(
        "aot-autograd",
        """\
def refuse(graph, inputs):
    raise AssertionError("planted in the compiler of the forward graph")

def fn(x):
    return x.sin() + 1

x = torch.ones(4, requires_grad=True)
backend = aot_autograd(fw_compiler=refuse)
self.assertEqual(torch.compile(fn, backend=backend)(x), fn(x))
""",
        topics.AOT,
        ("from torch._dynamo.backends.common import aot_autograd",),
        "torch._dynamo.exc.BackendCompilerFailed",
    ),
    _row(
        "fx-pass",
        """\
def broken(graph):
    raise AssertionError("planted in a pass over the graph")

def fn(x):
    return x.sin() + 1

x = torch.ones(4)
with config.patch(post_grad_custom_pre_pass=broken, fx_graph_cache=False):
    self.assertEqual(torch.compile(fn)(x), fn(x))
""",
        topics.PASSES,
        ("from torch._inductor import config",),
    ),
    _row(
        "unknown-backend",
        """\
def fn(x):
    return x.sin() + 1

x = torch.ones(4)
compiled = torch.compile(fn, backend="a_backend_that_nobody_registered")
self.assertEqual(compiled(x), fn(x))
""",
        topics.BACKENDS,
        raises="torch._dynamo.exc.InvalidBackend",
    ),
    _row(
        "custom-backend",
        """\
def refuse(graph, inputs):
    raise ValueError("this backend refuses every graph")

def fn(x):
    return x.sin() + 1

x = torch.ones(4)
self.assertEqual(torch.compile(fn, backend=refuse)(x), fn(x))
""",
        topics.BACKENDS,
        raises="torch._dynamo.exc.BackendCompilerFailed",
    ),
    _row(
        "missing-toolchain",
        """\
def fn(x):
    return x.sin() + 1

x = torch.ones(4)
planted = {"cpp.cxx": ("no-such-compiler",)}
with config.patch(planted):
    self.assertEqual(torch.compile(fn)(x), fn(x))
""",
        topics.CPU,
        ("from torch._inductor import config",),
    ),
    _lowering(
        "subprocess",
        'SubprocException("planted in a worker")',
        topics.WORKERS,
        "from torch._inductor.compile_worker.subproc_pool import SubprocException",
    ),
    _lowering("timeout", 'TimeoutError("compile worker timed out")', topics.WORKERS),
    _step(
        "other",
        'graph.GraphLowering, "run"',
        "from torch._inductor import graph",
    ),
)
