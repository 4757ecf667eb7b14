// What a stack proves: tracing or running, which front end, which backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/event.h"
#include "pt2triage/finding.h"

namespace pt2triage {

// Facts that single frames prove, as bits.
enum StackFact : uint32_t {
  kCallsCompiled = 1u << 0,  // Dynamo's call wrapper
  kDynamoTrace = 1u << 1,    // Dynamo is compiling a frame
  kBackendCall = 1u << 2,    // Dynamo called the backend
  kInductorCompile = 1u << 3,
  kAotCompile = 1u << 4,
  kRunsCompiled = 1u << 5,  // run-time wrappers of AOTAutograd / Inductor
  kGeneratedCode = 1u << 6,
  kBackward = 1u << 7,  // a compiled backward is run or compiled
  kExportStrict = 1u << 8,
  kExportNonStrict = 1u << 9,
  kExportDraft = 1u << 10,
  kExport = 1u << 11,  // export, mode not told
  kAotInductor = 1u << 12,
  kTriton = 1u << 13,
  kCompileCall = 1u << 14,  // a frame's own line calls torch.compile
  kComparison = 1u << 15,   // compares compiled with eager results
  kGuardBuild = 1u << 16,
  kSymbolicShapes = 1u << 17,
  kCudaGraphs = 1u << 18,
  kAutotune = 1u << 19,
  kFakeTensor = 1u << 20,
  kLowering = 1u << 21,  // the stages of a backend's compile
  kScheduling = 1u << 22,
  kCodegen = 1u << 23,
  kFxPass = 1u << 24,
  kSubprocess = 1u << 26,
  kTritonStage = 1u << 27,
  kListedCompile = 1u << 25,  // the test's source calls torch.compile
};

struct StackFacts {
  uint32_t bits = 0;
  // Of the root cause: facts of the innermost torch frame, and of the innermost
  // one that tells a stage of the compile.
  uint32_t innermost_torch = 0;
  uint32_t stage = 0;
  std::string backend_module;  // NAME of torch/_dynamo/backends/NAME.py

  bool Has(uint32_t any) const { return (bits & any) != 0; }
};

// Adds what `frames` prove. The rows are in the table of stack_facts.cc.
void AddStackFacts(const std::vector<StackFrame>& frames, StackFacts* facts);

CompileMode ModeOf(const StackFacts& facts);
// The attempt that a heading of torch.onnx's report names.
CompileMode ModeOfHeading(std::string_view heading);
Phase PhaseOf(const StackFacts& facts);

// The innermost frame that is neither torch's nor Python's own; null if none.
const StackFrame* InnermostForeignFrame(const std::vector<StackFrame>& frames);

// The innermost frame of the user's own code, else of an installed package
// other than torch; nullptr if there is neither. `allow_package` false asks
// for the former only.
const StackFrame* InnermostUserFrame(const std::vector<StackFrame>& frames,
                                     bool allow_package);

}  // namespace pt2triage
