// However a source is cut into chunks, and however many threads share them, the
// report is the same.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.h"
#include "check_report.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/parallel_scan.h"
#include "scan/source_result.h"

namespace {

size_t Byte(char c) { return static_cast<unsigned char>(c); }

// Cuts `text` at lengths that `cuts` says, again and again; whole if empty.
std::string Scan(std::string_view text, std::string_view cuts) {
  pt2triage::SourceScanner scanner("fuzz.log", {});
  const std::string_view whole = text;
  size_t next = 0;
  while (!text.empty()) {
    size_t n = text.size();
    if (!cuts.empty()) {
      n = std::min(n, 1 + Byte(cuts[next++ % cuts.size()]));
    }
    scanner.Feed(text.substr(0, n));
    text.remove_prefix(n);
  }
  std::vector<std::shared_ptr<pt2triage::SourceResult>> results;
  results.push_back(scanner.Finish());
  const pt2triage::Report report = pt2triage::MakeReport(std::move(results));
  CheckAccounts(report, whole);
  return pt2triage::ReportToJson(report);
}

std::string ScanShared(std::string_view text, const pt2triage::Shares& shares) {
  const auto bytes = pt2triage::AccessMemory(text, "fuzz.log");
  auto result = pt2triage::ScanInParallel(*bytes, {}, shares);
  Check(result.ok(), "memory can be read");
  std::vector<std::shared_ptr<pt2triage::SourceResult>> results;
  results.push_back(*std::move(result));
  return pt2triage::ReportToJson(pt2triage::MakeReport(std::move(results)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The last bytes say where to cut, so that real logs are seeds as they are.
  const std::string_view text = Text(data, size);
  const std::string_view cuts = text.substr(size - std::min<size_t>(size, 8));
  const std::string whole = Scan(text, {});
  Check(Scan(text, cuts) == whole, "chunks do not matter");
  Check(Scan(text, std::string_view("\0", 1)) == whole, "bytes do not matter");
  // One thread plays all parts, so that a finding can be repeated.
  const size_t chunk = cuts.empty() ? 1 : 1 + 4 * Byte(cuts[0]);
  Check(ScanShared(text, {.threads = 1, .chunk_size = chunk}) == whole,
        "shares do not matter");
  return 0;
}
