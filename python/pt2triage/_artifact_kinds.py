"""What the files of a debug folder are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt2triage._types import ArtifactKind

# What a file is, by its path below the folder that holds the runs; the first
# row that matches. PyTorch 2.2 to 2.13 write these names.
_KINDS: tuple[tuple[str, ArtifactKind], ...] = (
    (r"(.*/)?fx_graph_readable\.py", "fx_graph_readable"),
    (r"(.*/)?fx_graph_runnable\.py", "fx_graph_runnable"),
    (r"(.*/)?fx_graph_transformed\.py", "fx_graph_transformed"),
    (r"(.*/)?ir_pre_fusion\.txt", "ir_pre_fusion"),
    (r"(.*/)?ir_post_fusion\.txt", "ir_post_fusion"),
    (r"(.*/)?output_code\.\w+", "output_code"),
    (r"(.*/)?inductor_\w+_(node_mappings|post_grad_nodes)\.json", "provenance"),
    (r"(.*/)?minifier_launcher\.py", "minifier_launcher"),
    (r"(.*/)?checkpoints/[^/]+\.py", "checkpoint"),
    (r"(.*/)?repro\.py", "repro"),
    (r"(.*/)?dedicated_log_torch_trace_[^/]*\.log", "trace"),
    (r".*\.log", "log"),
    # Beside the runs lies what people redirect there.
    (r"(?!run_[^/]+-pid_\d+/)(.*/)?([^/.]+|[^/]+\.(txt|out|err))", "log"),
)
_PATTERNS = tuple((re.compile(p, re.DOTALL), kind) for p, kind in _KINDS)

# Files whose lines are read.
READ: frozenset[ArtifactKind] = frozenset({"log", "trace"})
# Files that a trace has too, as payloads.
HASHED = frozenset({"output_code", "fx_graph_runnable"})
# Scripts that PyTorch makes to be run by hand.
SCRIPTS = frozenset({"minifier_launcher", "checkpoint", "repro", "fx_graph_runnable"})


def artifact_kind(path: str) -> ArtifactKind:
    """What a file is, by its path below the folder that holds the runs.

    >>> artifact_kind("run_1-pid_2/torchinductor/model__0.0/output_code.py")
    'output_code'
    """
    for pattern, kind in _PATTERNS:
        if pattern.fullmatch(path):
            return kind
    return "other"
