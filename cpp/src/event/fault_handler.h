// Crashes: faulthandler dumps, uncaught C++ exceptions, signals.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "event/traceback.h"
#include "pt2triage/event.h"

namespace pt2triage {

// Reads one writer's crash reports line by line. A faulthandler dump gives one
// event with the frames of the current thread, outermost first; threads that
// merely waited are not kept. What a program that we do not know puts before
// the first line is taken off the others, too. `terminate called ...` takes its
// `what()` from the next lines. Bounded; not thread-safe.
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
  // Takes `prefix` for what stands before each line of the report.
  void Begin(const TextLine& line, std::string_view signal,
             std::string_view prefix = {});

  Sink sink_;
  std::optional<Event> open_;
  std::string prefix_;
  bool current_thread_ = false;
  bool dump_ = false;
  int lines_ = 0;
};

}  // namespace pt2triage
