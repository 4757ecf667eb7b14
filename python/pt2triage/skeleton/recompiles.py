"""Samples of recompilation: the second call must not compile, and does."""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic

# What every sample ends in; `first` and `second` are tuples of arguments.
_CALLS = """\

with torch._dynamo.config.patch(error_on_recompile=True):
    self.assertEqual(fn(*first), fn(*first))
    fn(*second)  # the call that compiles again
"""


def _row(
    cause: str,
    body: str,
    topic: Topic = topics.RECOMPILES,
    raises: str = "torch._dynamo.exc.RecompileError",
) -> Sample:
    if "error_on_recompile" not in body and "limit" not in body:
        body += _CALLS
    imports: tuple[str, ...] = ("import gc",) if "gc." in body else ()
    imports += ("import torch._dynamo.config",)
    return Sample("recompilation", cause, topic, raises, body, imports)


SAMPLES = (
    _row(
        "shape",
        """\
@torch.compile(backend="eager", dynamic=False)
def fn(x):
    return x.sum()

first, second = (torch.ones(3),), (torch.ones(4),)
""",
    ),
    _row(
        "stride",
        """\
@torch.compile(backend="eager", dynamic=False)
def fn(x):
    return x + 1

first, second = (torch.ones(3, 3),), (torch.ones(3, 3)[:, [0, 2, 1]].t(),)
""",
    ),
    _row(
        "dtype",
        """\
@torch.compile(backend="eager")
def fn(x):
    return x + 1

first, second = (torch.ones(3),), (torch.ones(3, dtype=torch.float64),)
""",
    ),
    _row(
        "device",
        """\
@torch.compile(backend="eager")
def fn(x):
    return x + 1

first, second = (torch.ones(3),), (torch.ones(3, device="meta"),)
""",
    ),
    _row(
        "requires-grad",
        """\
@torch.compile(backend="eager")
def fn(x):
    return x + 1

first, second = (torch.ones(3),), (torch.ones(3, requires_grad=True),)
""",
    ),
    _row(
        "dispatch-keys",
        """\
@torch.compile(backend="eager")
def fn(x):
    return x + 1

with torch.inference_mode():
    other = torch.ones(3)
first, second = (torch.ones(3),), (other,)
""",
    ),
    _row(
        "scalar-value",
        """\
@torch.compile(backend="eager")
def fn(x, word):
    return x * len(word)

first, second = (torch.ones(3), "a"), (torch.ones(3), "ab")
""",
    ),
    _row(
        "object-identity",
        """\
@torch.compile(backend="eager")
def fn(x, function):
    return function(x)

first, second = (torch.ones(3), torch.sin), (torch.ones(3), torch.cos)
""",
    ),
    _row(
        "type",
        """\
class A:
    value = 1

class B:
    value = 1

@torch.compile(backend="eager")
def fn(x, thing):
    return x + thing.value

first, second = (torch.ones(3), A()), (torch.ones(3), B())
""",
    ),
    _row(
        "container-length",
        """\
@torch.compile(backend="eager")
def fn(parts):
    return sum(parts)

first, second = ([torch.ones(3)],), ([torch.ones(3), torch.ones(3)],)
""",
    ),
    _row(
        "dict-keys",
        """\
@torch.compile(backend="eager")
def fn(parts):
    return parts["x"] + (2 if "extra" in parts else 1)

x = torch.ones(3)
first, second = ({"x": x},), ({"x": x, "extra": x},)
""",
    ),
    _row(
        "global-state",
        """\
@torch.compile(backend="eager")
def fn(x):
    return x + 1

x = torch.ones(3)
with torch._dynamo.config.patch(error_on_recompile=True):
    self.assertEqual(fn(x), x + 1)
    with torch.no_grad():
        fn(x)  # the call that compiles again
""",
    ),
    _row(
        "module-attribute",
        """\
model = torch.nn.Dropout(0.5)
fn = torch.compile(model, backend="eager")
x = torch.ones(3)
with torch._dynamo.config.patch(error_on_recompile=True):
    fn(x)
    model.eval()
    self.assertEqual(fn(x), x)  # the call that compiles again
""",
    ),
    _row(
        "symbolic-shape",
        """\
@torch.compile(backend="eager", dynamic=True)
def fn(x):
    return x + 1 if x.shape[0] > 5 else x - 1

first, second = (torch.ones(3),), (torch.ones(9),)
""",
        topics.SHAPES,
    ),
    _row(
        "weakref-died",
        """\
def make():
    class Settings:
        value = 1

    return Settings

@torch.compile(backend="eager")
def fn(x, settings):
    return x + settings.value

x = torch.ones(3)
with torch._dynamo.config.patch(error_on_recompile=True):
    fn(x, make())
    gc.collect()  # the class is gone
    fn(x, make())  # the call that compiles again
""",
    ),
    _row(
        "backend-changed",
        """\
def fn(x):
    return x + 1

x = torch.ones(3)
with torch._dynamo.config.patch(error_on_recompile=True):
    torch.compile(fn, backend="eager")(x)
    torch.compile(fn, backend="aot_eager")(x)  # the call that compiles again
""",
    ),
    _row(
        "limit-reached",
        """\
@torch.compile(backend="eager", dynamic=False)
def fn(x):
    return x + 1

with torch._dynamo.config.patch(
    recompile_limit=2, fail_on_recompile_limit_hit=True
):
    for size in range(2, 6):
        self.assertEqual(fn(torch.ones(size)), torch.ones(size) + 1)
""",
        raises="torch._dynamo.exc.FailOnRecompileLimitHit",
    ),
    _row(
        "other",
        """\
@torch.compile(backend="eager", dynamic=False)
def fn(x):
    return x.sum()

first, second = (torch.ones(3),), (torch.ones(4),)
""",
    ),
)
