// A recompile limit's warning as other loggers than torch's print it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "pt2triage/event.h"

namespace pt2triage {

// pytest, logging.basicConfig and others put a prefix of their own before the
// first line of a record and none before the others:
//   WARNING  torch._dynamo.convert_frame:convert_frame.py:762 torch._dynamo hit
//   config.cache_size_limit (8)
//      function: 'forward' (/a/net.py:33)
//      last reason: L['n'] == 0
// The first line alone proves nothing (it may be quoted source). Not
// thread-safe; O(line).
class LimitLines {
 public:
  using Sink = std::function<void(Event)>;
  explicit LimitLines(Sink sink) : sink_(std::move(sink)) {}

  // True if the line belongs to the warning.
  bool OnLine(std::string_view text, const Evidence& at);
  void Finish();
  bool active() const { return !text_.empty(); }

 private:
  Sink sink_;
  std::string text_;
  Evidence evidence_;
};

}  // namespace pt2triage
