"""PyTorch's test files, by subject."""

from __future__ import annotations

from pt2triage.skeleton.sample import Topic

_DYNAMO = "torch._dynamo.test_case"
_INDUCTOR = "torch._inductor.test_case"
_COMMON = "torch.testing._internal.common_utils"


def _dynamo(file: str, *words: str) -> Topic:
    """A file of test/dynamo; breaks are told apart by the tests of messages."""
    path = f"test/dynamo/{file}"
    neighbours = tuple((path, word) for word in words)
    return Topic(path, _DYNAMO, neighbours, "module: dynamo")


def _inductor(file: str, *words: str) -> Topic:
    path = f"test/inductor/{file}"
    neighbours = tuple((path, word) for word in words)
    return Topic(path, _INDUCTOR, neighbours, "module: inductor")


REPROS = _dynamo("test_repros.py", "graph_break")
MESSAGES = _dynamo("test_error_messages.py", "unsupported")
BRANCHES = _dynamo("test_error_messages.py", "data_dependent")
CONTEXTS = _dynamo("test_ctx_manager.py", "context_manager")
GENERATORS = _dynamo("test_generator.py", "generator")
EXCEPTIONS = _dynamo("test_exceptions.py", "exception")
HIGHER_ORDER = _dynamo("test_higher_order_ops.py", "cond")
RECOMPILES = _dynamo("test_recompiles.py", "recompile")
GUARDS = _dynamo("test_guard_manager.py", "guard")
BACKENDS = _dynamo("test_backends.py", "backend")
SHAPES = Topic(
    "test/test_dynamic_shapes.py",
    _DYNAMO,
    (("test/test_dynamic_shapes.py", "guard"),),
    "oncall: pt2",
)
CUSTOM_OPS = Topic(
    "test/test_custom_ops.py",
    _DYNAMO,
    (("test/test_custom_ops.py", "fake"),),
    "module: custom-operators",
)
AOT = Topic(
    "test/functorch/test_aotdispatch.py",
    _DYNAMO,
    (("test/functorch/test_aotdispatch.py", "aot"),),
    "oncall: pt2",
)
EXPORT = Topic(
    "test/export/test_export.py",
    _COMMON,
    (("test/export/test_export.py", "export"),),
    "oncall: export",
)
INDUCTOR = _inductor("test_torchinductor.py", "test_add")
CPU = _inductor("test_cpu_repro.py", "vec")
GPU = _inductor("test_cuda_repro.py", "index_put")
AUTOTUNE = _inductor("test_max_autotune.py", "autotune")
PASSES = _inductor("test_custom_post_grad_passes.py", "custom")
WORKERS = _inductor("test_compile_worker.py", "exception")
CUDAGRAPHS = _inductor("test_cudagraph_trees.py", "error_on_dealloc")
TRITON = _inductor("test_triton_kernels.py", "triton_kernel")
