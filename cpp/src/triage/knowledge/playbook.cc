#include "triage/knowledge/playbook.h"

#include <array>

namespace pt2triage {
namespace {

using C = Category;
using V = PlaybookVariable;
using F = PlaybookFile;
using O = PlaybookOption;
using S = std::string_view;

constexpr S kCudaDocs =
    "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"
    "#cuda-environment-variables";

// --- graph_break -------------------------------------------------------------

constexpr V kBreaks[] = {{"TORCH_LOGS", "graph_breaks"}};
constexpr V kBreaksDynamo[] = {{"TORCH_LOGS", "+dynamo"}};
constexpr V kGuardAdded[] = {
    {"TORCH_LOGS", "+dynamic"},
    {"TORCHDYNAMO_EXTENDED_DEBUG_CPP", "1", "2.4"},
};
constexpr Recipe kBreakRecipes[] = {
    {kBreaks, "each graph break with its reason and the stack of your code"},
    {kBreaksDynamo, "each instruction that Dynamo traces, up to the break"},
    {kGuardAdded, "where each symbolic size comes from and what constrains it"},
};
constexpr F kBreakFiles[] = {
    {"_dynamo/exc.py",
     "the exceptions and how their messages are put together"},
    {"_dynamo/variables/",
     "one class for each kind of value Dynamo can follow"},
    {"_dynamo/symbolic_convert.py", "the interpreter; a break begins here"},
    {"_dynamo/trace_rules.py", "which functions are inlined, skipped or kept"},
    {"fx/experimental/symbolic_shapes.py",
     "data-dependent expressions and constraints of export"},
    {"_subclasses/fake_tensor.py", "operators run on tensors without data"},
};
constexpr O kBreakOptions[] = {
    {"torch._dynamo.config.capture_scalar_outputs",
     "keeps .item() in the graph as an unbacked symbol"},
    {"torch._dynamo.config.capture_dynamic_output_shape_ops",
     "keeps nonzero() and the like in the graph"},
    {"torch._dynamo.config.reorderable_logging_functions",
     "functions such as print that may run after the graph", "2.4"},
};
constexpr S kBreakCauses[] = {
    "Python that Dynamo cannot follow: branches on the values of tensors, "
    "builtins, generators, context managers, exceptions.",
    "Tensor operations that cannot be traced: writing in place to an input or "
    "a view, sizes that depend on data, unusual dtypes.",
    "Functions that cannot be traced: C extensions, skipped modules, functions "
    "that are disabled for torch.compile.",
    "Custom operators without a fake kernel, or with a wrong one.",
};
constexpr S kBreakFixes[] = {
    "Read the reason and the hints first: they name the construct.",
    "Split the function, or move the construct out of the compiled part.",
    "Branch with torch.cond or torch.where in place of a Python if on data.",
    "torch.compiler.allow_in_graph for a function that only calls traceable "
    "operators; torch.library.custom_op for one that does not.",
    "capture_scalar_outputs or torch._check where a number is read from a "
    "tensor.",
    "fullgraph=True while you work, so that no break goes unseen.",
};
constexpr S kBreakArtifacts[] = {"graph_breaks records",
                                 "dynamo_graph_break_reason in the trace",
                                 "the stack under `from user code`"};

// --- backend_compiler_failed -------------------------------------------------

constexpr V kReproAot2[] = {
    {"TORCHDYNAMO_REPRO_AFTER", "aot"},
    {"TORCHDYNAMO_REPRO_LEVEL", "2"},
};
constexpr V kInductorLogs[] = {
    {"TORCH_LOGS", "+inductor,aot_graphs,output_code"}};
constexpr V kSingleThread[] = {
    {"TORCHINDUCTOR_COMPILE_THREADS", "1"},
    {"TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1", "2.4"},
};
constexpr Recipe kBackendRecipes[] = {
    {kReproAot2, "a small program that still fails, by the minifier"},
    {kInductorLogs, "the graphs that went in and the code that came out"},
    {kSingleThread,
     "the failure in this process, where a debugger stops at it"},
};
constexpr V kReproDynamo2[] = {
    {"TORCHDYNAMO_REPRO_AFTER", "dynamo"},
    {"TORCHDYNAMO_REPRO_LEVEL", "2"},
};
constexpr Recipe kCustomBackend = {
    kReproDynamo2, "the same for a backend other than Inductor"};
constexpr F kBackendFiles[] = {
    {"_dynamo/repro/after_aot.py", "the minifier that runs after AOTAutograd"},
    {"_inductor/graph.py", "lowering begins here"},
    {"_inductor/lowering.py", "one rule for each operator"},
    {"_inductor/scheduler.py", "order and fusion"},
    {"_inductor/codegen/", "the writers of Triton and C++ code"},
    {"_inductor/select_algorithm.py", "autotuning"},
    {"_functorch/aot_autograd.py", "the graph of forward and backward"},
};
constexpr O kBackendOptions[] = {
    {"torch._inductor.config.fallback_random",
     "random numbers as in eager mode, so that runs can be compared"},
    {"torch._inductor.config.max_autotune",
     "tries more kernels; off by default"},
};
constexpr S kBackendCauses[] = {
    "Lowering: an operator, dtype or layout that no rule handles.",
    "Scheduling: fusion groups nodes that do not belong together.",
    "Code generation: the kernel that was written does not compile.",
    "The tools: no C++ compiler, no Triton for this GPU, no headers.",
    "AOTAutograd: mutation, aliasing or a subclass that it cannot express.",
};
constexpr S kBackendFixes[] = {
    "backend=\"eager\", then \"aot_eager\", then "
    "\"aot_eager_decomp_partition\": the first that fails names the layer.",
    "Tell lowering, scheduling and code generation apart by the innermost "
    "frames.",
    "Report the minifier's output together with the versions.",
    "Until it is fixed: torch.compiler.disable on the smallest function that "
    "fails.",
};
constexpr S kBackendArtifacts[] = {
    "minifier_launcher.py and repro.py", "fx_graph_runnable.py",
    "ir_pre_fusion.txt and ir_post_fusion.txt", "output_code.py"};

// --- recompilation -----------------------------------------------------------

constexpr V kRecompiles[] = {
    {"TORCH_LOGS", "recompiles,recompiles_verbose,guards"}};
constexpr V kDynamic[] = {{"TORCH_LOGS", "recompiles,dynamic"}};
constexpr Recipe kRecompileRecipes[] = {
    {kRecompiles, "each guard that failed, and all guards that are checked"},
    {kDynamic, "why a size became a constant"},
};
constexpr F kRecompileFiles[] = {
    {"_dynamo/guards.py", "which guards exist and how they are checked"},
    {"_dynamo/cache_size.py", "how compiles of one function are counted"},
    {"_dynamo/convert_frame.py", "where a limit stops compilation"},
    {"_dynamo/variables/builder.py", "which sizes and numbers become symbols"},
};
constexpr O kRecompileOptions[] = {
    {"torch._dynamo.config.recompile_limit",
     "compiles of one function, 8 (cache_size_limit up to 2.6)", "2.8"},
    {"torch._dynamo.config.accumulated_recompile_limit",
     "compiles of one code object, 256 (accumulated_cache_size_limit up to "
     "2.6)",
     "2.8"},
    {"torch._dynamo.config.fail_on_recompile_limit_hit",
     "an error instead of falling back to eager", "2.8"},
    {"torch._dynamo.config.error_on_recompile", "an error at any recompile"},
    {"torch._dynamo.config.automatic_dynamic_shapes",
     "the second size makes a dimension dynamic"},
    {"torch._dynamo.config.allow_unspec_int_on_nn_module",
     "integers of modules become symbols", "2.8"},
};
constexpr S kRecompileCauses[] = {
    "Sizes that change but were not marked dynamic.",
    "Python numbers as arguments or attributes: each value is a new guard.",
    "Global state: grad mode, autocast, default dtype, number of threads.",
    "Objects that are made anew for each call: lambdas, modules, dicts.",
    "One function for many modules or many dtypes.",
};
constexpr S kRecompileFixes[] = {
    "torch._dynamo.mark_dynamic on the tensor and dimension that change, or "
    "dynamic=True.",
    "Tensors in place of Python numbers.",
    "The same global state around each call.",
    "Pad or bucket sizes where a dynamic kernel is too slow.",
    "A higher recompile_limit only where the variants are few and known.",
};
constexpr S kRecompileArtifacts[] = {"recompiles records",
                                     "recompile_reasons in the trace",
                                     "the guards artifact"};

// --- accuracy ----------------------------------------------------------------

constexpr V kReproAot4[] = {
    {"TORCHDYNAMO_REPRO_AFTER", "aot"},
    {"TORCHDYNAMO_REPRO_LEVEL", "4"},
};
constexpr V kReproDynamo4[] = {
    {"TORCHDYNAMO_REPRO_AFTER", "dynamo"},
    {"TORCHDYNAMO_REPRO_LEVEL", "4"},
};
constexpr V kPrecision[] = {
    {"TORCHINDUCTOR_EMULATE_PRECISION_CASTS", "1", "2.8"}};
constexpr Recipe kAccuracyRecipes[] = {
    {kReproAot4, "the smallest graph whose numbers differ"},
    {kPrecision, "whether fused kernels differ only by rounding"},
    {kReproDynamo4, "the same for errors that Dynamo itself makes"},
};
constexpr F kAccuracyFiles[] = {
    {"_dynamo/debug_utils.py",
     "same_two_models, backend_accuracy_fails, cast_to_fp64"},
    {"_dynamo/utils.py", "same(): how two results are compared"},
    {"_dynamo/repro/after_aot.py", "the accuracy minifier"},
    {"_inductor/decomposition.py", "operators that are computed otherwise"},
};
constexpr O kAccuracyOptions[] = {
    {"torch._dynamo.config.repro_tolerance", "how much may differ, 1e-3"},
    {"torch._inductor.config.emulate_precision_casts",
     "rounds between fused operators as eager mode does", "2.6"},
    {"torch._inductor.config.fallback_random", "eager mode's random numbers"},
};
constexpr S kAccuracyCauses[] = {
    "Rounding: fused kernels keep more precision than eager mode.",
    "Random numbers drawn in another order.",
    "A wrong kernel, decomposition or fusion.",
    "Memory that is reused too early or was never set.",
    "Inputs at which the function itself is not continuous.",
};
constexpr S kAccuracyFixes[] = {
    "Compare both with a run in fp64: the one that is further away is wrong.",
    "Bisect operators with the minifier, then passes with "
    "torch._inductor.compiler_bisector.",
    "Loosen the tolerance only when the fp64 run says that both are fine.",
};
constexpr S kAccuracyArtifacts[] = {"minifier_launcher.py and repro.py",
                                    "checkpoints of the minifier",
                                    "output_code.py"};

// --- dynamo_internal ---------------------------------------------------------

constexpr V kVerbose[] = {{"TORCHDYNAMO_VERBOSE", "1"}};
constexpr V kDynamoLogs[] = {{"TORCH_LOGS", "+dynamo"}};
constexpr V kBytecode[] = {{"TORCH_LOGS", "+dynamo,bytecode,guards"}};
constexpr Recipe kInternalRecipes[] = {
    {kVerbose, "the whole stack inside Dynamo"},
    {kDynamoLogs, "the instruction and the variable at which it stopped"},
    {kBytecode, "the bytecode before and after, and the guards"},
};
constexpr F kInternalFiles[] = {
    {"_dynamo/symbolic_convert.py", "one method for each bytecode instruction"},
    {"_dynamo/variables/", "one class for each kind of value"},
    {"_dynamo/guards.py", "guards that are built after tracing"},
    {"_dynamo/codegen.py", "the bytecode that is written"},
    {"_dynamo/output_graph.py", "the graph, and how it is finished"},
};
constexpr O kInternalOptions[] = {
    {"torch._dynamo.config.suppress_errors",
     "falls back to eager mode; hides other failures too"},
    {"torch._dynamo.config.verbose", "as TORCHDYNAMO_VERBOSE"},
};
constexpr S kInternalCauses[] = {
    "A bytecode instruction of a new Python version.",
    "A kind of value that has no class, or whose class lacks a method.",
    "A guard that cannot be built for a value.",
    "Sizes whose symbols were lost or never made.",
};
constexpr S kInternalFixes[] = {
    "Find the instruction (last `TRACE` line) and the class of the value it "
    "works on.",
    "Cut the function down to that line and report it.",
    "Until it is fixed: torch.compiler.disable on that function.",
};
constexpr S kInternalArtifacts[] = {
    "the stack after `from user code`",
    "minifier_launcher.py where the message names one"};

// --- runtime_crash -----------------------------------------------------------

constexpr V kSync[] = {
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1", "",
     "read by the CUDA allocator, which CPU builds lack"},
    {"CUDA_LAUNCH_BLOCKING", "1", "", kCudaDocs},
};
constexpr V kNanAsserts[] = {{"TORCHINDUCTOR_NAN_ASSERTS", "1"}};
constexpr V kFaultHandler[] = {
    {"PYTHONFAULTHANDLER", "1", "",
     "https://docs.python.org/3/using/cmdline.html"}};
constexpr Recipe kCrashRecipes[] = {
    {kSync, "the call that really fails, not a later one"},
    {kFaultHandler, "the Python stack at a signal"},
    {kNanAsserts, "the first buffer that holds NaN or infinity"},
};
constexpr F kCrashFiles[] = {
    {"_inductor/cudagraph_trees.py", "recorded graphs and their memory"},
    {"_inductor/output_code.py", "what runs a compiled graph", "2.6"},
    {"_inductor/runtime/triton_heuristics.py", "how kernels are launched",
     "2.4"},
    {"_inductor/codegen/wrapper.py", "size and stride checks, buffer reuse"},
    {"_functorch/_aot_autograd/runtime_wrappers.py",
     "what stands around a compiled graph"},
};
constexpr O kCrashOptions[] = {
    {"torch._inductor.config.triton.debug_sync_kernel",
     "waits after each kernel"},
    {"torch._inductor.config.triton.debug_sync_graph",
     "waits before and after each graph"},
    {"torch._inductor.config.size_asserts", "checks of sizes and strides"},
    {"torch._inductor.config.nan_asserts", "as TORCHINDUCTOR_NAN_ASSERTS"},
};
constexpr S kCrashCauses[] = {
    "Dynamic shapes: an index that was right for the first size only.",
    "A fake kernel that promises another size, stride or dtype than the real "
    "one gives.",
    "A custom operator that reads past its input.",
    "CUDA graphs: an output that is still used when the next run writes to it.",
};
constexpr S kCrashFixes[] = {
    "Suspect dynamic shapes first: try dynamic=False.",
    "mode=\"default\" (no CUDA graphs), then backend=\"aot_eager\": the first "
    "that works names the layer.",
    "compute-sanitizer names the kernel and the address.",
    "torch.compiler.cudagraph_mark_step_begin() or a clone for overwritten "
    "outputs.",
};
constexpr S kCrashArtifacts[] = {"output_code.py", "core files and stacks",
                                 "the generated file that the stack names"};

// --- triton_kernel -----------------------------------------------------------

constexpr V kOutputCode[] = {{"TORCH_LOGS", "output_code,schedule"}};
constexpr V kFusion[] = {{"TORCH_LOGS", "output_code,schedule,fusion"}};
constexpr V kBlocking[] = {{"CUDA_LAUNCH_BLOCKING", "1", "", kCudaDocs},
                           {"TORCH_LOGS", "output_code"}};
constexpr Recipe kTritonRecipes[] = {
    {kOutputCode, "the kernels that were written and how they were scheduled"},
    {kBlocking, "which of them fails"},
    {kFusion, "why operators went into one kernel"},
};
constexpr F kTritonFiles[] = {
    {"_inductor/codegen/triton.py", "the writer of kernels"},
    {"_inductor/scheduler.py", "which operators share a kernel"},
    {"_inductor/runtime/triton_heuristics.py", "block sizes and launches",
     "2.4"},
    {"_inductor/codegen/simd.py", "loops, ranges and index arithmetic", "2.4"},
};
constexpr O kTritonOptions[] = {
    {"torch._inductor.config.assert_indirect_indexing",
     "the checks behind index out of bounds"},
    {"torch._inductor.config.triton.unique_kernel_names",
     "names of kernels after their operators"},
};
constexpr S kTritonCauses[] = {
    "An index from your own data that is out of range: eager mode fails too.",
    "Index arithmetic that is off by one, or that forgets a stride.",
    "A fusion that mixes ranges that differ.",
    "A kernel that wants more shared memory or registers than the GPU has.",
};
constexpr S kTritonFixes[] = {
    "Run the same input in eager mode on CPU: a bad index is named there.",
    "Find the kernel in output_code.py by the line that the assertion names.",
    "Smaller blocks or fewer stages where resources run out.",
};
constexpr S kTritonArtifacts[] = {"output_code.py",
                                  "ir_pre_fusion.txt and ir_post_fusion.txt",
                                  "the kernel's file that the message names"};

constexpr Play kPlays[] = {
    {C::kGraphBreak, "Dynamo could not capture the code", kBreakRecipes,
     kBreakFiles, kBreakOptions, kBreakCauses, kBreakFixes, kBreakArtifacts},
    {C::kBackendCompilerFailed, "The backend failed to compile the graph",
     kBackendRecipes, kBackendFiles, kBackendOptions, kBackendCauses,
     kBackendFixes, kBackendArtifacts},
    {C::kRecompilation, "A guard failed and the function was compiled anew",
     kRecompileRecipes, kRecompileFiles, kRecompileOptions, kRecompileCauses,
     kRecompileFixes, kRecompileArtifacts},
    {C::kAccuracy, "Compiled code gives other numbers than eager mode",
     kAccuracyRecipes, kAccuracyFiles, kAccuracyOptions, kAccuracyCauses,
     kAccuracyFixes, kAccuracyArtifacts},
    {C::kDynamoInternal, "Dynamo itself failed", kInternalRecipes,
     kInternalFiles, kInternalOptions, kInternalCauses, kInternalFixes,
     kInternalArtifacts},
    {C::kRuntimeCrash, "Compiled code crashed or raised while it ran",
     kCrashRecipes, kCrashFiles, kCrashOptions, kCrashCauses, kCrashFixes,
     kCrashArtifacts},
    {C::kTritonKernel, "A Triton kernel failed", kTritonRecipes, kTritonFiles,
     kTritonOptions, kTritonCauses, kTritonFixes, kTritonArtifacts},
};

// --- whatever failed ---------------------------------------------------------

constexpr V kTrace[] = {{"TORCH_TRACE", "/tmp/torch_trace", "2.4"}};
constexpr V kDebug[] = {{"TORCH_COMPILE_DEBUG", "1"}};
constexpr Recipe kCommon[] = {
    {kTrace, "all that the compiler knows, structured; pt2triage reads it"},
    {kDebug, "a folder with the graphs, the IR and the code of each compile"},
};

// --- the two first questions -------------------------------------------------

constexpr Answer kModes[] = {
    {"compile",
     "Dynamo's call wrapper or a lazily compiled backward in the stack without "
     "a frame of export; `backend=... raised`; recompile, limit and "
     "graph-break "
     "records. In the debugger: tx.export is False."},
    {"export_strict",
     "A frame of _strict_export or _export_to_torch_ir (tx.export is True); "
     "from 2.10 fullgraph_capture where "
     "torch._export.config.use_new_tracer_experimental is set. The default of "
     "torch.export.export up to 2.6."},
    {"export_non_strict",
     "A frame of _non_strict_export or of non_strict_utils.py, make_fx and no "
     "frame of Dynamo. The default of torch.export.export from 2.8 on."},
    {"export_draft", "A frame of torch/export/_draft_export.py."},
    {"aot_inductor",
     "Frames of aot_compile, aoti_compile_and_package or of the package "
     "loader."},
    {"null",
     "_compiling_state_context alone proves export, but not which one; a bare "
     "InductorError and `from user code` prove nothing."},
};
constexpr Answer kPhases[] = {
    {"trace",
     "Frames of Dynamo's interpreter, AOTAutograd or Inductor's compiler: "
     "tensors are fake, and calls may be folded into constants."},
    {"run",
     "Frames of generated code, of the wrappers that run it, or a fault of the "
     "device: tensors are real, and flags of modules are read at run time."},
    {"null", "A crash without a stack."},
};
constexpr Question kQuestions[] = {
    {"compile_mode", "torch.compile, strict export or non-strict export?",
     kModes},
    {"phase", "Trace time or run time?", kPhases},
};

bool NeedsQuotes(std::string_view value) {
  return value.find_first_of(",+") != std::string_view::npos;
}

}  // namespace

std::span<const Play> Playbook() { return kPlays; }
std::span<const Question> Questions() { return kQuestions; }
const Recipe& CustomBackendRecipe() { return kCustomBackend; }
std::span<const Recipe> CommonRecipes() { return kCommon; }

const Play* FindPlay(Category category) {
  for (const Play& play : kPlays) {
    if (play.category == category) return &play;
  }
  return nullptr;
}

std::string ShellVariables(const Recipe& recipe) {
  std::string out;
  for (const PlaybookVariable& variable : recipe.variables) {
    if (!out.empty()) out += ' ';
    bool quotes = variable.name == "TORCH_LOGS" || NeedsQuotes(variable.value);
    out.append(variable.name).append(quotes ? "=\"" : "=");
    out.append(variable.value).append(quotes ? "\"" : "");
  }
  return out;
}

}  // namespace pt2triage
