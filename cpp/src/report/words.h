// The words of the enums of finding.h and trace.h, by overload.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "pt2triage/finding.h"
#include "pt2triage/trace.h"

namespace pt2triage {

template <typename T>
concept HasWords = std::is_enum_v<T>;

// The word of a value; empty where it means unknown.
inline std::string_view WordOf(Category value) { return CategoryName(value); }
inline std::string_view WordOf(Severity value) { return SeverityName(value); }
inline std::string_view WordOf(Phase value) { return PhaseName(value); }
inline std::string_view WordOf(CompileMode value) {
  return CompileModeName(value);
}
inline std::string_view WordOf(SourceKind value) {
  return SourceKindName(value);
}

constexpr std::string_view WordOf(CompileOutcome value) {
  switch (value) {
    case CompileOutcome::kOk:
      return "ok";
    case CompileOutcome::kFailed:
      return "failed";
    case CompileOutcome::kEmpty:
      return "empty";
    case CompileOutcome::kUnfinished:
      break;
  }
  return "unfinished";
}

// The last value of each enum; the first is 0.
constexpr CompileOutcome LastOf(CompileOutcome) {
  return CompileOutcome::kUnfinished;
}
constexpr Category LastOf(Category) { return Category::kOther; }
constexpr Severity LastOf(Severity) { return Severity::kError; }
constexpr Phase LastOf(Phase) { return Phase::kRun; }
constexpr CompileMode LastOf(CompileMode) { return CompileMode::kAotInductor; }
constexpr SourceKind LastOf(SourceKind) { return SourceKind::kBinary; }

}  // namespace pt2triage
