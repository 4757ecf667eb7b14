"""The metadata of trace records as types, for those who read `Trace.records()`.

``METADATA`` names the type of each record whose metadata says something; the others are
empty objects. Every key may be missing: versions differ, and traces may be damaged. A
frame names its file by a number of the trace; ``Record.stack`` has the names.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict

__all__ = (
    "METADATA",
    "Artifact",
    "CreateSymbol",
    "CreateUnbackedSymbol",
    "DescribeSource",
    "DescribeStorage",
    "DescribeTensor",
    "DumpFile",
    "DynamoOutputGraph",
    "DynamoStart",
    "ExpressionCreated",
    "Frame",
    "GraphDump",
    "GuardAdded",
    "GuardAddedFast",
    "GuardOnDataDependentError",
    "InductorOutputCode",
    "Link",
    "MismatchedFakeKernel",
    "MissingFakeKernel",
    "OptimizeDdpSplitChild",
    "PropagateRealTensors",
    "SymbolicShapeSpecialization",
)


class Frame(TypedDict, total=False):
    """One call of a stack."""

    line: int
    name: str
    filename: int  # of a `str` record; -1: none
    loc: str | None  # the source line, from 2.8 on


class Artifact(TypedDict, total=False):
    """Of an ``artifact``: what it is, and how its payload is written."""

    name: str
    encoding: str  # string or json


class DynamoStart(TypedDict, total=False):
    """Of the begin of a compile."""

    stack: list[Frame]


class DynamoOutputGraph(TypedDict, total=False):
    """Sizes of the tensors of a graph, by node; symbolic ones as text."""

    sizes: dict[str, list[int | str]]


class InductorOutputCode(TypedDict, total=False):
    """Where the generated code was written."""

    filename: str
    file_path: str


class GraphDump(TypedDict, total=False):
    """A file of generated C++."""

    name: str
    type: str
    filename: str


class OptimizeDdpSplitChild(TypedDict, total=False):
    """A part of a graph that was split for DDP."""

    name: str


class DumpFile(TypedDict, total=False):
    """A file whose content is the payload."""

    name: str


class Link(TypedDict, total=False):
    """A link to somewhere else; never followed."""

    name: str
    url: str


class DescribeStorage(TypedDict, total=False):
    """The memory of tensors, in bytes."""

    id: int
    describer_id: int
    size: int


class DescribeSource(TypedDict, total=False):
    """Where a tensor comes from, as an expression."""

    id: int
    describer_id: int
    source: str


class DescribeTensor(TypedDict, total=False):
    """A tensor; fields with their default value are not written, and there are more."""

    id: int
    describer_id: int
    ndim: int
    dtype: str
    device: str
    size: list[int]
    stride: list[int]
    storage: int
    storage_offset: int
    layout: str
    is_leaf: bool
    is_parameter: bool
    is_view: bool
    requires_grad: bool
    view_func: str


class CreateSymbol(TypedDict, total=False):
    """A symbol for a size that may change."""

    symbol: str
    val: str
    vr: str  # its range
    source: str
    user_stack: list[Frame] | None
    stack: list[Frame]


class CreateUnbackedSymbol(TypedDict, total=False):
    """A symbol for a value that is not known while compiling."""

    symbol: str
    node_id: int
    vr: str
    user_stack: list[Frame] | None
    stack: list[Frame]


class SymbolicShapeSpecialization(TypedDict, total=False):
    """A symbol that became one value."""

    symbol: str
    sources: list[str]
    value: str
    reason: str
    stack: list[Frame]
    user_stack: list[Frame] | None


class GuardAddedFast(TypedDict, total=False):
    """A guard on symbols."""

    expr: str
    user_stack: list[Frame] | None
    stack: list[Frame]


class GuardAdded(GuardAddedFast, total=False):
    """The same with what draft export records."""

    prefix: str
    expr_node_id: int
    symbol_to_sources: dict[str, Any]
    frame_locals: dict[str, Any] | None


class GuardOnDataDependentError(TypedDict, total=False):
    """A decision that depends on data."""

    expr: str
    unhinted_expr: str
    expr_id: int
    stack: list[Frame]


class PropagateRealTensors(TypedDict, total=False):
    """A decision that a real tensor made; the provenance has the last four keys."""

    expr: str
    result: str
    stack: list[Frame]
    expr_node_id: int
    user_stack: list[Frame] | None
    symbol_to_sources: dict[str, Any]
    frame_locals: dict[str, Any] | None


class ExpressionCreated(TypedDict, total=False):
    """An expression of symbols; ids are valid within one process."""

    method: str
    result: str
    result_id: int
    arguments: list[str]
    argument_ids: list[int]
    user_stack: list[Frame] | None
    stack: list[Frame]


class MissingFakeKernel(TypedDict, total=False):
    """An operator without a fake implementation."""

    op: str


class MismatchedFakeKernel(TypedDict, total=False):
    """An operator whose fake implementation gives something else."""

    op: str
    reason: str


METADATA: Final[dict[str, type]] = {
    "artifact": Artifact,
    "create_symbol": CreateSymbol,
    "create_unbacked_symbol": CreateUnbackedSymbol,
    "describe_source": DescribeSource,
    "describe_storage": DescribeStorage,
    "describe_tensor": DescribeTensor,
    "dump_file": DumpFile,
    "dynamo_output_graph": DynamoOutputGraph,
    "dynamo_start": DynamoStart,
    "expression_created": ExpressionCreated,
    "graph_dump": GraphDump,
    "guard_added": GuardAdded,
    "guard_added_fast": GuardAddedFast,
    "guard_on_data_dependent_error": GuardOnDataDependentError,
    "inductor_output_code": InductorOutputCode,
    "link": Link,
    "mismatched_fake_kernel": MismatchedFakeKernel,
    "missing_fake_kernel": MissingFakeKernel,
    "optimize_ddp_split_child": OptimizeDdpSplitChild,
    "propagate_real_tensors": PropagateRealTensors,
    "propagate_real_tensors_provenance": PropagateRealTensors,
    "symbolic_shape_specialization": SymbolicShapeSpecialization,
}
