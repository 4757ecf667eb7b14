"""Samples of accuracy failures: a backend, or Inductor, that is wrong on purpose."""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic

_ACCURACY_ERROR = "torch._dynamo.debug_utils.AccuracyError"

# A backend that computes @ of the right results.
_WRONG = """\
def wrong(graph, inputs):
    def run(*args):
        return [@ for out in graph(*args)]

    return run

def fn(x):
    return x.sin()

x = torch.rand(8)
"""


def _row(
    cause: str,
    body: str,
    topic: Topic = topics.INDUCTOR,
    imports: tuple[str, ...] = (),
    raises: str = "AssertionError",
) -> Sample:
    return Sample("accuracy", cause, topic, raises, body, imports)


def _wrong(
    cause: str, result: str, check: str, *imports: str, raises: str = "AssertionError"
) -> Sample:
    body = _WRONG.replace("@", result) + check
    return _row(cause, body, imports=imports, raises=raises)


SAMPLES = (
    _wrong(
        "rmse",
        "out + 0.5",
        """\
reference = fn(x.double())
result = torch.compile(fn, backend=wrong)(x)
self.assertTrue(same(fn(x), result, reference), "RMSE is too large")
""",
        "from torch._dynamo.utils import same",
    ),
    _wrong(
        "rmse",
        "out + 0.5",
        """\
reference = fn(x.double())
result = torch.compile(fn, backend=wrong)(x)
if not same(fn(x), result, reference):
    raise AccuracyError("Bad accuracy detected")
""",
        "from torch._dynamo.debug_utils import AccuracyError",
        "from torch._dynamo.utils import same",
        raises=_ACCURACY_ERROR,
    ),
    _row(
        "not-close",
        """\
def fn(x):
    return x.relu() + 1

x = torch.ones(8)
planted = {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}
with config.patch(planted):
    self.assertEqual(torch.compile(fn)(x), fn(x))
""",
        imports=("from torch._inductor import config",),
    ),
    _wrong(
        "not-close",
        "out + 0.5",
        """\
if not same(fn(x), torch.compile(fn, backend=wrong)(x)):
    raise AccuracyError("Bad accuracy detected")
""",
        "from torch._dynamo.debug_utils import AccuracyError",
        "from torch._dynamo.utils import same",
        raises=_ACCURACY_ERROR,
    ),
    _row(
        "nan-assert",
        """\
def fn(x):
    return torch.mm(x, x) + 1

x = torch.full((4, 4), float("nan"))
with config.patch(nan_asserts=True):
    self.assertEqual(torch.compile(fn)(x), fn(x))
""",
        imports=("from torch._inductor import config",),
    ),
    _wrong(
        "dtype-mismatch",
        "out.double()",
        """\
self.assertEqual(torch.compile(fn, backend=wrong)(x), fn(x))
""",
    ),
    _wrong(
        "check-did-not-run",
        "out",
        """\
def check(actual, expected):
    raise RuntimeError("the comparison itself failed")

check(torch.compile(fn, backend=wrong)(x), fn(x))
""",
        raises="RuntimeError",
    ),
    _wrong(
        "other",
        "out * 1.01",
        """\
self.assertEqual(torch.compile(fn, backend=wrong)(x), fn(x))
""",
    ),
)
