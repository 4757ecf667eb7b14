// The words of the JSON contract for the enums of finding.h.
#include <array>
#include <cstddef>

#include "pt2triage/finding.h"

namespace pt2triage {
namespace {

// Index = enum value; order as declared in finding.h.
constexpr std::array<std::string_view, 9> kCategories = {
    "",         "graph_break",     "backend_compiler_failed", "recompilation",
    "accuracy", "dynamo_internal", "runtime_crash",           "triton_kernel",
    "other",
};
constexpr std::array<std::string_view, 2> kSeverities = {"warning", "error"};
constexpr std::array<std::string_view, 3> kPhases = {"", "trace", "run"};
constexpr std::array<std::string_view, 6> kCompileModes = {
    "",
    "compile",
    "export_strict",
    "export_non_strict",
    "export_draft",
    "aot_inductor",
};
constexpr std::array<std::string_view, 6> kSourceKinds = {
    "empty", "text", "torch_logs", "torch_trace", "debug_folder", "binary",
};

static_assert(kCategories.size() == static_cast<size_t>(Category::kOther) + 1);
static_assert(kSeverities.size() == static_cast<size_t>(Severity::kError) + 1);
static_assert(kPhases.size() == static_cast<size_t>(Phase::kRun) + 1);
static_assert(kCompileModes.size() ==
              static_cast<size_t>(CompileMode::kAotInductor) + 1);
static_assert(kSourceKinds.size() ==
              static_cast<size_t>(SourceKind::kBinary) + 1);

}  // namespace

std::string_view CategoryName(Category category) {
  return kCategories[static_cast<size_t>(category)];
}

std::string_view SeverityName(Severity severity) {
  return kSeverities[static_cast<size_t>(severity)];
}

std::string_view PhaseName(Phase phase) {
  return kPhases[static_cast<size_t>(phase)];
}

std::string_view CompileModeName(CompileMode mode) {
  return kCompileModes[static_cast<size_t>(mode)];
}

std::string_view SourceKindName(SourceKind kind) {
  return kSourceKinds[static_cast<size_t>(kind)];
}

Category CategoryFromName(std::string_view name) {
  for (size_t i = 1; i < kCategories.size(); ++i) {
    if (kCategories[i] == name) return static_cast<Category>(i);
  }
  return Category::kNone;
}

}  // namespace pt2triage
