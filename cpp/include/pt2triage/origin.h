// Where in a CI run something was written.
#pragma once

#include <string>

namespace pt2triage {

// Empty: not known.
struct Origin {
  std::string job;
  std::string step;
  std::string attempt;

  bool operator==(const Origin&) const = default;
};

}  // namespace pt2triage
