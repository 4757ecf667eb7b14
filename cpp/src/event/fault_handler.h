// Crashes: faulthandler dumps, uncaught C++ exceptions, signals.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "event/traceback.h"
#include "pt2triage/event.h"

namespace pt2triage {

// Reads one writer's crash reports line by line. A faulthandler dump gives one
// event with the frames of the current thread, outermost first; threads that
// merely waited are not kept. `terminate called ...` takes its `what()` from
// the next lines. Bounded; not thread-safe.
class CrashParser {
 public:
  using Sink = std::function<void(Event)>;
  explicit CrashParser(Sink sink) : sink_(std::move(sink)) {}

  // True if the line belongs to a crash report.
  bool OnLine(const TextLine& line);
  void Finish();
  bool active() const { return open_.has_value(); }

 private:
  bool Start(const TextLine& line);
  void Begin(const TextLine& line, std::string_view signal);

  Sink sink_;
  std::optional<Event> open_;
  bool current_thread_ = false;
  bool dump_ = false;
  int lines_ = 0;
};

}  // namespace pt2triage
