"""PyTorch's test files, by subject."""

from __future__ import annotations

from pt2triage.skeleton.sample import Topic

_DYNAMO = "torch._dynamo.test_case"
_INDUCTOR = "torch._inductor.test_case"
_COMMON = "torch.testing._internal.common_utils"


def _topic(base: str, owner: str, path: str, *words: str) -> Topic:
    """A test file, and words for the tests in it that are next to a new one."""
    return Topic(path, base, tuple((path, word) for word in words), owner)


def _dynamo(file: str, *words: str) -> Topic:
    """A file of test/dynamo; breaks are told apart by the tests of messages."""
    return _topic(_DYNAMO, "module: dynamo", f"test/dynamo/{file}", *words)


def _inductor(file: str, *words: str) -> Topic:
    return _topic(_INDUCTOR, "module: inductor", f"test/inductor/{file}", *words)


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
SHAPES = _topic(_DYNAMO, "oncall: pt2", "test/test_dynamic_shapes.py", "guard")
CUSTOM_OPS = _topic(
    _DYNAMO, "module: custom-operators", "test/test_custom_ops.py", "fake"
)
AOT = _topic(_DYNAMO, "oncall: pt2", "test/functorch/test_aotdispatch.py", "aot")
EXPORT = _topic(_COMMON, "oncall: export", "test/export/test_export.py", "export")
INDUCTOR = _inductor("test_torchinductor.py", "test_add")
CPU = _inductor("test_cpu_repro.py", "vec")
GPU = _inductor("test_cuda_repro.py", "index_put")
AUTOTUNE = _inductor("test_max_autotune.py", "autotune")
PASSES = _inductor("test_custom_post_grad_passes.py", "custom")
WORKERS = _inductor("test_compile_worker.py", "exception")
CUDAGRAPHS = _inductor("test_cudagraph_trees.py", "error_on_dealloc")
TRITON = _inductor("test_triton_kernels.py", "triton_kernel")
