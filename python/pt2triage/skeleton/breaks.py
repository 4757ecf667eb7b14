"""Samples of graph breaks: each raises under ``fullgraph=True``, or in export."""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic


def _row(
    cause: str,
    body: str,
    topic: Topic = topics.REPROS,
    raises: str = "torch._dynamo.exc.Unsupported",
    imports: tuple[str, ...] = (),
    export: bool = False,
) -> Sample:
    return Sample("graph_break", cause, topic, raises, body, imports, export)


SAMPLES = (
    _row(
        "data-dependent-branch",
        """\
def fn(x):
    if x.sum() > 0:
        return x + 1
    return x - 1

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.BRANCHES,
    ),
    _row(
        "data-dependent-operator",
        """\
def fn(x):
    return x + 1 if torch.equal(x, x.abs()) else x - 1

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.BRANCHES,
    ),
    _row(
        "unsupported-builtin",
        """\
def fn(x):
    y = x.sin()
    print("half way")
    return y.cos()

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.MESSAGES,
    ),
    _row(
        "unsupported-method",
        """\
def fn(x, pattern):
    return x + len(pattern.scanner("abc").match().group())

x = torch.ones(4)
pattern = re.compile("a")
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x, pattern), fn(x, pattern))
""",
        topics.MESSAGES,
        imports=("import re",),
    ),
    _row(
        "skipped-function",
        """\
def fn(x):
    return x + len(inspect.getfile(torch))

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.MESSAGES,
        imports=("import inspect",),
    ),
    _row(
        "disabled-function",
        """\
@torch.compiler.disable
def opaque(x):
    return x + 1

def fn(x):
    return opaque(x).sin()

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.MESSAGES,
    ),
    _row(
        "c-extension",
        """\
def fn(x):
    return x + zlib.crc32(b"data") % 7

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.MESSAGES,
        imports=("import zlib",),
    ),
    _row(
        "context-manager",
        """\
def fn(x, lock):
    with lock:
        return x + 1

x, lock = torch.ones(4), threading.Lock()
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x, lock), fn(x, lock))
""",
        topics.CONTEXTS,
        imports=("import threading",),
    ),
    _row(
        "side-effect",
        """\
def fn(x, y):
    y.requires_grad = True
    return x + 1

x, y = torch.ones(4), torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x, y), x + 1)
""",
    ),
    _row(
        "generator",
        """\
@torch.compile(backend="eager", fullgraph=True)
def fn(x):
    yield x + 1
    yield x - 1

x = torch.ones(4)
self.assertEqual(list(fn(x)), [x + 1, x - 1])
""",
        topics.GENERATORS,
    ),
    _row(
        "exception-handling",
        """\
def fn(x, flag):
    if flag:
        raise ValueError("this argument is not supported")
    return x + 1

x = torch.ones(4)
with self.assertRaises(ValueError):
    fn(x, True)
with self.assertRaises(ValueError):
    torch.compile(fn, backend="eager", fullgraph=True)(x, True)
""",
        topics.EXCEPTIONS,
    ),
    _row(
        "untraceable-op",
        """\
def fn(x):
    return x + torch.get_num_threads()

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.MESSAGES,
    ),
    _row(
        "in-place-mutation",
        """\
def fn(x):
    x.resize_(2, 3)
    return x + 1

compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(torch.ones(6)), torch.ones(2, 3) + 1)
""",
    ),
    _row(
        "missing-fake-kernel",
        """\
@torch.library.custom_op("pt2triage_repro::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2

# Fixed by @double.register_fake.
x = torch.ones(4)
compiled = torch.compile(double, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), x * 2)
""",
        topics.CUSTOM_OPS,
        raises="torch._dynamo.exc.TorchRuntimeError",
        imports=("import torch.library",),
    ),
    _row(
        "missing-fake-kernel",
        """\
library = torch.library.Library("pt2triage_repro_plain", "DEF")
library.define("double(Tensor x) -> Tensor")
library.impl("double", lambda x: x * 2, "CPU")

