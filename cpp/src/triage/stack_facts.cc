#include "triage/stack_facts.h"

#include <algorithm>
#include <string>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "triage/frame_owner.h"

namespace pt2triage {
namespace {

// A row fits a torch frame whose path (below torch/) starts with `path` and
// whose function starts with `function`; an empty cell fits all.
struct FactRow {
  std::string_view path;
  std::string_view function;
  uint32_t facts;
};
constexpr FactRow kRows[] = {
    {"__init__.py", "compile", kCompileCall},
    // Dynamo, 2.2 to 2.13.
    {"_dynamo/eval_frame.py", "compile_wrapper", kCallsCompiled},
    {"_dynamo/eval_frame.py", "_fn", kCallsCompiled},
    {"_dynamo/eval_frame.py", "catch_errors", kCallsCompiled | kDynamoTrace},
    {"_dynamo/eval_frame.py", "check_if_dynamo_supported", kDynamoTrace},
    {"_dynamo/convert_frame.py", "", kDynamoTrace},
    {"_dynamo/symbolic_convert.py", "", kDynamoTrace},
    {"_dynamo/output_graph.py", "call_user_compiler",
     kDynamoTrace | kBackendCall},
    {"_dynamo/output_graph.py", "_call_user_compiler",
     kDynamoTrace | kBackendCall},
    {"_dynamo/output_graph.py", "", kDynamoTrace},
    {"_dynamo/variables/", "", kDynamoTrace},
    {"_dynamo/bytecode_transformation.py", "", kDynamoTrace},
    {"_dynamo/guards.py", "", kDynamoTrace | kGuardBuild},
    {"_guards.py", "create", kDynamoTrace | kGuardBuild},
    {"_dynamo/repro/after_aot.py", "debug_wrapper", kAotCompile},
    {"_dynamo/repro/after_aot.py", "deferred_for_real_inputs", kRunsCompiled},
    {"_dynamo/repro/after_aot.py", "inner_debug_fn", kRunsCompiled},
    {"_dynamo/debug_utils.py", "same_two_models", kComparison},
    {"_dynamo/repro/after_dynamo.py", "", kBackendCall},
    {"_dynamo/external_utils.py", "", kCallsCompiled},
    // AOTAutograd.
    {"_functorch/aot_autograd.py", "forward", kRunsCompiled},
    {"_functorch/aot_autograd.py", "aot_module_simplified", kAotCompile},
    {"_functorch/aot_autograd.py", "create_aot_dispatcher_function",
     kAotCompile},
    {"_functorch/aot_autograd.py", "_create_aot_dispatcher_function",
     kAotCompile},
    {"_functorch/aot_autograd.py", "aot_export", kAotCompile},
    {"_functorch/_aot_autograd/runtime_wrappers.py", "", kRunsCompiled},
    {"_functorch/_aot_autograd/subclass_codegen.py", "", kRunsCompiled},
    {"_functorch/_aot_autograd/utils.py", "", kRunsCompiled},
    {"_functorch/_aot_autograd/jit_compile_runtime_wrappers.py", "backward",
     kRunsCompiled | kBackward},
    {"_functorch/_aot_autograd/runtime_wrappers.py", "backward",
     kRunsCompiled | kBackward},
    {"_functorch/_aot_autograd/runtime_wrappers.py", "impl_fn",
     kRunsCompiled | kBackward},
    {"_functorch/_aot_autograd/runtime_wrappers.py", "_backward_impl",
     kRunsCompiled | kBackward},
    {"_functorch/_aot_autograd/jit_compile_runtime_wrappers.py", "aot_dispatch",
     kAotCompile},
    {"_functorch/_aot_autograd/graph_compile.py", "", kAotCompile},
    {"_functorch/_aot_autograd/graph_capture.py", "", kAotCompile},
    {"_functorch/_aot_autograd/dispatch_and_compile_graph.py", "", kAotCompile},
    {"_functorch/_aot_autograd/traced_function_transforms.py", "", kAotCompile},
    {"_functorch/_aot_autograd/collect_metadata_analysis.py", "", kAotCompile},
    {"_functorch/partitioners.py", "", kAotCompile},
    // Inductor at compile time.
    {"_inductor/compile_fx.py", "run", kRunsCompiled},
    {"_inductor/compile_fx.py", "cudagraphify", kRunsCompiled},
    {"_inductor/compile_fx.py", "", kInductorCompile},
    {"_inductor/graph.py", "compile_to_module", kInductorCompile},
    {"_inductor/graph.py", "_compile_to_module", kInductorCompile},
    {"_inductor/graph.py", "codegen", kInductorCompile | kCodegen},
    {"_inductor/graph.py", "", kInductorCompile | kLowering},
    {"_inductor/lowering.py", "", kInductorCompile | kLowering},
    {"_inductor/kernel/", "", kInductorCompile | kLowering},
    {"_inductor/decomposition.py", "", kInductorCompile | kFxPass},
    {"_inductor/scheduler.py", "codegen", kInductorCompile | kCodegen},
    {"_inductor/scheduler.py", "", kInductorCompile | kScheduling},
    {"_inductor/dependencies.py", "", kInductorCompile | kScheduling},
    {"_inductor/memory.py", "", kInductorCompile | kScheduling},
    {"_inductor/comms.py", "", kInductorCompile | kScheduling},
    {"_inductor/codegen/", "", kInductorCompile | kCodegen},
    {"_inductor/ir.py", "", kInductorCompile},
    {"_inductor/async_compile.py", "", kInductorCompile},
    {"_inductor/compile_worker/subproc_pool.py", "",
     kInductorCompile | kSubprocess},
    {"_inductor/fx_passes/", "", kInductorCompile | kFxPass},
    {"_inductor/pattern_matcher.py", "", kInductorCompile | kFxPass},
    {"_inductor/freezing.py", "", kInductorCompile | kFxPass},
    {"_inductor/constant_folding.py", "", kInductorCompile | kFxPass},
    {"_inductor/select_algorithm.py", "", kInductorCompile | kAutotune},
    {"_inductor/autotune_process.py", "", kInductorCompile | kAutotune},
    // Inductor at run time.
    {"_inductor/output_code.py", "__call__", kRunsCompiled},
    {"_inductor/codecache.py", "__call__", kRunsCompiled},
    {"_inductor/utils.py", "run", kRunsCompiled},
    {"_inductor/utils.py", "copy_misaligned_inputs", kRunsCompiled},
    {"_inductor/cudagraph_trees.py", "", kRunsCompiled | kCudaGraphs},
    {"_inductor/runtime/triton_heuristics.py", "run", kRunsCompiled},
    {"_inductor/triton_heuristics.py", "run", kRunsCompiled},
    {"_inductor/runtime/triton_heuristics.py", "precompile", kInductorCompile},
    {"_inductor/runtime/triton_heuristics.py", "_precompile_config",
     kInductorCompile},
    // Export.
    {"export/_trace.py", "_strict_export", kExport | kExportStrict},
    {"export/_trace.py", "_export_to_torch_ir", kExport | kExportStrict},
    {"export/_trace.py", "_non_strict_export", kExport | kExportNonStrict},
    {"export/_trace.py", "_produce_guards_callback",
     kExport | kExportNonStrict},
    {"_export/non_strict_utils.py", "", kExport | kExportNonStrict},
    {"export/_draft_export.py", "", kExport | kExportDraft},
    {"export/", "", kExport},
    {"_export/", "capture_pre_autograd_graph", kExport | kExportStrict},
    {"_export/__init__.py", "_export_to_torch_ir", kExport | kExportStrict},
    {"_export/__init__.py", "_export_non_strict", kExport | kExportNonStrict},
    {"_export/__init__.py", "export", kExport},
    {"onnx/_internal/exporter/_capture_strategies.py", "", kExport},
    {"onnx/_internal/fx/dynamo_graph_extractor.py", "",
     kExport | kExportStrict},
    // AOTInductor.
    {"_inductor/__init__.py", "aot", kAotInductor},
    {"_inductor/package/", "", kAotInductor | kRunsCompiled},
    {"_export/__init__.py", "aot_compile", kAotInductor},
    {"_export/__init__.py", "optimized", kAotInductor | kRunsCompiled},
    {"_inductor/compile_fx.py", "compile_fx_aot", kAotInductor},
    // What failed inside.
    {"fx/experimental/symbolic_shapes.py", "", kSymbolicShapes},
    {"_subclasses/fake_tensor.py", "", kFakeTensor},
    {"_subclasses/fake_impls.py", "", kFakeTensor},
    {"_dynamo/utils.py", "run_node", kDynamoTrace | kFakeTensor},
    {"_dynamo/utils.py", "get_fake_value", kDynamoTrace | kFakeTensor},
};

PT2TRIAGE_WATCH_TABLE(kRows,
                      std::string(row.path) + " " + std::string(row.function));

// A line of code that proves what its call does, whoever owns the frame.
struct CodeRow {
  std::string_view code;
  uint32_t facts;
};
constexpr CodeRow kCodeRows[] = {
    {"torch._dynamo.export(", kExport | kExportStrict},
    {"result_traced = opt_f(", kExport | kExportStrict},  // inside it
};

PT2TRIAGE_WATCH_TABLE(kCodeRows, row.code);

// A frame that merely passes control on does not prove a compile.
constexpr uint32_t kCompiles =
    kDynamoTrace | kBackendCall | kInductorCompile | kAotCompile;

uint32_t TorchFacts(std::string_view path, std::string_view function) {
  uint32_t facts = 0;
  for (const FactRow& row : kRows) {
    if (path.starts_with(row.path) && function.starts_with(row.function)) {
      // A row with a function is more precise than one without.
      if (row.function.empty() && facts != 0) continue;
      NoteRule(&row);
      facts |= row.facts;
    }
  }
  return facts;
}

// A frame of Dynamo's wrappers that raises an error of its own, where others
// pass on what the compiled function or the compiler raised (`raise e.with_…`).
bool RaisesItself(std::string_view path, std::string_view code) {
  return path == "_dynamo/eval_frame.py" && Consume(&code, "raise ") &&
         !code.empty() && IsUpper(code.front());
}

std::string_view BackendModule(std::string_view path) {
  constexpr std::string_view kFolder = "_dynamo/backends/";
  if (!Consume(&path, kFolder)) return {};
  std::string_view name = path.substr(0, path.find('.'));
  bool shared = name == "common" || name == "debugging" || name == "registry" ||
                name == "__init__" || name == "distributed";
  return shared ? std::string_view() : name;
}

}  // namespace

void AddStackFacts(const std::vector<StackFrame>& frames, StackFacts* facts) {
  constexpr uint32_t kStages = kLowering | kScheduling | kCodegen | kFxPass |
                               kAotCompile | kSubprocess | kTritonStage;
  uint32_t innermost = 0;
  uint32_t stage = 0;
  for (const StackFrame& frame : frames) {
    std::string file = frame.file;
    std::replace(file.begin(), file.end(), '\\', '/');
    FrameOwner owner = OwnerOf(file);
    for (const CodeRow& row : kCodeRows) {
      if (!Contains(frame.code, row.code)) continue;
      NoteRule(&row);
      facts->bits |= row.facts;
    }
    if (owner == FrameOwner::kTorch) {
      std::string_view path = TorchPath(file);
      uint32_t bits = TorchFacts(path, frame.function);
      if (&frame == &frames.back() && RaisesItself(path, frame.code)) {
        bits |= kDynamoTrace;
      }
      facts->bits |= bits;
      innermost = bits;
      if (bits & kStages) stage = bits & kStages;
      std::string_view backend = BackendModule(path);
      if (!backend.empty()) facts->backend_module.assign(backend);
    } else if (owner == FrameOwner::kTriton) {
      facts->bits |= kTriton;
      stage = kTritonStage;
    } else if (owner == FrameOwner::kGenerated && file != "<string>") {
      facts->bits |= kGeneratedCode;
    } else if (owner == FrameOwner::kUser || owner == FrameOwner::kPackage) {
      if (Contains(frame.code, "torch.compile(") ||
          frame.code == "@torch.compile") {
        facts->bits |= kCompileCall;
      }
    }
  }
  // The root cause is printed first.
  if (facts->innermost_torch == 0) facts->innermost_torch = innermost;
  if (facts->stage == 0) facts->stage = stage;
}

CompileMode ModeOf(const StackFacts& facts) {
  if (facts.Has(kExportDraft)) return CompileMode::kExportDraft;
  if (facts.Has(kExportStrict)) return CompileMode::kExportStrict;
  if (facts.Has(kExportNonStrict)) return CompileMode::kExportNonStrict;
  if (facts.Has(kAotInductor)) return CompileMode::kAotInductor;
  if (facts.Has(kExport)) return CompileMode::kUnknown;
  bool compile = facts.Has(kCallsCompiled | kBackendCall | kCompileCall |
                           kBackward | kRunsCompiled);
  return compile ? CompileMode::kCompile : CompileMode::kUnknown;
}

CompileMode ModeOfHeading(std::string_view heading) {
  // torch/onnx/_internal/exporter/_capture_strategies.py
  if (Contains(heading, "'TorchExportNonStrictStrategy'")) {
    return CompileMode::kExportNonStrict;
  }
  if (Contains(heading, "'TorchExportDraftExportStrategy'")) {
    return CompileMode::kExportDraft;
  }
  if (Contains(heading, "'TorchExportStrategy'") ||
      Contains(heading, "'TorchExportStrictStrategy'")) {
    return CompileMode::kExportStrict;
  }
  return CompileMode::kUnknown;
}

Phase PhaseOf(const StackFacts& facts) {
  if (facts.Has(kCompiles | kExportStrict | kExportNonStrict | kExportDraft)) {
    return Phase::kTrace;
  }
  if (facts.Has(kRunsCompiled | kGeneratedCode)) return Phase::kRun;
  return facts.Has(kExport) ? Phase::kTrace : Phase::kUnknown;
}

const StackFrame* InnermostForeignFrame(const std::vector<StackFrame>& frames) {
  for (auto it = frames.rbegin(); it != frames.rend(); ++it) {
    FrameOwner owner = OwnerOf(it->file);
    if (owner == FrameOwner::kUser || owner == FrameOwner::kPackage) {
      return &*it;
    }
  }
  return nullptr;
}

const StackFrame* InnermostUserFrame(const std::vector<StackFrame>& frames,
                                     bool allow_package) {
  for (bool package : {false, true}) {
    if (package && !allow_package) break;
    for (auto it = frames.rbegin(); it != frames.rend(); ++it) {
      FrameOwner owner = OwnerOf(it->file);
      if (owner == FrameOwner::kUser ||
          (package && owner == FrameOwner::kPackage)) {
        return &*it;
      }
    }
  }
  return nullptr;
}

}  // namespace pt2triage
