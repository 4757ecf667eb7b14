#include "triage/run_time_rules.h"

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/messages/cause_rules.h"
#include "triage/frame_owner.h"

namespace pt2triage {
namespace {

// Device errors that any later call can report, so they say nothing of who
// calls.
struct DeviceText {
  std::string_view text;
  std::string_view cause;
};
constexpr DeviceText kDeviceTexts[] = {
    {"illegal memory access", "illegal-memory-access"},
    {"unspecified launch failure", "other"},
    {"misaligned address", "other"},
};
PT2TRIAGE_WATCH_TABLE(kDeviceTexts, row.text);

// Built-in exception classes that torch raises for PT2, by how the text begins.
struct MessageRule {
  std::string_view head;
  Category category;
  std::string_view cause;
};
constexpr MessageRule kMessageRules[] = {
    // _dynamo/convert_frame.py: set_stance("fail_on_recompile")
    {"Detected recompile when torch.compile stance is",
     Category::kRecompilation, "other"},
    // _dynamo/eval_frame.py, 2.13
    {"torch.compile with fullgraph=True found no compiled frames",
     Category::kGraphBreak, "skipped-function"},
    // onnx/_internal/exporter/_core.py; its cause is not printed
    {"Failed to export the model with torch.export", Category::kGraphBreak,
     "other"},
    // _dynamo/utils.py
    {"Could not generate fp64 outputs", Category::kAccuracy,
     "check-did-not-run"},
};
PT2TRIAGE_WATCH_TABLE(kMessageRules, row.head);

// What torch.testing says of two results that differ.
std::string_view ComparisonCause(std::string_view text) {
  if (Contains(text, "not close")) return "not-close";
  if (Contains(text, "The values for attribute 'dtype' do not match")) {
    return "dtype-mismatch";
  }
  return {};
}

bool IsOutOfMemory(const ChainMember& member) {
  return AfterLast(member.type, '.') == "OutOfMemoryError" ||
         Contains(member.message, "CUDA out of memory") ||
         Contains(member.message, "HIP out of memory");
}

// Inductor's checks of its own buffers, by the line of generated code.
bool IsNanAssert(const Event& event) {
  for (const ExceptionBlock& block : event.blocks) {
    if (block.frames.empty()) continue;
    const StackFrame& last = block.frames.back();
    if (OwnerOf(last.file) == FrameOwner::kGenerated &&
        last.code.starts_with("assert not ") &&
        (Contains(last.code, ".isnan()") || Contains(last.code, ".isinf()"))) {
      return true;
    }
  }
  return false;
}

// The innermost frame that is not of the standard library.
FrameOwner RaisedBy(const Event& event) {
  FrameOwner owner = FrameOwner::kStdlib;
  for (const ExceptionBlock& block : event.blocks) {
    for (auto it = block.frames.rbegin(); it != block.frames.rend(); ++it) {
      owner = OwnerOf(it->file);
      if (owner != FrameOwner::kStdlib) return owner;
    }
  }
  return owner;
}

RunTimeVerdict JudgeCompile(const StackFacts& facts, FrameOwner raised_by,
                            std::string_view text) {
  if (facts.Has(kBackendCall | kInductorCompile | kAotCompile)) {
    RunTimeVerdict verdict{Category::kBackendCompilerFailed, ""};
    verdict.cause = std::string(CauseOf(verdict.category, text));
    if (verdict.cause == "other") {
      verdict.cause = facts.Has(kInductorCompile) ? "codegen"
                      : facts.Has(kAotCompile)    ? "aot-autograd"
                                                  : "custom-backend";
    }
    return verdict;
  }
  if (facts.Has(kDynamoTrace) && raised_by == FrameOwner::kTorch) {
    RunTimeVerdict verdict{Category::kDynamoInternal, ""};
    verdict.cause = facts.Has(kGuardBuild) ? "guard-creation"
                    : facts.Has(kSymbolicShapes)
                        ? "symbolic-shapes"
                        : std::string(CauseOf(verdict.category, text));
    return verdict;
  }
  bool exporting = facts.Has(kExportStrict | kExportNonStrict | kExportDraft);
  if (exporting && raised_by == FrameOwner::kTorch) {  // capture failed
    RunTimeVerdict verdict{Category::kGraphBreak, ""};
    verdict.cause = std::string(CauseOf(verdict.category, text));
    if (verdict.cause == "other" && facts.Has(kFakeTensor)) {
      verdict.cause = "fake-tensor-error";
    }
    return verdict;
  }
  return {};
}

RunTimeVerdict JudgeDevice(const ChainMember& member, const StackFacts& facts,
                           const SourceContext& context) {
  if (Contains(member.message, "device-side assert triggered") ||
      (context.generated_assert && LostDevice(member.message))) {
    bool generated = context.generated_assert ||
                     (!context.aten_assert && facts.Has(kGeneratedCode));
    if (generated) {
      return {Category::kTritonKernel,
              context.bounds_assert ? "index-out-of-bounds" : "device-assert"};
    }
    return {Category::kRuntimeCrash, "other"};
  }
  for (const DeviceText& device : kDeviceTexts) {
    if (Contains(member.message, device.text) &&
        (Contains(member.message, "error") ||
         Contains(member.message, "Error"))) {
      NoteRule(&device);
      return {Category::kRuntimeCrash, std::string(device.cause)};
    }
  }
  return {};
}

// What CUDA, HIP and Level Zero say once a kernel's assertion lost the device.
constexpr std::string_view kLostDevice[] = {
    "device-side assert triggered", "unspecified launch failure",
    "UR_RESULT_ERROR_DEVICE_LOST",  "level_zero backend failed with error",
    "API call failed at",  // AOTInductor's runtime
};
PT2TRIAGE_WATCH_TABLE(kLostDevice, row);

}  // namespace

bool LostDevice(std::string_view message) {
  for (const std::string_view& text : kLostDevice) {
    if (!Contains(message, text)) continue;
    NoteRule(&text);
    return true;
  }
  return false;
}

RunTimeVerdict JudgeRunTime(const Event& event,
                            const std::vector<ChainMember>& chain,
                            const StackFacts& facts,
                            const SourceContext& context) {
  const ChainMember& member = chain.front();
  std::string text = member.type + ": " + member.message;
  if (member.type == "KeyboardInterrupt" || member.type == "SystemExit") {
    return {};
  }
  bool compiling = PhaseOf(facts) == Phase::kTrace;
  bool running = facts.Has(kGeneratedCode) && !compiling;
  if (IsOutOfMemory(member)) {
    if (compiling && facts.Has(kAutotune)) {
      return {Category::kBackendCompilerFailed, "autotuning"};
    }
    if (!compiling && !running) return {};
    return {Category::kRuntimeCrash, "out-of-memory-during-compile"};
  }
  for (const MessageRule& rule : kMessageRules) {
    if (member.message.starts_with(rule.head)) {
      NoteRule(&rule);
      return {rule.category, std::string(rule.cause)};
    }
  }
  if (!compiling && member.message.starts_with("expected size ") &&
      Contains(FirstLine(member.message), ", stride ")) {
    return {Category::kRuntimeCrash, "size-stride-assert"};
  }
  RunTimeVerdict device = JudgeDevice(member, facts, context);
  if (device.category != Category::kOther) return device;
  if (member.message.starts_with("Triton Error [") && !compiling) {
    return {Category::kTritonKernel,
            std::string(CauseOf(Category::kTritonKernel, text))};
  }
  if (IsNanAssert(event)) return {Category::kAccuracy, "nan-assert"};
  if (CauseOf(Category::kRuntimeCrash, text) == "cudagraph-overwrite") {
    return {Category::kRuntimeCrash, "cudagraph-overwrite"};
  }
  FrameOwner raised_by = RaisedBy(event);
  if (compiling) return JudgeCompile(facts, raised_by, text);
  if (running || facts.Has(kAotInductor)) {
    std::string_view cause = CauseOf(Category::kTritonKernel, text);
    if (cause != "other") return {Category::kTritonKernel, std::string(cause)};
    if (raised_by == FrameOwner::kUser) return {};  // a custom op's own code
    return {Category::kRuntimeCrash,
            std::string(CauseOf(Category::kRuntimeCrash, text))};
  }
  if (Contains(text, "index out of bounds: ") &&
      facts.Has(kRunsCompiled | kCallsCompiled)) {
    return {Category::kTritonKernel, "index-out-of-bounds"};
  }
  if (facts.Has(kComparison | kCompileCall | kListedCompile)) {
    std::string_view cause = ComparisonCause(text);
    if (!cause.empty()) return {Category::kAccuracy, std::string(cause)};
  }
  std::string_view cause = CauseOf(Category::kRuntimeCrash, text);
  bool in_wrappers = cause != "other" || (facts.innermost_torch &
                                          (kCudaGraphs | kRunsCompiled)) != 0;
  if (facts.Has(kRunsCompiled) && raised_by == FrameOwner::kTorch &&
      in_wrappers) {
    return {Category::kRuntimeCrash, std::string(cause)};
  }
  return {};
}

}  // namespace pt2triage
