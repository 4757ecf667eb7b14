"""Samples of errors inside Dynamo: a part of it is replaced by one that raises."""

from __future__ import annotations

from pt2triage.skeleton import topics
from pt2triage.skeleton.sample import Sample, Topic

_PLANTED = """\
def broken(*args, **kwargs):
    raise @ERROR

def fn(x):
    parts = [x]
    parts.append(x + 1)
    return parts[0] + parts[1]

x = torch.ones(4)
with mock.patch.object(@METHOD, broken):
    compiled = torch.compile(fn, backend="eager")
    self.assertEqual(compiled(x), fn(x))
"""

_LISTS = "from torch._dynamo.variables.lists import ListVariable"


def _row(
    cause: str,
    error: str,
    method: str,
    module: str,
    topic: Topic = topics.REPROS,
    raises: str = "torch._dynamo.exc.InternalTorchDynamoError",
) -> Sample:
    body = _PLANTED.replace("@ERROR", error).replace("@METHOD", method)
    return Sample(
        "dynamo_internal",
        cause,
        topic,
        raises,
        body,
        (module, "from unittest import mock"),
    )


SAMPLES = (
    _row(
        "bytecode-instruction",
        'ValueError("planted in a bytecode instruction")',
        'InstructionTranslatorBase, "step"',
        "from torch._dynamo.symbolic_convert import InstructionTranslatorBase",
    ),
    _row(
        "variable-tracker",
        "AttributeError(\"'ListVariable' object has no attribute 'value'\")",
        'ListVariable, "call_method"',
        _LISTS,
    ),
    _row(
        "guard-creation",
        'ValueError("planted while creating guard")',
        'GuardBuilder, "TENSOR_MATCH"',
        "from torch._dynamo.guards import GuardBuilder",
        topics.GUARDS,
    ),
    _row(
        "symbolic-shapes",
        'ValueError("planted: symbolic shape s0 is not in var_ranges")',
        'ListVariable, "call_method"',
        _LISTS,
        topics.SHAPES,
    ),
    _row(
        "timeout",
        'TimeoutError("planted: timed out")',
        'ListVariable, "call_method"',
        _LISTS,
    ),
    _row("other", 'KeyError("planted")', 'ListVariable, "call_method"', _LISTS),
    # Dynamo wraps most errors; these classes come out as they are.
    _row(
        "bytecode-instruction",
        'IndexError("pop from empty list")',
        'InstructionTranslatorBase, "step"',
        "from torch._dynamo.symbolic_convert import InstructionTranslatorBase",
        raises="IndexError",
    ),
    _row(
        "guard-creation",
        'AssertionError("planted while creating guard")',
        'GuardBuilder, "TENSOR_MATCH"',
        "from torch._dynamo.guards import GuardBuilder",
        topics.GUARDS,
        "AssertionError",
    ),
    _row(
        "symbolic-shapes",
        'AssertionError("planted: symbolic shape s0 is not in var_ranges")',
        'ListVariable, "call_method"',
        _LISTS,
        topics.SHAPES,
        "AssertionError",
    ),
    _row(
        "other",
        'AssertionError("planted")',
        'ListVariable, "call_method"',
        _LISTS,
        raises="AssertionError",
    ),
)
