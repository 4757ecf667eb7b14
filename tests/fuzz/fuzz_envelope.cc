// Feeds bytes to the trace reader and the events made of its records. Besides
// not crashing: a record's payload and evidence lie inside the input, lines and
// records are accounted for, and cutting the input anywhere into chunks gives
// the same records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/trace_events.h"
#include "line/line_splitter.h"
#include "record/trace_reader.h"

namespace {

using pt2triage::Event;
using pt2triage::Evidence;
using pt2triage::ParseStats;
using pt2triage::TraceRecord;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<std::string> records;
  std::vector<Evidence> events;
  uint64_t malformed = 0;
  uint64_t places = 0;

  bool operator==(const Outcome&) const = default;
};

std::string Describe(const TraceRecord& record) {
  std::string text(record.name);
  text += '|';
  text += record.metadata_json;
  text += '|';
  text += record.artifact_name;
  text += '|';
  text += record.compile_id ? record.compile_id->ToString() : "-";
  for (uint64_t number :
       {record.payload_offset, record.payload_length, record.payload_lines,
        record.evidence.offset, record.evidence.length}) {
    text += '|' + std::to_string(number);
  }
  return text + '|' + record.payload;
}

Outcome Run(std::string_view input, size_t chunk) {
  Outcome outcome;
  ParseStats stats;
  const size_t size = input.size();
  pt2triage::TraceEventBuilder builder([&outcome, size](const Event& event) {
    Require(event.evidence.offset + event.evidence.length <= size);
    outcome.events.push_back(event.evidence);
  });
  pt2triage::TraceReader reader(
      0, /*verify=*/true, &stats, [&](TraceRecord& record) {
        Require(record.payload_offset + record.payload_length <= size);
        Require(record.evidence.offset + record.evidence.length <= size);
        outcome.records.push_back(Describe(record));
        builder.OnRecord(record);
      });
  pt2triage::LineSplitter splitter;
  auto sink = [&reader](const pt2triage::PhysicalLine& line) {
    // The first byte of a line may say which stream it belongs to.
    std::string_view text = line.text;
    std::string_view stream;
    if (!text.empty() && text[0] >= '0' && text[0] <= '3') {
      stream = text.substr(0, 1);
      text.remove_prefix(1);
    }
    reader.OnLine(text, {0, line.number, line.offset, line.length}, stream);
  };
  while (!input.empty()) {
    splitter.Feed(input.substr(0, chunk), sink);
    input.remove_prefix(std::min(chunk, input.size()));
  }
  splitter.Finish(sink);
  reader.Finish();
  builder.Finish();
  Require(outcome.records.size() == reader.records());
  Require(reader.malformed_bytes() <= size);
  outcome.malformed = reader.malformed_bytes();
  outcome.places = stats.places();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Run(input, size + 1);
  Require(whole == Run(input, 1 + size % 7));
  return 0;
}
