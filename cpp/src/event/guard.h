// The vocabulary of guard failures.
#pragma once

#include <span>
#include <string_view>

#include "pt2triage/event.h"
#include "pt2triage/finding.h"

namespace pt2triage {

// Splits a printed reason into the guard itself and its tails (`# source`
// comment, `(HINT ...)`), and says what kind of guard it is.
GuardFailure ParseGuard(const GuardText& text);

// One row of the vocabulary table. `pattern` is a regular expression whose
// named groups (source, expected, actual) fill the GuardFailure.
struct GuardRule {
  std::string_view cause;
  std::string_view pattern;
  std::string_view sample;  // a guard as torch prints it, for the test
};
std::span<const GuardRule> GuardRules();

}  // namespace pt2triage
