// Tables from the records of a structured trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2triage/event.h"
#include "pt2triage/trace.h"
#include "record/json.h"
#include "record/trace_record.h"
#include "trace/compile_rows.h"
#include "trace/metric_rows.h"

namespace pt2triage {

// Fills TraceTables from the records of one source and from the events that
// those tell of. Owns all it keeps; rows and texts take at most kMaxBytes,
// about, then further ones are only counted. Not thread-safe. Cost: a record
// that is only counted is a look into a small map; metrics are one pass over
// their JSON.
class TraceTableBuilder {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  explicit TraceTableBuilder(std::string source)
      : source_(std::move(source)), compiles_(&tables_.compiles) {}

  void OnRecord(const TraceRecord& record);
  // Of the same trace, at any time.
  void OnEvent(const Event& event);
  // Leaves the builder empty.
  std::shared_ptr<TraceTables> Finish();

 private:
  struct Kind {
    uint64_t records = 0;
    uint64_t payload_bytes = 0;
    bool known = true;
  };

  size_t ProcessOf(const TraceRecord& record);
  TraceKey KeyOf(const TraceRecord& record, size_t process) const;
  void Count(const TraceRecord& record);
  void OnKnown(const TraceRecord& record, const TraceKey& key);
  void AddArtifact(const TraceRecord& record, const TraceKey& key);
  void AddCollectives(const TraceRecord& record, const TraceKey& key);
  bool HasRoom(size_t bytes);

  const std::string source_;
  TraceTables tables_;
  CompileRows compiles_;
  MetricRows metrics_;
  JsonParser parser_;
  size_t bytes_ = 0;
  std::map<uint32_t, size_t> sessions_;  // to places in `processes`
  uint32_t last_session_ = 0;
  size_t last_process_ = SIZE_MAX;
  std::map<std::string, Kind> kinds_;  // record, NUL, artifact
  std::string kind_name_;              // scratch
};

}  // namespace pt2triage
