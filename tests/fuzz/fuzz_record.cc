// Records: every byte is accounted for, buffers are bounded.
#include <string_view>

#include "check.h"
#include "record/record_stream.h"

using pt2triage::Line;
using pt2triage::LineAccounts;
using pt2triage::LogRecord;
using pt2triage::ParseStats;
using pt2triage::RecordAssembler;
using pt2triage::RecordStream;
using pt2triage::TraceRecord;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ParseStats stats;
  uint64_t logs = 0;
  uint64_t traces = 0;
  auto inside = [size](const pt2triage::Evidence& at) {
    Check(at.offset + at.length <= size, "evidence lies in the source");
    Check(at.line >= 1, "lines count from 1");
  };
  RecordStream stream(
      nullptr, /*verify=*/true, &stats,
      {[&](LogRecord& record) {
         ++logs;
         inside(record.evidence);
         Check(record.text.size() <= 2 * RecordAssembler::kMaxText + size,
               "text is bounded");
       },
       [&](TraceRecord& record) {
         ++traces;
         inside(record.evidence);
         Check(record.payload_offset + record.payload_length <= size,
               "payloads lie in the source");
       },
       [&](const Line& line) {
         Check(line.physical.offset + line.physical.length <= size,
               "plain lines lie in the source");
       }});
  stream.Feed(Text(data, size));
  stream.Finish();
  const LineAccounts& accounts = stream.accounts();
  Check(accounts.parsed + accounts.plain + accounts.malformed == size,
        "bytes add up");
  Check(logs == stream.log_records(), "log records are counted");
  Check(traces == stream.trace().records(), "trace records are counted");
  return 0;
}
