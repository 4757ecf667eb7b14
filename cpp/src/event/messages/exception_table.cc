#include "event/messages/exception_table.h"

#include <array>

#include "base/rule_watch.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

using C = Category;
using X = ExceptionClass;
constexpr uint16_t kPt2 = X::kPt2 | X::kBareOk;

// Facts: torch/_dynamo/exc.py, _inductor/exc.py, fx/experimental/
// symbolic_shapes.py and _subclasses/fake_tensor.py of 2.2.2, 2.4.1, 2.6.0,
// 2.8.0, 2.10.0 and 2.13.0.
constexpr ExceptionClass kTable[] = {
    // Dynamo: graph breaks.
    {"Unsupported", "torch._dynamo.exc", C::kGraphBreak, "", kPt2},
    {"UserError", "torch._dynamo.exc", C::kGraphBreak, "", kPt2},
    {"UncapturedHigherOrderOpError", "torch._dynamo.exc", C::kGraphBreak,
     "higher-order-op", kPt2},
    {"CondOpArgsMismatchError", "torch._dynamo.exc", C::kGraphBreak,
     "higher-order-op", kPt2},
    {"ArgsMismatchError", "torch._dynamo.exc", C::kGraphBreak, "", kPt2},
    {"AttributeMutationError", "torch._dynamo.exc", C::kGraphBreak,
     "side-effect", kPt2},
    {"SideEffectsError", "torch._dynamo.exc", C::kGraphBreak, "side-effect",
     kPt2},
    {"InfiniteGeneratorError", "torch._dynamo.exc", C::kGraphBreak, "generator",
     kPt2},
    {"UnknownPropertiesDuringBackwardTrace", "torch._dynamo.exc",
     C::kGraphBreak, "other", kPt2},
    {"UnsafeScriptObjectError", "torch._dynamo.exc", C::kGraphBreak, "other",
     kPt2},
    {"TorchRuntimeError", "torch._dynamo.exc", C::kGraphBreak,
     "fake-tensor-error", kPt2},
    {"IncorrectUsage", "torch._dynamo.exc", C::kGraphBreak, "other", kPt2},
    // Symbolic shapes, fake tensors, export.
    {"GuardOnDataDependentSymNode", "torch.fx.experimental.symbolic_shapes",
     C::kGraphBreak, "data-dependent-guard", kPt2},
    {"PendingUnbackedSymbolNotFound", "torch.fx.experimental.symbolic_shapes",
     C::kGraphBreak, "data-dependent-operator", kPt2},
    {"ConstraintViolationError", "torch.fx.experimental.symbolic_shapes",
     C::kGraphBreak, "constraint-violation", kPt2},
    {"DataDependentOutputException", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "data-dependent-operator", kPt2},
    {"DynamicOutputShapeException", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "data-dependent-operator", kPt2},
    {"UnsupportedOperatorException", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "missing-fake-kernel", kPt2},
    {"UnsupportedFakeTensorException", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "fake-tensor-error", kPt2},
    {"FakeTensorDeviceMismatchError", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "fake-tensor-error", kPt2},
    {"MetadataMismatchError", "torch._subclasses.fake_tensor", C::kGraphBreak,
     "fake-tensor-error", kPt2},
    {"UnsupportedMutationAliasingException", "torch._subclasses.fake_tensor",
     C::kGraphBreak, "in-place-mutation", kPt2},
    {"UnsupportedAliasMutationException", "torch._higher_order_ops",
     C::kGraphBreak, "higher-order-op", kPt2},
    {"ExportError", "torch._export.error", C::kGraphBreak, "other", kPt2},
    {"SpecViolationError", "torch._export.verifier", C::kGraphBreak, "other",
     kPt2},
    {"TraceError", "torch.fx.proxy", C::kGraphBreak, "data-dependent-branch",
     kPt2},
    // Backends.
    {"BackendCompilerFailed", "torch._dynamo.exc", C::kBackendCompilerFailed,
     "", kPt2},
    {"InvalidBackend", "torch._dynamo.exc", C::kBackendCompilerFailed,
     "unknown-backend", kPt2},
    {"ResetRequired", "torch._dynamo.exc", C::kBackendCompilerFailed, "other",
     kPt2},
    {"InductorError", "torch._inductor.exc", C::kBackendCompilerFailed, "",
     static_cast<uint16_t>(kPt2 | X::kWraps)},
    {"LoweringException", "torch._inductor.exc", C::kBackendCompilerFailed, "",
     static_cast<uint16_t>(kPt2 | X::kWraps)},
    {"SubgraphLoweringException", "torch._inductor.exc",
     C::kBackendCompilerFailed, "lowering", kPt2},
    {"MissingOperatorWithDecomp", "torch._inductor.exc",
     C::kBackendCompilerFailed, "lowering", kPt2},
    {"MissingOperatorWithoutDecomp", "torch._inductor.exc",
     C::kBackendCompilerFailed, "lowering", kPt2},
    {"CppCompileError", "torch._inductor.exc", C::kBackendCompilerFailed,
     "cpp-compile", kPt2},
    {"CUDACompileError", "torch._inductor.exc", C::kBackendCompilerFailed,
     "cpp-compile", kPt2},
    {"CppWrapperCodegenError", "torch._inductor.exc", C::kBackendCompilerFailed,
     "codegen", kPt2},
    {"CppWrapperCodeGenError", "torch._inductor.exc", C::kBackendCompilerFailed,
     "codegen", kPt2},
    {"InvalidCxxCompiler", "torch._inductor.exc", C::kBackendCompilerFailed,
     "missing-toolchain", kPt2},
    {"TritonMissing", "torch._inductor.exc", C::kBackendCompilerFailed,
     "missing-toolchain", kPt2},
    {"GPUTooOldForTriton", "torch._inductor.exc", C::kBackendCompilerFailed,
     "missing-toolchain", kPt2},
    {"NoValidChoicesError", "torch._inductor.select_algorithm",
     C::kBackendCompilerFailed, "autotuning",
     static_cast<uint16_t>(kPt2 | X::kWraps)},
    {"ErrorFromChoice", "torch._inductor.select_algorithm",
     C::kBackendCompilerFailed, "autotuning", kPt2},
    {"SubprocException", "torch._inductor.compile_worker.subproc_pool",
     C::kBackendCompilerFailed, "subprocess",
     static_cast<uint16_t>(kPt2 | X::kEmbeds)},
    {"AOTIMinifierError", "torch._dynamo.repro.aoti", C::kBackendCompilerFailed,
     "other", kPt2},
    // Recompilation.
    {"RecompileError", "torch._dynamo.exc", C::kRecompilation, "", kPt2},
    {"FailOnRecompileLimitHit", "torch._dynamo.exc", C::kRecompilation,
     "limit-reached", kPt2},
    {"FailOnCacheLimitHit", "torch._dynamo.exc", C::kRecompilation,
     "limit-reached", kPt2},
    {"RecompileLimitExceeded", "torch._dynamo.exc", C::kRecompilation,
     "limit-reached", kPt2},
    {"CacheLimitExceeded", "torch._dynamo.exc", C::kRecompilation,
     "limit-reached", kPt2},
    // Accuracy.
    {"AccuracyError", "torch._dynamo.debug_utils", C::kAccuracy, "not-close",
     static_cast<uint16_t>(kPt2 | X::kRunTime)},
    // Dynamo itself.
    {"InternalTorchDynamoError", "torch._dynamo.exc", C::kDynamoInternal, "",
     static_cast<uint16_t>(kPt2 | X::kWraps)},
    {"ResumePrologueTracingError", "torch._dynamo.exc", C::kDynamoInternal,
     "other", kPt2},
    {"PackageError", "torch._dynamo.exc", C::kDynamoInternal, "other", kPt2},
    {"ValidationException", "torch.fx.experimental.validator",
     C::kDynamoInternal, "symbolic-shapes", kPt2},
    {"BisectValidationException", "torch.fx.experimental.validator",
     C::kDynamoInternal, "symbolic-shapes", kPt2},
    // Triton, outside Inductor's compile.
    {"CompilationError", "triton.compiler.errors", C::kTritonKernel,
     "triton-compile", X::kPt2},
    {"CompileTimeAssertionFailure", "triton.compiler.errors", C::kTritonKernel,
     "triton-compile", X::kPt2},
    {"OutOfResources", "triton.runtime.errors", C::kTritonKernel,
     "out-of-resources", X::kPt2},
    {"PTXASError", "triton.runtime.errors", C::kTritonKernel, "ptxas", X::kPt2},
    {"NoTritonConfigsError", "torch._inductor.runtime.triton_heuristics",
     C::kTritonKernel, "out-of-resources",
     static_cast<uint16_t>(X::kPt2 | X::kWraps)},
    // Device errors: which kind the message tells.
    {"AcceleratorError", "torch", C::kNone, "", 0},
    // Collateral.
    {"ChildFailedError", "torch.distributed.elastic.multiprocessing.errors",
     C::kNone, "", X::kLauncher},
    {"ProcessRaisedException", "torch.multiprocessing.spawn", C::kNone, "",
     static_cast<uint16_t>(X::kReraise | X::kEmbeds)},
    {"ProcessExitedException", "torch.multiprocessing.spawn", C::kNone, "",
     X::kLauncher},
    {"SignalException", "torch.distributed.elastic.multiprocessing.api",
     C::kNone, "", X::kLauncher},
    {"TorchExportError", "torch.onnx._internal.exporter._errors", C::kNone, "",
     X::kReraise},
    {"OnnxExporterError", "torch.onnx", C::kNone, "", X::kReraise},
    {"ExceptionGroup", "", C::kNone, "", X::kLauncher},
    {"BaseExceptionGroup", "", C::kNone, "", X::kLauncher},
    {"EngineDeadError", "", C::kNone, "", X::kLauncher},
};
PT2TRIAGE_WATCH_TABLE(kTable, row.name);

