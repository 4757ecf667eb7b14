// Names that a remedy can speak of, and the texts of PyTorch that give them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pt2triage {

// `pattern` has one group, the name. `sample` is a text of torch and `name`
// what must come out of it, for the test.
struct NameRule {
  std::string_view hole;
  std::string_view pattern;
  std::string_view sample;
  std::string_view name;
};

std::span<const NameRule> NameRules();

// The name for `hole` that `text` gives by the first rule that fits.
std::optional<std::string> FindName(std::string_view hole,
                                    std::string_view text);

}  // namespace pt2triage
