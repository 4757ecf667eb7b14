// Which test a line belongs to, and how tests ended.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pt2triage/event.h"

namespace pt2triage {

// Follows the output of pytest and unittest. `test_id()` is the failing test
// whose section is being printed, empty outside of one. Verdicts (summary
// lines) become kTest events. Not thread-safe; O(line).
class TestTracker {
 public:
  using Sink = std::function<void(Event)>;
  explicit TestTracker(Sink sink) : sink_(std::move(sink)) {}

  // True if the line was the runner's own.
  bool OnLine(std::string_view text, const Evidence& at);
  const std::string& test_id() const { return test_id_; }
  // True between a runner's heading and its end: all lines may matter.
  // True in the section that shows what passed tests printed.
  bool in_passes() const { return in_passes_; }
  bool in_section() const { return in_section_; }

 private:
  bool OnUnittestHeading(std::string_view text);
  bool OnPytestHeading(std::string_view text);
  bool OnSummaryLine(std::string_view text, const Evidence& at);

  Sink sink_;
  std::string test_id_;
  bool in_section_ = false;
  bool in_passes_ = false;
  bool after_rule_ = false;
};

}  // namespace pt2triage
