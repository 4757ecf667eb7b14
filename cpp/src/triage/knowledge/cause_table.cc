#include "triage/knowledge/cause_table.h"

#include "base/rule_watch.h"

namespace pt2triage {
namespace {

using C = Category;
using S = std::string_view;

// Each cause has as many actions as it needs.
#define PT2TRIAGE_ACTIONS(name, ...) constexpr S name[] = {__VA_ARGS__}

PT2TRIAGE_ACTIONS(
    kBranch,
    "Replace the Python branch at {where} with torch.cond or torch.where, or "
    "move it out of {function}.");
PT2TRIAGE_ACTIONS(
    kDataOp,
    "Keep the result of {op} at {where} a tensor, or set "
    "torch._dynamo.config.capture_scalar_outputs = True "
    "(capture_dynamic_output_shape_ops for nonzero and the like).",
    "Keep the value at {where} a tensor, or set "
    "torch._dynamo.config.capture_scalar_outputs = True "
    "(capture_dynamic_output_shape_ops for nonzero and the like).");
PT2TRIAGE_ACTIONS(
    kBuiltin,
    "Move the call of `{callee}` at {where} out of {function}, or write it "
    "with tensor operations.",
    "Move the builtin at {where} out of {function}, or write it with tensor "
    "operations.");
PT2TRIAGE_ACTIONS(
    kMethod,
    "Move the call of `{callee}` at {where} out of {function}, or replace it "
    "with a function that Dynamo can follow.",
    "Move the method call at {where} out of {function}, or replace it with a "
    "function that Dynamo can follow.");
PT2TRIAGE_ACTIONS(
    kSkipped,
    "Move the call of `{callee}` at {where} out of {function}, or wrap it with "
    "torch.compiler.allow_in_graph if it only calls traceable operators.",
    "Move the call at {where} out of {function}, or wrap it with "
    "torch.compiler.allow_in_graph if it only calls traceable operators.");
PT2TRIAGE_ACTIONS(
    kDisabled,
    "Move the call of `{callee}` at {where} out of {function}, or take "
    "torch.compiler.disable off it.",
    "Move the disabled call at {where} out of {function}, or take "
    "torch.compiler.disable off it.");
PT2TRIAGE_ACTIONS(
    kExtension,
    "Wrap `{callee}`, called at {where}, as an operator with "
    "torch.library.custom_op and a fake kernel, or call it outside {function}.",
    "Wrap the C function called at {where} as an operator with "
    "torch.library.custom_op and a fake kernel, or call it outside "
    "{function}.");
PT2TRIAGE_ACTIONS(
    kContext,
    "Enter the context manager of {where} outside {function}, or end it before "
    "the code that breaks the graph.");
PT2TRIAGE_ACTIONS(
    kSideEffect,
    "Do not write to that object at {where}: return the value from {function} "
    "and store it in the caller.");
PT2TRIAGE_ACTIONS(
    kGenerator,
    "Turn the generator at {where} into a list or a loop inside {function}.");
PT2TRIAGE_ACTIONS(
    kExceptionHandling,
    "Check the condition before the call at {where} in place of raising and "
    "catching an exception inside {function}.");
PT2TRIAGE_ACTIONS(
    kUntraceable,
    "Replace {op} at {where} by operations that can be traced, or wrap it with "
    "torch.library.custom_op.",
    "Replace the operation at {where} by ones that can be traced, or wrap it "
    "with torch.library.custom_op.");
PT2TRIAGE_ACTIONS(
    kInPlace,
    "Write to a copy (clone, or the form of the operation without the "
    "underscore) at {where} and return it.");
PT2TRIAGE_ACTIONS(
    kNoFake,
    "Register a fake kernel for {op}: "
    "@torch.library.register_fake(\"{qualname}\"); it is used at {where}.",
    "Register a fake kernel with torch.library.register_fake for the operator "
    "used at {where}.");
PT2TRIAGE_ACTIONS(
    kFakeError,
    "Run {function} without torch.compile first: the shapes or dtypes of {op} "
    "at {where} do not fit. If eager mode works, the fake kernel of {op} is "
    "wrong.",
    "Run {function} without torch.compile first: shapes or dtypes do not fit "
    "at {where}. If eager mode works, the operator's fake kernel is wrong.");
PT2TRIAGE_ACTIONS(
    kHigherOrder,
    "Make what is passed to the operator at {where} traceable as a whole: no "
    "graph break, no side effect, the same outputs from each branch.");
PT2TRIAGE_ACTIONS(
    kDataGuard,
    "{where} depends on a value that is only known at run time ({expression}): "
    "keep it out of {function}, or branch with torch.cond. Only if one outcome "
    "is the right one for every input, assert it there with torch._check.",
    "{where} depends on a value that is only known at run time: keep it out of "
    "{function}, read it with .item() in place of int(), or branch with "
    "torch.cond.");
PT2TRIAGE_ACTIONS(
    kConstraint,
    "Do not mark dimension {dim} of {source} as dynamic{compiled} "
    "(torch._dynamo.maybe_mark_dynamic takes it as a wish), or change the code "
    "that fixes it.",
    "Export {source} with a static size in dimension {dim}, or change the code "
    "that fixes it; PyTorch's own suggestions stand at the end of the message.",
    "Export the dimension with a static size, or change the code that fixes "
    "it; PyTorch's own suggestions stand at the end of the message.");
PT2TRIAGE_ACTIONS(
    kArguments,
    "Correct the arguments of the export call: the message says which do not "
    "fit the function that is exported.");
PT2TRIAGE_ACTIONS(
    kUnknownBackend,
    "Check the backend's spelling against torch._dynamo.list_backends(), or "
    "import the package that registers it (in a minifier's launcher too).");
PT2TRIAGE_ACTIONS(kUserInserted,
                  "Remove the call of torch._dynamo.graph_break() at {where}.");
PT2TRIAGE_ACTIONS(
    kBreakOther,
    "Move or rewrite the code at {where} so that Dynamo can trace it.");

PT2TRIAGE_ACTIONS(
    kLowering,
    "Lowering of {op} failed in {patch}: try {function} with a decomposition "
    "of it or in eager mode, and report it with the minifier's output.",
    "Lowering of {op} failed: try {function} with a decomposition of it or in "
    "eager mode, and report it with the minifier's output.",
    "A lowering failed in {patch}: run backend=\"aot_eager\" to see that "
    "capture works, and report it with the minifier's output.",
    "A lowering failed: run backend=\"aot_eager\" to see that capture works, "
    "and report it with the minifier's output.");
PT2TRIAGE_ACTIONS(
    kScheduling,
    "The scheduler failed in {patch}: find the nodes with "
    "TORCH_LOGS=\"fusion\", and report it with the minifier's output.");
PT2TRIAGE_ACTIONS(
    kCodegen,
    "Code generation failed in {patch}: look at the graph with "
    "TORCH_LOGS=\"post_grad_graphs\", and report it with the minifier's "
    "output.",
    "Code generation failed: look at the graph with "
    "TORCH_LOGS=\"post_grad_graphs\", and report it with the minifier's "
    "output.");
PT2TRIAGE_ACTIONS(
    kCppCompile,
    "Run the compiler's command from the message by hand; if the generated "
    "file is wrong, report it, else mend the compiler or its headers.");
PT2TRIAGE_ACTIONS(
    kTritonCompile,
    "Look at the kernel with TORCH_LOGS=\"output_code\"; check that Triton's "
    "version is the one that this PyTorch was built for.");
PT2TRIAGE_ACTIONS(
    kAutotuning,
    "Let autotuning fall back to ATEN "
    "(torch._inductor.config.max_autotune_gemm_backends), or turn off "
    "max_autotune for {function}.");
PT2TRIAGE_ACTIONS(
    kAot,
    "AOTAutograd failed in {patch}: try backend=\"aot_eager\", and look for "
    "mutated or aliased inputs of {function}.",
    "AOTAutograd failed: try backend=\"aot_eager\", and look for mutated or "
    "aliased inputs of {function}.");
PT2TRIAGE_ACTIONS(
    kFxPass,
    "A graph pass failed in {patch}: turn it off (a pass of your own, or "
    "torch._inductor.config.pattern_matcher = False) to confirm it.",
    "A graph pass failed: turn it off (a pass of your own, or "
    "torch._inductor.config.pattern_matcher = False) to confirm it.");
PT2TRIAGE_ACTIONS(
    kCustomBackend,
    "Backend {backend} raised {exception}: backend=\"eager\" shows that "
    "capture works; then mend the backend at {where}.");
PT2TRIAGE_ACTIONS(
    kToolchain,
    "Install what the message asks for ({tool}), and see that it is on PATH.",
    "Install the compiler or headers that the message names, and see that "
    "they are on PATH.");
PT2TRIAGE_ACTIONS(
    kSubprocess,
    "Compile in this process (TORCHINDUCTOR_COMPILE_THREADS=1) to see the "
    "worker's own error; workers that die are often out of memory.");
PT2TRIAGE_ACTIONS(
    kBackendTimeout,
    "Find what takes so long with TORCH_LOGS=\"+inductor\", or give the "
    "compile more time.");
PT2TRIAGE_ACTIONS(
    kBackendOther,
    "Minimise the graph, then tell lowering, scheduling and code generation "
    "apart by the innermost frames ({patch}).",
    "Minimise the graph, then tell lowering, scheduling and code generation "
    "apart by the innermost frames.");

PT2TRIAGE_ACTIONS(
    kShape,
    "Call torch._dynamo.mark_dynamic({source}, {dim}) before {function}: "
    "dimension {dim} was {expected}, then {actual}. Or compile with "
    "dynamic=True.",
    "Keep the number of dimensions of {source} the same, or compile one "
    "function for each; {function} got {actual} where it was compiled for "
    "{expected}.");
PT2TRIAGE_ACTIONS(
    kStride,
    "Call {function} with one memory layout: {source}.contiguous() before the "
    "call.");
PT2TRIAGE_ACTIONS(
    kDtype,
    "Convert {source} before {function}: it was compiled for {expected} and "
    "got {actual}.");
PT2TRIAGE_ACTIONS(kDevice, "Move {source} to one device before {function}.");
PT2TRIAGE_ACTIONS(
    kRequiresGrad,
    "Call {function} with {source} requiring grad always or never (detach() or "
    "requires_grad_()).");
PT2TRIAGE_ACTIONS(
    kDispatch,
    "Call {function} under the same inference mode, autocast and tensor "
    "subclass: the dispatch keys of {source} changed.");
PT2TRIAGE_ACTIONS(
    kScalar,
    "Pass {source} as a tensor, or keep it at {expected}: {function} is "
    "compiled anew for each value.",
    "Pass the number as a tensor, or keep it constant: {function} is compiled "
    "anew for each value.");
PT2TRIAGE_ACTIONS(
    kIdentity,
    "Pass the same object as {source} each time, made once outside the loop: "
    "{function} is compiled anew for each.",
    "Pass the same objects to {function} each time, made once outside the "
    "loop.");
PT2TRIAGE_ACTIONS(
    kType, "Pass {source} as one type: {function} was compiled for {expected}.",
    "Pass {source} to {function} as one type.");
PT2TRIAGE_ACTIONS(
    kLength,
    "Keep the length of {source} at {expected}, or pass a tensor in its place; "
    "{function} is unrolled over it.",
    "Keep the length of the container the same; {function} is unrolled over "
    "it.");
PT2TRIAGE_ACTIONS(kKeys,
                  "Give {source} the same keys in each call of {function}.",
                  "Give the dict the same keys in each call of {function}.");
PT2TRIAGE_ACTIONS(
    kGlobal, "Call {function} under the same global state; {source} changed.",
    "Call {function} under the same global state (grad mode, autocast, default "
    "dtype) each time.");
PT2TRIAGE_ACTIONS(
    kModuleAttribute,
    "Do not change {source} between calls of {function}; call train() or "
    "eval() once.");
PT2TRIAGE_ACTIONS(
    kSymbolic,
    "The code of {function} specialises on {guard}: keep sizes on one side of "
    "it, or rewrite the comparison.");
PT2TRIAGE_ACTIONS(kWeakref,
                  "Keep {source} alive as long as {function} is used.");
PT2TRIAGE_ACTIONS(
    kBackendChanged,
    "Compile {function} once, and keep the compiled function: each call of "
    "torch.compile with another backend object is a new compile.");
PT2TRIAGE_ACTIONS(
    kLimit,
    "{function} was compiled too often because of `{guard}`: {advice} Only if "
    "the variants are few and known, raise "
    "torch._dynamo.config.recompile_limit.",
    "{function} was compiled too often: mend the guard that fails; only if the "
    "variants are few and known, raise torch._dynamo.config.recompile_limit.");
PT2TRIAGE_ACTIONS(
    kRecompileOther,
    "Keep what this guard checks the same between calls of {function}: "
    "{guard}",
    "Find the guard that fails with TORCH_LOGS=\"recompiles\".");

PT2TRIAGE_ACTIONS(
    kRmse,
    "Compare RMSE of the compiled run with that of the reference: if it is no "
    "larger, loosen the tolerance; else run the accuracy minifier.");
PT2TRIAGE_ACTIONS(
    kNotClose,
    "Run {function} in fp64 too: the result that is further away is wrong. "
    "Then bisect with the accuracy minifier, and try "
    "torch._inductor.config.emulate_precision_casts = True.");
PT2TRIAGE_ACTIONS(
    kNan,
    "Find the first operator that gives NaN or inf: the assertion names the "
    "buffer in the generated code. Check that eager mode gives none.");
PT2TRIAGE_ACTIONS(
    kDtypeMismatch,
    "Compare the dtypes of the outputs first: the compiled function returns "
    "another dtype than eager mode.");
PT2TRIAGE_ACTIONS(
    kNoCheck,
    "The comparison itself failed; mend that error first, it says nothing of "
    "the numbers.");
PT2TRIAGE_ACTIONS(kAccuracyOther,
                  "Bisect: run the accuracy minifier, and compare with "
                  "torch._inductor.config.emulate_precision_casts = True.");

PT2TRIAGE_ACTIONS(
    kInstruction,
    "A bug in Dynamo, in {patch}: no rule for an instruction that {where} is "
    "made of. Rewrite that line, or keep {function} out with "
    "torch.compiler.disable, and report it.",
    "A bug in Dynamo: no rule for an instruction that {where} is made of. "
    "Rewrite that line, or keep {function} out with torch.compiler.disable, "
    "and report it.");
PT2TRIAGE_ACTIONS(
    kVariable,
    "A bug in Dynamo, in {patch}: it lost track of the value at {where}. Take "
    "that line out of {function} to go on, and report it.",
    "A bug in Dynamo: it lost track of the value at {where}. Take that line "
    "out of {function} to go on, and report it.");
PT2TRIAGE_ACTIONS(
    kGuardCreation,
    "A bug in Dynamo: it cannot write a guard for a value that {function} "
    "uses ({patch}). Pass that value in another form, and report it.",
    "A bug in Dynamo: it cannot write a guard for a value that {function} "
    "uses. Pass that value in another form, and report it.");
PT2TRIAGE_ACTIONS(
    kSymbols,
    "A bug in symbolic shapes, in {patch}: try dynamic=False for {function}, "
    "and report it with TORCH_LOGS=\"+dynamic\".",
    "A bug in symbolic shapes: try dynamic=False for {function}, and report it "
    "with TORCH_LOGS=\"+dynamic\".");
PT2TRIAGE_ACTIONS(
    kInternalTimeout,
    "Tracing {function} does not end: cut it into smaller functions, and "
    "report where it hangs.");
PT2TRIAGE_ACTIONS(
    kInternalOther,
    "A bug in Dynamo, in {patch}. Take {where} out of the compiled function to "
    "go on, and report it with the verbose log.",
    "A bug in Dynamo. Take {where} out of the compiled function to go on, and "
    "report it with the verbose log.");

PT2TRIAGE_ACTIONS(
    kSegfault,
    "Run {function} with backend=\"aot_eager\"{stack}: if that works, the "
    "generated code is to blame; the stack above names the call.",
    "Run again with PYTHONFAULTHANDLER=1 for the Python stack, then with "
    "backend=\"aot_eager\": if that works, the generated code is to blame.");
PT2TRIAGE_ACTIONS(
    kAbort,
    "Read the line before the abort: a C++ exception or assertion names the "
    "reason. Then run with backend=\"aot_eager\".");
PT2TRIAGE_ACTIONS(
    kIma,
    "Run again with CUDA_LAUNCH_BLOCKING=1 to find the true call, then under "
    "compute-sanitizer; suspect dynamic shapes and try dynamic=False.");
PT2TRIAGE_ACTIONS(
    kSizeStride,
    "The fake kernel of {op} promised another size or stride than the real one "
    "gave: mend that fake kernel.",
    "A fake kernel promised another size or stride than the real one gave: "
    "find the operator whose output {where} asserts, and mend its fake "
    "kernel.");
PT2TRIAGE_ACTIONS(
    kCudagraph,
    "Call torch.compiler.cudagraph_mark_step_begin() before each call of "
    "{function}, or clone the output that is kept.");
PT2TRIAGE_ACTIONS(
    kOom,
    "Lower the peak memory of {function} (smaller batch, activation "
    "checkpointing), or compile without max_autotune and CUDA graphs.");
PT2TRIAGE_ACTIONS(
    kCrashOther,
    "Run again with synchronous launches to find the true call, then once with "
    "backend=\"aot_eager\": if that works, the generated code is to blame.");

PT2TRIAGE_ACTIONS(
    kBounds,
    "Check the index against the bound that the assertion prints; eager mode "
    "fails too if the index is bad.");
PT2TRIAGE_ACTIONS(
    kDeviceAssert,
    "Run with CUDA_LAUNCH_BLOCKING=1 and look up the asserted line in "
    "output_code.py.");
PT2TRIAGE_ACTIONS(
    kTritonSyntax,
    "Mend the kernel at {where}: Triton's message shows the line that it "
    "cannot compile.");
PT2TRIAGE_ACTIONS(
    kPtxas,
    "Check that ptxas (TRITON_PTXAS_PATH) knows this GPU: its CUDA version "
    "must be as new as the GPU.");
PT2TRIAGE_ACTIONS(
    kResources,
    "Give the kernel smaller blocks or fewer stages; for Inductor's own "
    "kernels turn off max_autotune or set "
    "TORCHINDUCTOR_PERSISTENT_REDUCTIONS=0.");
PT2TRIAGE_ACTIONS(kTritonOther,
                  "Look at the generated kernel that the message names.");

#undef PT2TRIAGE_ACTIONS

constexpr CauseInfo kTable[] = {
    {C::kGraphBreak, "data-dependent-branch",
     "A Python branch, loop or assertion on the value of a tensor.",
     "The reason names data-dependent branching or jumps.", kBranch},
    {C::kGraphBreak, "data-dependent-operator",
     "An operator whose result or size depends on the data: item(), nonzero().",
     "The reason names the operator, or the fake-tensor exception for it.",
     kDataOp},
    {C::kGraphBreak, "unsupported-builtin",
     "A Python builtin that Dynamo has no rule for with these arguments.",
     "The reason names a builtin.", kBuiltin},
    {C::kGraphBreak, "unsupported-method",
     "A method that Dynamo has no rule for on this kind of object.",
     "The reason names a method call.", kMethod},
    {C::kGraphBreak, "skipped-function",
     "A function of a module or file that Dynamo is told to leave alone.",
     "The reason says that the function is skipped.", kSkipped},
    {C::kGraphBreak, "disabled-function",
     "A function that is disabled for torch.compile.",
     "The reason names torch.compiler.disable or torch._dynamo.disable.",
     kDisabled},
    {C::kGraphBreak, "c-extension",
     "A function written in C or C++ that is no operator of PyTorch.",
     "The reason names a C extension or pybind.", kExtension},
    {C::kGraphBreak, "context-manager",
     "A context manager that Dynamo cannot carry over a graph break.",
     "The reason names a context manager or its instruction.", kContext},
    {C::kGraphBreak, "side-effect",
     "A write to an object that lives outside the graph.",
     "The reason names a side effect or a store instruction.", kSideEffect},
    {C::kGraphBreak, "generator",
     "A generator that is not consumed inside the function, or never ends.",
     "The reason names generators or yield.", kGenerator},
    {C::kGraphBreak, "exception-handling",
     "An exception that the traced code raises or handles.",
     "The reason names an observed exception or a handler.",
     kExceptionHandling},
    {C::kGraphBreak, "untraceable-op",
     "An operation of torch that cannot stand in a graph.",
     "The reason names the operation or its dtype.", kUntraceable},
    {C::kGraphBreak, "in-place-mutation",
     "A write in place to an input, a view or a tensor's data.",
     "The reason or the exception names mutation.", kInPlace},
    {C::kGraphBreak, "missing-fake-kernel",
     "A custom operator without a fake (meta) kernel.",
     "The message says that there is no fake implementation.", kNoFake},
    {C::kGraphBreak, "fake-tensor-error",
     "An operator that failed on fake tensors, mostly for shapes or dtypes.",
     "TorchRuntimeError, or a fake-tensor exception.", kFakeError},
    {C::kGraphBreak, "higher-order-op",
     "The body of cond, map, checkpoint or the like could not be captured.",
     "UncapturedHigherOrderOpError, or the reason names such an operator.",
     kHigherOrder},
    {C::kGraphBreak, "data-dependent-guard",
     "A condition on a size or number that is only known at run time.",
     "GuardOnDataDependentSymNode or its message.", kDataGuard},
    {C::kGraphBreak, "constraint-violation",
     "A dimension that was marked dynamic but is a constant in the code.",
     "ConstraintViolationError or its message.", kConstraint},
    {C::kGraphBreak, "invalid-argument",
     "torch.export was called with arguments that do not fit.",
     "UserError about dynamic_shapes or the inputs.", kArguments},
    {C::kGraphBreak, "user-inserted",
     "torch._dynamo.graph_break() in the code.", "The reason names that call.",
     kUserInserted},
    {C::kGraphBreak, "other", "Capture failed for a reason without a row here.",
     "None of the others fits.", kBreakOther},

    {C::kBackendCompilerFailed, "lowering",
     "Inductor could not lower an operator.",
     "LoweringException, a missing operator, or frames of graph.py and "
     "lowering.py.",
     kLowering},
    {C::kBackendCompilerFailed, "scheduling",
     "Inductor could not order or fuse the operators.",
     "The innermost frames of the compile are the scheduler's.", kScheduling},
    {C::kBackendCompilerFailed, "codegen", "Inductor could not write the code.",
     "Frames of code generation, and no more precise text.", kCodegen},
    {C::kBackendCompilerFailed, "cpp-compile",
     "The C++ compiler rejected the generated code.",
     "CppCompileError, or the compiler's command and its errors.", kCppCompile},
    {C::kBackendCompilerFailed, "triton-compile",
     "Triton rejected a generated kernel.",
     "CompilationError, a failed pass, ptxas, or out of resources while "
     "Inductor compiles.",
     kTritonCompile},
    {C::kBackendCompilerFailed, "autotuning",
     "No candidate of autotuning worked.",
     "NoValidChoicesError, or out of memory while autotuning.", kAutotuning},
    {C::kBackendCompilerFailed, "aot-autograd",
     "AOTAutograd could not trace or partition the graph.",
     "Frames of AOTAutograd and none of Inductor.", kAot},
    {C::kBackendCompilerFailed, "fx-pass", "A pass over the graph failed.",
     "Frames of fx_passes or the pattern matcher.", kFxPass},
    {C::kBackendCompilerFailed, "custom-backend",
     "A backend other than Inductor raised.",
     "The name in `backend=... raised`, or frames of that backend.",
     kCustomBackend},
    {C::kBackendCompilerFailed, "unknown-backend",
     "No backend of that name is registered.", "InvalidBackend.",
     kUnknownBackend},
    {C::kBackendCompilerFailed, "missing-toolchain",
     "A compiler, header or library that the backend needs is not there.",
     "The message says what was not found.", kToolchain},
    {C::kBackendCompilerFailed, "subprocess",
     "A compile worker failed or died.",
     "SubprocException or a broken process pool, without a known cause inside.",
     kSubprocess},
    {C::kBackendCompilerFailed, "timeout", "A compile took too long.",
     "A time-out raised inside a compile.", kBackendTimeout},
    {C::kBackendCompilerFailed, "other",
     "The backend failed for a reason without a row here.",
     "None of the others fits.", kBackendOther},

    {C::kRecompilation, "shape", "A tensor's size or rank changed.",
     "`size mismatch at index` or `rank mismatch`.", kShape},
    {C::kRecompilation, "stride", "A tensor's memory layout changed.",
     "`stride mismatch at index`.", kStride},
    {C::kRecompilation, "dtype", "A tensor's dtype changed.",
     "`dtype mismatch`.", kDtype},
    {C::kRecompilation, "device", "A tensor's device changed.",
     "`device mismatch`.", kDevice},
    {C::kRecompilation, "requires-grad", "requires_grad of a tensor changed.",
     "`requires_grad mismatch`.", kRequiresGrad},
    {C::kRecompilation, "dispatch-keys",
     "A tensor came under another mode or as another subclass.",
     "`dispatch key set mismatch`.", kDispatch},
    {C::kRecompilation, "scalar-value", "A Python number or string changed.",
     "`x == 3` and the like.", kScalar},
    {C::kRecompilation, "object-identity", "Another object was passed.",
     "___check_obj_id, `is`, or duplicate tensors.", kIdentity},
    {C::kRecompilation, "type", "An argument's type changed.",
     "___check_type_id, `type(x) is`, or `expected type of`.", kType},
    {C::kRecompilation, "container-length", "A list or dict grew or shrank.",
     "`len(x) == 3`, or the emptiness of a container.", kLength},
    {C::kRecompilation, "dict-keys", "A dict has other keys.",
     "`KeyError on`, dict_contains, dict versions.", kKeys},
    {C::kRecompilation, "global-state",
     "Grad mode, autocast, default dtype or the like changed.",
     "`GLOBAL_STATE changed` and the checks of older versions.", kGlobal},
    {C::kRecompilation, "module-attribute",
     "An attribute of a module or object changed.",
     "`getattr failed`, hasattr, `.training`.", kModuleAttribute},
    {C::kRecompilation, "symbolic-shape",
     "A condition on dynamic sizes no longer holds.",
     "A relation between sizes.", kSymbolic},
    {C::kRecompilation, "weakref-died", "What was guarded on is gone.",
     "`got deallocated` or a weakref check.", kWeakref},
    {C::kRecompilation, "backend-changed",
     "The function was compiled with another backend object before.",
     "`BACKEND_MATCH failure`.", kBackendChanged},
    {C::kRecompilation, "limit-reached",
     "The function was compiled as often as the limit allows.",
     "The limit's record, or an exception that it raised.", kLimit},
    {C::kRecompilation, "other", "A guard without a row here, or none printed.",
     "None of the others fits.", kRecompileOther},

    {C::kAccuracy, "rmse", "The root mean square error is too large.",
     "The `RMSE (res-fp64)` line.", kRmse},
    {C::kAccuracy, "not-close", "Compiled and eager results differ.",
     "AccuracyError, or assert_close in a comparison of the two.", kNotClose},
    {C::kAccuracy, "nan-assert", "A buffer holds NaN or infinity.",
     "Inductor's assertion in generated code.", kNan},
    {C::kAccuracy, "dtype-mismatch",
     "Compiled and eager results have other dtypes.",
     "The comparison names the dtypes.", kDtypeMismatch},
    {C::kAccuracy, "check-did-not-run", "The comparison itself failed.",
     "The check's own error line.", kNoCheck},
    {C::kAccuracy, "other", "An accuracy check failed; no figure is printed.",
     "A verdict without a figure.", kAccuracyOther},

    {C::kDynamoInternal, "bytecode-instruction",
     "Dynamo has no right rule for an instruction.",
     "The message or the innermost frames name the instruction.", kInstruction},
    {C::kDynamoInternal, "variable-tracker",
     "Dynamo's model of a value failed.",
     "The message names a variable class or its attribute.", kVariable},
    {C::kDynamoInternal, "guard-creation", "A guard could not be built.",
     "Frames of guards.py, or `while creating guard`.", kGuardCreation},
    {C::kDynamoInternal, "symbolic-shapes",
     "Symbolic shapes are not consistent.",
     "Frames of symbolic_shapes.py, or a sympy error.", kSymbols},
    {C::kDynamoInternal, "timeout", "Tracing took too long.",
     "A time-out raised inside Dynamo.", kInternalTimeout},
    {C::kDynamoInternal, "other",
     "Dynamo failed for a reason without a row here.",
     "None of the others fits.", kInternalOther},

    {C::kRuntimeCrash, "segfault", "The process read or wrote bad memory.",
     "SIGSEGV, or a Windows access violation.", kSegfault},
    {C::kRuntimeCrash, "abort", "The process aborted itself.",
     "SIGABRT, or terminate.", kAbort},
    {C::kRuntimeCrash, "illegal-memory-access",
     "A kernel read or wrote bad memory of the device.",
     "The device's own error text.", kIma},
    {C::kRuntimeCrash, "size-stride-assert",
     "A buffer has another size or stride than was compiled for.",
     "assert_size_stride in generated code.", kSizeStride},
    {C::kRuntimeCrash, "cudagraph-overwrite",
     "An output of a CUDA graph was used after the next run.",
     "The message of cudagraph trees.", kCudagraph},
    {C::kRuntimeCrash, "out-of-memory-during-compile",
     "Memory ran out inside a compile or in generated code.",
     "OutOfMemoryError with such frames.", kOom},
    {C::kRuntimeCrash, "other", "Another error out of compiled code.",
     "Frames of generated code, or a fault of the device.", kCrashOther},

    {C::kTritonKernel, "index-out-of-bounds",
     "An index in a generated kernel is out of range.",
     "The kernel's assertion on the bound.", kBounds},
    {C::kTritonKernel, "device-assert",
     "An assertion in a generated kernel failed.",
     "A device-side assert with frames of generated code.", kDeviceAssert},
    {C::kTritonKernel, "triton-compile",
     "A kernel of your own does not compile.",
     "Triton's CompilationError outside Inductor.", kTritonSyntax},
    {C::kTritonKernel, "ptxas", "The assembler failed.",
     "PTXASError outside Inductor.", kPtxas},
    {C::kTritonKernel, "out-of-resources",
     "A launch needs more shared memory, registers or threads than there are.",
     "OutOfResources at a launch.", kResources},
    {C::kTritonKernel, "other", "A kernel failed for another reason.",
     "None of the others fits.", kTritonOther},
};

PT2TRIAGE_WATCH_TABLE(kTable, std::string(CategoryName(row.category)) + ": " +
                                  std::string(row.cause));
#ifdef PT2TRIAGE_WATCH_RULES
[[maybe_unused]] const bool watched_actions = [] {
  for (const CauseInfo& info : kTable) {
    DeclareTable("cause_table.cc actions", info.actions,
                 [](std::string_view action) { return action; });
  }
  return true;
}();
#endif

}  // namespace

std::span<const CauseInfo> CauseTable() { return kTable; }

const CauseInfo* FindCause(Category category, std::string_view cause) {
  for (const CauseInfo& info : kTable) {
    if (info.category == category && info.cause == cause) return &info;
  }
  return nullptr;
}

}  // namespace pt2triage
