// However a source is cut into chunks, the report is the same.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace {

// Cuts `text` at lengths that `cuts` says, again and again; whole if empty.
std::string Scan(std::string_view text, std::string_view cuts) {
  pt2triage::SourceScanner scanner("fuzz.log", {});
  size_t next = 0;
  while (!text.empty()) {
    size_t n = text.size();
    if (!cuts.empty()) {
      const auto cut = static_cast<unsigned char>(cuts[next++ % cuts.size()]);
      n = std::min<size_t>(n, 1 + cut);
    }
    scanner.Feed(text.substr(0, n));
    text.remove_prefix(n);
  }
  std::vector<std::shared_ptr<pt2triage::SourceResult>> results;
  results.push_back(scanner.Finish());
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
  return 0;
}
