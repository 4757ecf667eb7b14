// Tables of traces, and records with their payloads: any chunking gives the
// same, and what is bounded stays so.
#include <memory>
#include <string_view>
#include <vector>

#include "check.h"
#include "pt2triage/scanner.h"
#include "pt2triage/trace.h"
#include "scan/source_result.h"
#include "trace/record_feed.h"

using pt2triage::FullRecord;
using pt2triage::RecordFeed;
using pt2triage::ScanOptions;
using pt2triage::SourceScanner;
using pt2triage::TraceTables;

namespace {

std::shared_ptr<TraceTables> Tables(std::string_view text, size_t chunk) {
  ScanOptions options;
  options.tables = true;
  SourceScanner scanner("fuzz", options);
  for (size_t at = 0; at < text.size(); at += chunk) {
    scanner.Feed(text.substr(at, chunk));
  }
  return TakeTables(scanner.Finish().get());
}

std::vector<FullRecord> Records(std::string_view text, size_t chunk) {
  RecordFeed feed({}, {}, /*max_payload=*/4096);
  std::vector<FullRecord> all;
  for (size_t at = 0; at < text.size(); at += chunk) {
    feed.Feed(text.substr(at, chunk));
    for (FullRecord& record : feed.Take()) all.push_back(std::move(record));
  }
  feed.Finish();
  for (FullRecord& record : feed.Take()) all.push_back(std::move(record));
  return all;
}

void CheckRows(const TraceTables& tables) {
  const auto processes = static_cast<int64_t>(tables.processes.size());
  const auto check = [processes](const auto& rows) {
    for (const auto& row : rows) {
      Check(row.process >= 0 && row.process < processes,
            "a row is of a process");
    }
  };
  check(tables.compiles);
  check(tables.graph_breaks);
  check(tables.recompiles);
  check(tables.cache_events);
  check(tables.symbols);
  check(tables.collectives);
  check(tables.artifacts);
  uint64_t records = 0;
  for (const auto& process : tables.processes) records += process.records;
  uint64_t named = 0;
  for (const auto& kind : tables.kinds) named += kind.records;
  Check(named <= records, "kinds count records");
  for (size_t i = 0; i < tables.metrics.entries.size(); ++i) {
    Check(!tables.metrics.Row(i).value.empty(), "a metric has a value");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = Text(data, size);
  const size_t chunk = size == 0 ? 1 : 1 + data[size / 2] % 97;
  const auto whole = Tables(text, size + 1);
  const auto cut = Tables(text, chunk);
  CheckRows(*whole);
  Check(whole->compiles.size() == cut->compiles.size() &&
            whole->graph_breaks.size() == cut->graph_breaks.size() &&
            whole->recompiles.size() == cut->recompiles.size() &&
            whole->artifacts.size() == cut->artifacts.size() &&
            whole->metrics.text == cut->metrics.text,
        "chunking changes no table");
  const auto records = Records(text, size + 1);
  const auto again = Records(text, chunk);
  Check(records.size() == again.size(), "chunking changes no record");
  for (size_t i = 0; i < records.size(); ++i) {
    Check(records[i].payload == again[i].payload &&
              records[i].md5 == again[i].md5,
          "chunking changes no payload");
    Check(records[i].payload.size() <= 4096, "payloads are bounded");
    Check(records[i].offset < size, "records lie in the source");
  }
  return 0;
}