// Classes that a later version brought: their package tells who failed.
constexpr ExceptionClass kPackages[] = {
    {"", "torch._dynamo", C::kDynamoInternal, "", X::kPt2},
    {"", "torch._inductor", C::kBackendCompilerFailed, "", X::kPt2},
    {"", "torch._functorch", C::kBackendCompilerFailed, "aot-autograd",
     X::kPt2},
    {"", "torch._subclasses", C::kGraphBreak, "fake-tensor-error", X::kPt2},
    {"", "torch._export", C::kGraphBreak, "other", X::kPt2},
    {"", "torch.export", C::kGraphBreak, "other", X::kPt2},
    {"", "torch._library.fake_profile", C::kGraphBreak, "missing-fake-kernel",
     X::kPt2},
    {"", "torch.fx.experimental", C::kGraphBreak, "data-dependent-guard",
     X::kPt2},
};
PT2TRIAGE_WATCH_TABLE(kPackages, row.module);

// Dynamo steers itself with these; they are caught, and seen as context only.
constexpr ExceptionClass kSteering = {"", "torch._dynamo", C::kNone, "",
                                      X::kInternal};
bool IsSteering(std::string_view name) {
  return name.ends_with("RestartAnalysis") || name.starts_with("Observed") ||
         name == "SkipFrame" || name == "StepUnsupported";
}

