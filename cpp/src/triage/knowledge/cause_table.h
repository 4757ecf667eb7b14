// Every cause, once: what it is, what proves it, and what to do about it.
#pragma once

#include <span>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// `actions` are the ways to say the remedy, the most precise first. A hole such
// as {where} is filled from the finding (remedies.cc lists them); an action
// with a hole that cannot be filled is passed over, so the last one has only
// holes that always can. A step is one sentence or two; steps are parted by
// '\n'.
struct CauseInfo {
  Category category;
  std::string_view cause;
  std::string_view about;
  std::string_view proof;
  std::span<const std::string_view> actions;
};

std::span<const CauseInfo> CauseTable();

// Null for a pair that is not in the table.
const CauseInfo* FindCause(Category category, std::string_view cause);

}  // namespace pt2triage
