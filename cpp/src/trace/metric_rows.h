// The fields of compilation_metrics records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "pt2triage/trace.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// What a metrics record says besides its numbers.
struct MetricsSeen {
  std::string compile_id;
  std::string torch_version;
  size_t bytes = 0;  // that its fields took
};

// Keeps every field that is not null, whatever its name. Long texts, such as
// the configuration, come again and again and are kept once. Not thread-safe.
class MetricRows {
 public:
  static constexpr size_t kMaxText = size_t{24} << 20;

  MetricsSeen Read(const TraceRecord& record, const TraceKey& key,
                   JsonParser* parser);
  MetricStore Take();

 private:
  uint16_t NameOf(std::string_view name, std::vector<std::string>* names);
  // Where the text is kept.
  uint32_t Keep(std::string_view text);

  MetricStore store_;
  FlatMap<std::string, uint32_t> long_texts_;
};

}  // namespace pt2triage
