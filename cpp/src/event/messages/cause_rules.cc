#include "event/messages/cause_rules.h"

#include <re2/re2.h>

#include <deque>

#include "base/lazy_pattern.h"
#include "base/piece.h"
#include "base/rule_watch.h"

namespace pt2triage {
namespace {

using C = Category;

// In order: the first row that fits decides. Texts: torch/_dynamo
// (unimplemented calls and graph_break_registry.json), torch/_inductor, 2.2
// to 2.13.
constexpr CauseRule kRules[] = {
    {C::kGraphBreak, "higher-order-op",
     R"(higher[ -]order op|Higher Order Operator|\b[Cc]ond doesn't work|HigherOrderOperator|torch\.cond\b.*(?:branch|predicate)|unimplemented.*\bHOP\b)",
     "UncapturedHigherOrderOpError: Cond doesn't work unless it is captured "
     "completely with torch.compile."},
    {C::kGraphBreak, "user-inserted",
     R"(torch\._dynamo\.graph_break\(\)|intentional debugging graph break|User-inserted graph break|'skip function graph_break in file)",
     "Call to `torch._dynamo.graph_break()`"},
    {C::kGraphBreak, "missing-fake-kernel",
     R"(no fake impl|not support running with fake tensors|attempted to run this operator with Meta tensors|unsupported operator:|UnsupportedOperatorException|register_fake|missing fake kernel)",
     "Operator does not support running with fake tensors"},
    {C::kGraphBreak, "constraint-violation",
     R"(Constraints violated|ConstraintViolationError|marked .* as dynamic but your code specialized)",
     "ConstraintViolationError: Constraints violated (L['x'].size()[0])!"},
    {C::kGraphBreak, "invalid-argument",
     R"(UserError: .*`?dynamic_shapes`?|treespecs? of .*do not match)",
     "UserError: When `dynamic_shapes` is specified as a dict, its top-level "
     "keys must be the arg names ['x'] of `inputs`, but here they are ['y']."},
    {C::kGraphBreak, "data-dependent-guard",
     R"(data-dependent expression|GuardOnDataDependentSymNode|value out of symbolic int/float|data dependency)",
     "Could not guard on data-dependent expression u0 < 0"},
    {C::kGraphBreak, "data-dependent-branch",
     R"([Dd]ata-dependent (?:branching|jump|assertion)|Dynamic control flow is not supported|symbolically traced variables cannot be used as inputs to control flow|generic_jump)",
     "Data-dependent branching"},
    {C::kGraphBreak, "data-dependent-operator",
     R"(Tensor\.item|[Dd]ata[ -]dependent operator|DataDependentOutputException|DynamicOutputShapeException|[Dd]ynamic (?:output )?shape operator|\.item\b|aten\._local_scalar_dense|aten\.nonzero|capture_scalar_outputs|capture_dynamic_output_shape_ops|PendingUnbackedSymbol)",
     "Unsupported Tensor.item() call with capture_scalar_outputs=False"},
    {C::kGraphBreak, "disabled-function",
     R"(torch\.compiler\.disable|torch\._dynamo\.disable|call torch\._dynamo\.disable)",
     "Skip calling `torch.compiler.disable()`d function"},
    {C::kGraphBreak, "c-extension",
     R"(third-party C/C\+\+|C extension|pybind|C/C\+\+ function|PyCapsule)",
     "Graph break due to unsupported builtin foo.bar. This function is either "
     "a Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python "
     "extension (perhaps created with pybind)."},
    {C::kGraphBreak, "generator", R"([Gg]enerator|\byield\b|YIELD_VALUE)",
     "Attempt to trace generator"},
    {C::kGraphBreak, "context-manager",
     R"([Cc]ontext ?[Mm]anager|GenericContextWrappingVariable|SETUP_WITH|BEFORE_WITH|active generic context)",
     "Graph break under GenericContextWrappingVariable"},
    {C::kGraphBreak, "exception-handling",
     R"(Observed exception|[Ee]xception handler|\braise\b|RAISE_VARARGS|except block|re-raise|SETUP_FINALLY)",
     "Observed exception"},
    {C::kGraphBreak, "fake-tensor-error",
     R"(making fake tensor call|Dynamo failed to run FX node|Failed running call_|FakeTensor|fake tensor)",
     "RuntimeError when making fake tensor call"},
    {C::kGraphBreak, "in-place-mutation",
     R"([Ii]n-?place (?:op|mutation)|mutat(?:e|ion|ing) .*(?:input|alias|view)|\.data\b.*(?:assign|setattr)|requires_grad_\(|resize_\b|set_\(\))",
     "in-place op on a view of an input"},
    {C::kGraphBreak, "unsupported-method",
     R"(call_method|[Uu]nsupported method|Unsupported Tensor\.\w+\(\)|method call|no `?__\w+__)",
     "call_method UserDefinedObjectVariable(Logger) warning_once "
     "[ConstantVariable()] {}"},
    {C::kGraphBreak, "unsupported-builtin",
     R"(\bbuiltin\b|builtin operator|call_function BuiltinVariable)",
     "Failed to trace builtin operator"},
    {C::kGraphBreak, "skipped-function",
     R"(skip function|marked as skipped|call_function .*in skip_files|[Ss]kipfiles|SkipFilesVariable|SkipFunctionVariable|inlining skipped)",
     "'skip function clip_stats in file /srv/stats.py'"},
    {C::kGraphBreak, "side-effect",
     R"(side effect|setattr|STORE_ATTR|DELETE_ATTR|STORE_GLOBAL|mutat)",
     "STORE_ATTR-caused graph break"},
    {C::kGraphBreak, "untraceable-op",
     R"(torch\.\* op returned non-Tensor|torch function|out variant|quantized|sparse|complex|dtype|Backend compiler exception|backward\(\)|autograd\.)",
     "torch.* op returned non-Tensor"},

    {C::kBackendCompilerFailed, "timeout",
     R"(TimeoutError|TimeoutExpired|[Tt]imed[ -]?out\b|\bTimeout \(?>)",
     "TimeoutError: compile worker timed out"},
    {C::kBackendCompilerFailed, "missing-toolchain",
     R"(InvalidCxxCompiler|TritonMissing|GPUTooOldForTriton|Cannot find a working triton|No working C\+\+ compiler|WinError 2\]|Compiler: .* is not found|No module named 'triton|Failed to find C compiler|ptxas.*not found|fatal error C1083|cannot open shared object file|DLL load failed|(?:Python|omp|ze_api)\.h|CalledProcessError: Command '\['[^']*(?:gcc|g\+\+|clang|/cc)\b)",
     "FileNotFoundError: [WinError 2] The system cannot find the file "
     "specified"},
    {C::kBackendCompilerFailed, "cpp-compile",
     R"(CppCompileError|CUDACompileError|C\+\+ compile error|Command '.*(?:g\+\+|clang\+\+|cl\.exe))",
     "CppCompileError: C++ compile error"},
    {C::kBackendCompilerFailed, "autotuning",
     R"(NoValidChoices|ErrorFromChoice|no valid choice)",
     "NoValidChoicesError: No choices to select"},
    {C::kBackendCompilerFailed, "triton-compile",
     R"(PassManager::run failed|No valid triton configs|CompilationError|triton\.compiler|PTXASError|ptxas|OutOfResources|out of resource|CompileTimeAssertion|make_(?:ttir|ttgir|llir|cubin))",
     "RuntimeError: PassManager::run failed"},
    {C::kBackendCompilerFailed, "subprocess",
     R"(SubprocException|BrokenProcessPool|compile worker|compilation subprocess|occurred in a subprocess|daemonic processes are not allowed)",
     "SubprocException: An exception occurred in a subprocess:"},
    {C::kBackendCompilerFailed, "codegen", R"(CppWrapperCode?[gG]enError)",
     "CppWrapperCodegenError: C++ wrapper codegen error"},
    {C::kBackendCompilerFailed, "lowering",
     R"(LoweringException|MissingOperator|OperatorIssue|SubgraphLowering)",
     "LoweringException: AssertionError: bad layout"},

    {C::kDynamoInternal, "timeout", R"([Tt]imed? ?out)", "TimeoutError: x"},
    {C::kDynamoInternal, "guard-creation",
     R"(while creating guard|Compiler: .* is not found|SHAPE_ENV|guard (?:creation|building)|Guard failed on the same frame)",
     "RuntimeError: Compiler: cl is not found."},
    {C::kDynamoInternal, "symbolic-shapes",
     R"(sympy|[Ss]ymbolic(?:_shapes| shape|:|$)|SymInt|SymNode|\bs\d+\b.*not in var_ranges)",
     "AssertionError: s0 (could be from ...) not in var_ranges: symbolic"},
    {C::kDynamoInternal, "bytecode-instruction",
     R"(pop from empty list|opcode|bytecode|instruction|stack_effect)",
     "IndexError: pop from empty list"},
    {C::kDynamoInternal, "variable-tracker",
     R"(VariableTracker|Variable\b|Variable\(|object has no attribute)",
     "AttributeError: 'NNModuleVariable' object has no attribute 'x'"},

    {C::kRuntimeCrash, "illegal-memory-access",
     R"(illegal memory access|Memory access fault|invalid device ordinal access|UR_RESULT_ERROR)",
     "CUDA error: an illegal memory access was encountered"},
    {C::kRuntimeCrash, "cudagraph-overwrite",
     R"(tensor output of CUDAGraphs that has been overwritten|cudagraph_mark_step_begin)",
     "RuntimeError: Error: accessing tensor output of CUDAGraphs that has been "
     "overwritten by a subsequent run."},
    {C::kRuntimeCrash, "out-of-memory-during-compile", R"(out of memory)",
     "OutOfMemoryError: CUDA out of memory."},

    {C::kTritonKernel, "index-out-of-bounds", R"(index out of bounds)",
     "RuntimeError: index out of bounds: 0 <= tmp7 < 8L"},
    {C::kTritonKernel, "ptxas", R"(PTXASError|ptxas)", "PTXASError: x"},
    {C::kTritonKernel, "triton-compile",
     R"(CompilationError|PassManager::run failed|CompileTimeAssertion)",
     "CompilationError: at 3:4"},

    {C::kAccuracy, "rmse", R"(RMSE \(res-fp64\))",
     "RMSE (res-fp64): 19.4, (ref-fp64): 0.02 and shape=torch.Size([2])"},
    {C::kAccuracy, "check-did-not-run",
     R"(ran into a runtime exception|Dynamo failed)",
     "While minifying the program in accuracy minification mode, ran into a "
     "runtime exception"},
    {C::kAccuracy, "not-close",
     R"([Aa]ccuracy failed|not close|Bad accuracy detected)",
     "AccuracyError: Bad accuracy detected"},
};

PT2TRIAGE_WATCH_TABLE(kRules, row.pattern);

const std::deque<PatternRow<CauseRule>>& CompiledRules() {
  static const auto& patterns = *MakePatterns(CauseRules());
  return patterns;
}

}  // namespace

std::span<const CauseRule> CauseRules() { return kRules; }

std::string_view CauseOf(Category category, std::string_view text) {
  for (const PatternRow<CauseRule>& compiled : CompiledRules()) {
    if (compiled.row->category != category) continue;
    if (compiled.pattern.MayMatch(text) &&
        re2::RE2::PartialMatch(ToPiece(text), *compiled.pattern)) {
      NoteRule(compiled.row);
      return compiled.row->cause;
    }
  }
  return "other";
}

}  // namespace pt2triage
