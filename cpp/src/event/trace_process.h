// What one process did, put together from its trace records.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "event/trace_metrics.h"
#include "pt2triage/event.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// Turns the records of one process into events. A trace states a failure in
// pieces (a traceback, metrics, perhaps a graph break that shows that it was
// survived), and whether it was raised is often shown only by what comes
// next, so a failure waits until the pieces are there:
//
//   - config.suppress_errors in its metrics: survived, a skipped frame;
//   - a graph break of the same compile and attempt, from a class that falls
//     back to eager: survived, the graph break is the event;
//   - else: raised.
//
// Before 2.6 the records for breaks and errors do not exist. There the metrics
// stand in: restart reasons are graph breaks, cache entries that did not fit
// are recompiles, and an Unsupported after which the process went on compiling
// was survived.
//
// Keeps a name per compiled frame and a few recent ids; owns all of it. Borrows
// the sink. Not thread-safe.
class TraceProcess {
 public:
  static constexpr size_t kMaxWaiting = 64;

  explicit TraceProcess(const std::function<void(Event)>* sink)
      : sink_(*sink) {}

  void OnRecord(const TraceRecord& record, JsonParser* parser);
  // What the names of frames cost; all of them can be forgotten, after which
  // recompiles of those frames name no function.
  size_t name_bytes() const { return name_bytes_; }
  void ForgetNames();
  // The process wrote no more. Hands out what waits.
  void Finish();

 private:
  // The last kSize compile ids of some kind of record.
  class RecentIds {
   public:
    void Add(const CompileId& id) { ids_[next_++ % kSize] = id; }
    bool Contains(const CompileId& id) const;

   private:
    static constexpr size_t kSize = 64;
    std::array<CompileId, kSize> ids_ = {};
    size_t next_ = 0;
  };

  struct Failure {
    Event event;         // the exception
    std::string reason;  // of the metrics
    bool suppressed = false;
    bool old = false;      // from before 2.6
    bool resumed = false;  // in a function that goes on behind a break
  };

  struct Waiting {
    Event event;
    std::vector<std::string> reasons;  // of a recompile
  };

  void OnStart(const TraceRecord& record);
  void OnMetrics(const TraceRecord& record, JsonParser* parser);
  void OnGraphBreak(const TraceRecord& record);
  void OnRecompileReasons(const TraceRecord& record, JsonParser* parser);
  void OnError(const TraceRecord& record);
  void OnBackwardFailure(const TraceRecord& record);
  void OnInterpreterError(const TraceRecord& record);
  void OnExportFailure(const TraceRecord& record);

  void OnFailedCompile(const TraceRecord& record, const CompileMetrics& metrics,
                       const CompileId& id);
  static Failure FailureFrom(const TraceRecord& record,
                             const CompileMetrics& metrics);
  void AddMetrics(const CompileMetrics& metrics, const CompileId& id,
                  Failure* failure);
  void OnLimit(const TraceRecord& record, const CompileMetrics& metrics,
               const CompileId& id);
  void InferRecompile(const TraceRecord& record, const CompileMetrics& metrics,
                      const CompileId& id);
  void InferBreaks(const TraceRecord& record, const CompileMetrics& metrics,
                   const CompileId& id);

  void EndFailure(bool process_goes_on);
  void EndOldFailure(Failure failure, bool process_goes_on);
  void NameFunction(const CompileId& id, const StackFrame& function);
  const StackFrame* FunctionOf(const std::optional<CompileId>& id) const;
  void PlaceRecompiles(bool all);
  void PlaceBreaks(const StackFrame& resume_function);
  void Emit(Event event) { sink_(std::move(event)); }
  void EmitOnce(std::optional<Event>* event);

  const std::function<void(Event)>& sink_;
  FlatMap<int32_t, StackFrame> functions_;  // by frame id
  size_t name_bytes_ = 0;                   // of functions_
  CompileId started_;                       // the last compile ...
  std::vector<StackFrame> callers_;         // ... and what led to it
  RecentIds breaks_;                        // ids with attempts
  RecentIds recompiles_;                    // ids without
  std::string last_reason_;                 // of the recompile read last
  std::string limits_;                      // their settings, as dumped
  std::optional<Failure> failure_;
  std::optional<Event> observed_;     // raised if nothing else is compiled
  std::optional<Event> interpreter_;  // told if no failure explains it
  std::vector<Waiting> recompiles_to_place_;
  std::vector<Event> breaks_to_place_;
};

}  // namespace pt2triage
