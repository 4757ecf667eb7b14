// Events from the records of a structured trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "event/trace_process.h"
#include "pt2triage/event.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// Makes of a trace the events that the text log of the same run would give,
// as far as the trace holds them (docs/traces.md says what it does not). An
// event can come later than its record, and events of one process in another
// order than their records; sort by evidence where order matters. Owns a
// TraceProcess per process, at most kMaxProcesses; their names of functions
// take at most kMaxNameBytes, about, then those of the process with the most
// are forgotten. Not thread-safe. Cost: only the few kinds of records that tell
// of failures are looked at.
class TraceEventBuilder {
 public:
  static constexpr size_t kMaxProcesses = 256;
  static constexpr size_t kMaxNameBytes = size_t{8} << 20;

  explicit TraceEventBuilder(std::function<void(Event)> sink)
      : sink_(std::move(sink)) {}
  TraceEventBuilder(const TraceEventBuilder&) = delete;  // processes point here
  TraceEventBuilder& operator=(const TraceEventBuilder&) = delete;

  void OnRecord(const TraceRecord& record);
  // Hands out what waited for more records.
  void Finish();
  size_t name_bytes() const { return name_bytes_; }

 private:
  void LimitNames();

  const std::function<void(Event)> sink_;
  size_t name_bytes_ = 0;  // of all processes
  JsonParser parser_;
  std::map<uint32_t, std::unique_ptr<TraceProcess>> processes_;  // by session
};

}  // namespace pt2triage
