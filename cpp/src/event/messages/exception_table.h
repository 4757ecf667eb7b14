// The exception classes that PyTorch 2.2 to 2.13 raises, and the collateral
// that launchers and frameworks print around them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// What one class says about a failure.
struct ExceptionClass {
  std::string_view name;    // last component, unique in the table
  std::string_view module;  // where torch defines it; empty: not torch's
  Category category;        // kNone: decided by frames and message
  std::string_view cause;   // within the category, empty: by message
  uint16_t flags;

  static constexpr uint16_t kPt2 = 1;         // can be a finding's `exception`
  static constexpr uint16_t kWraps = 2;       // message is `Type: text`
  static constexpr uint16_t kEmbeds = 4;      // message holds a traceback
  static constexpr uint16_t kLauncher = 8;    // sums up another process
  static constexpr uint16_t kReraise = 16;    // wraps a printed PT2 cause
  static constexpr uint16_t kBareOk = 32;     // known without its module
  static constexpr uint16_t kRunTime = 64;    // raised while compiled code runs
  static constexpr uint16_t kInternal = 128;  // control flow, never a failure
};

std::span<const ExceptionClass> ExceptionTable();

// By the last component of `type`, however qualified; nullptr if unknown or if
// the printed module contradicts the table's (a user's class of that name).
const ExceptionClass* FindExceptionClass(std::string_view type);

// True for what a framework raises in one process when another one failed:
// `Engine core initialization failed. See root cause above.`
bool IsCollateralMessage(std::string_view message);

// True for a dotted name under torch's own packages.
bool IsTorchQualified(std::string_view type);

// True for a class that we know, or one whose name ends as those of exceptions
// do.
bool IsExceptionName(std::string_view type);

}  // namespace pt2triage