# Fixed by torch.library.register_fake.
x = torch.ones(4)
double = torch.ops.pt2triage_repro_plain.double
compiled = torch.compile(lambda x: double(x), backend="eager", fullgraph=True)
self.assertEqual(compiled(x), x * 2)
""",
        topics.CUSTOM_OPS,
        imports=("import torch.library",),
    ),
    _row(
        "fake-tensor-error",
        """\
def fn(x, y):
    return x @ y

x, y = torch.ones(3, 4), torch.ones(3, 4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x, y).shape, (3, 4))
""",
        raises="torch._dynamo.exc.TorchRuntimeError",
    ),
    _row(
        "higher-order-op",
        """\
def fn(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.item(), (x,))

x = torch.ones(1)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), x + 1)
""",
        topics.HIGHER_ORDER,
        raises="torch._dynamo.exc.UncapturedHigherOrderOpError",
    ),
    _row(
        "data-dependent-guard",
        """\
def fn(x):
    if x.nonzero().shape[0] > 3:
        return torch.ones(4)
    return torch.zeros(4)

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.SHAPES,
        raises="torch._dynamo.exc.UserError",
    ),
    _row(
        "constraint-violation",
        """\
def fn(x):
    return x.reshape(2, 2) + 1

x = torch.ones(4)
torch._dynamo.mark_dynamic(x, 0)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
        topics.SHAPES,
        raises="torch.fx.experimental.symbolic_shapes.ConstraintViolationError",
    ),
    _row(
        "user-inserted",
        """\
def fn(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos()

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), fn(x))
""",
    ),
    _row(
        "other",
        """\
def fn(x):
    import this_module_is_made_up_by_pt2triage
    return x + 1

x = torch.ones(4)
compiled = torch.compile(fn, backend="eager", fullgraph=True)
self.assertEqual(compiled(x), x + 1)
""",
    ),
    _row(
        "data-dependent-branch",
        """\
class Model(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1

x = torch.ones(4)
exported = torch.export.export(Model(), (x,), strict=False)
self.assertEqual(exported.module()(x), Model()(x))
""",
        topics.EXPORT,
        raises="torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode",
        export=True,
    ),
    _row(
        "data-dependent-guard",
        """\
class Model(torch.nn.Module):
    def forward(self, x):
        if x.item() > 3:
            return torch.ones(4)
        return torch.zeros(4)

x = torch.tensor(5)
exported = torch.export.export(Model(), (x,), strict=False)
self.assertEqual(exported.module()(x), Model()(x))
""",
        topics.EXPORT,
        raises="torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode",
        export=True,
    ),
    _row(
        "constraint-violation",
        """\
class Model(torch.nn.Module):
    def forward(self, x):
        return x.reshape(2, 2) + 1

x = torch.ones(4)
shapes = ({0: torch.export.Dim("length")},)
exported = torch.export.export(Model(), (x,), dynamic_shapes=shapes)
self.assertEqual(exported.module()(x), Model()(x))
""",
        topics.EXPORT,
        raises="torch._dynamo.exc.UserError",
        export=True,
    ),
    _row(
        "invalid-argument",
        """\
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1

x = torch.ones(4)
exported = torch.export.export(Model(), (x,), dynamic_shapes={"y": None})
self.assertEqual(exported.module()(x), Model()(x))
""",
        topics.EXPORT,
        raises="torch._dynamo.exc.UserError",
        export=True,
    ),
    _row(
        "fake-tensor-error",
        """\
class Model(torch.nn.Module):
    def forward(self, x, y):
        return x @ y

x, y = torch.ones(3, 4), torch.ones(3, 4)
exported = torch.export.export(Model(), (x, y), strict=True)
self.assertEqual(exported.module()(x, y).shape, (3, 4))
""",
        topics.EXPORT,
        raises="torch._dynamo.exc.TorchRuntimeError",
        export=True,
    ),
    _row(
        "other",
        """\
class Model(torch.nn.Module):
    def forward(self, x):
        return x + zlib.crc32(b"data") % 7

x = torch.ones(4)
exported = torch.export.export(Model(), (x,), strict=True)
self.assertEqual(exported.module()(x), Model()(x))
""",
        topics.EXPORT,
        imports=("import zlib",),
        export=True,
    ),
)
