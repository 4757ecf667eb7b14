"""The words of the contract as types, for the stubs and for annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

Category: TypeAlias = Literal[
    "graph_break",
    "backend_compiler_failed",
    "recompilation",
    "accuracy",
    "dynamo_internal",
    "runtime_crash",
    "triton_kernel",
    "other",
]
Severity: TypeAlias = Literal["warning", "error"]
Phase: TypeAlias = Literal["trace", "run"]
CompileMode: TypeAlias = Literal[
    "compile", "export_strict", "export_non_strict", "export_draft", "aot_inductor"
]
SourceKind: TypeAlias = Literal[
    "empty", "text", "torch_logs", "torch_trace", "debug_folder", "binary"
]
ArtifactKind: TypeAlias = Literal[
    "fx_graph_readable",
    "fx_graph_runnable",
    "fx_graph_transformed",
    "ir_pre_fusion",
    "ir_post_fusion",
    "output_code",
    "provenance",
    "minifier_launcher",
    "repro",
    "checkpoint",
    "log",
    "trace",
    "other",
]

# What the core exports as Arrow.
ArrowTable: TypeAlias = Literal[
    "findings",
    "guard_failures",
    "sources",
    "trace_processes",
    "trace_compiles",
    "trace_graph_breaks",
    "trace_recompiles",
    "trace_cache_events",
    "trace_metrics",
    "trace_symbols",
    "trace_collectives",
    "trace_artifacts",
    "trace_kinds",
]
CompileOutcome: TypeAlias = Literal["ok", "failed", "empty", "unfinished"]
CacheOutcome: TypeAlias = Literal["hit", "miss", "bypass"]

# Called with the bytes done so far and the bytes in all, None if unknown.
Progress: TypeAlias = Callable[[int, "int | None"], object]


class Readable(Protocol):
    """An object with ``read``, as an open file has."""

    def read(self, size: int, /) -> bytes | str: ...
