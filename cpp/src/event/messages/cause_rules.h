// Which cause a text proves, within a category.
#pragma once

#include <span>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// `pattern` is matched anywhere in `Type: message` of an exception, or in the
// reason of a graph break. `sample` is such a text, for the test.
struct CauseRule {
  Category category;
  std::string_view cause;
  std::string_view pattern;
  std::string_view sample;
};

std::span<const CauseRule> CauseRules();

// The first rule of `category` that fits `text`; "other" if none does.
std::string_view CauseOf(Category category, std::string_view text);

}  // namespace pt2triage