// What programs say once another process of theirs has failed.
constexpr std::string_view kCollateralHeads[] = {
    "Engine core initialization failed",
    "Engine process failed to start",
    "Worker failed with error",
    "WorkerProc initialization failed",
    "Failed to unpickle serialized exception",
    "System error: Failed to unpickle serialized exception",
    "Executor failed",
    "cancelled",
};
PT2TRIAGE_WATCH_TABLE(kCollateralHeads, row);

// Name endings of exception classes; a word before a colon is else no type.
constexpr std::array<std::string_view, 16> kTypeEndings = {
    "Error",       "Exception", "Warning",   "Exit",
    "Interrupt",   "Failed",    "Resources", "Timeout",
    "Expired",     "Empty",     "NotFound",  "StopIteration",
    "Unsupported", "Exceeded",  "Hit",       "SymNode"};

}  // namespace

std::span<const ExceptionClass> ExceptionTable() { return kTable; }

bool IsCollateralMessage(std::string_view message) {
  for (const std::string_view& head : kCollateralHeads) {
    if (!message.starts_with(head)) continue;
    NoteRule(&head);
    return true;
  }
  return false;
}

bool IsTorchQualified(std::string_view type) {
  return type.starts_with("torch.") || type.starts_with("triton.");
}

const ExceptionClass* FindExceptionClass(std::string_view type) {
  size_t dot = type.rfind('.');
  std::string_view name =
      dot == std::string_view::npos ? type : type.substr(dot + 1);
  std::string_view module =
      dot == std::string_view::npos ? std::string_view() : type.substr(0, dot);
  for (const ExceptionClass& entry : kTable) {
    if (entry.name != name) continue;
    if (module.empty()) return &entry;
    std::string_view root = entry.module.substr(0, entry.module.find('.'));
    bool fits = entry.module.empty() || module == root ||
                module.starts_with(std::string(root) + ".") ||
                module.ends_with("triton_compat");
    return fits ? &entry : nullptr;
  }
  if (IsSteering(name)) return &kSteering;
  for (const ExceptionClass& package : kPackages) {
    if (module.starts_with(package.module) &&
        (module.size() == package.module.size() ||
         module[package.module.size()] == '.')) {
      return &package;
    }
  }
  return nullptr;
}

bool IsExceptionName(std::string_view type) {
  if (FindExceptionClass(type) != nullptr) return true;
  for (std::string_view ending : kTypeEndings) {
    if (type.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace pt2triage
