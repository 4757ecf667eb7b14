// One scan of each file, report and all, on one thread: what profilers and
// instruction counters run, since it has no Python and no noise of its own.
//
//   scan_once [--verify] FILE...      prints the size of the JSON report
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "pt2triage/source.h"

int main(int argc, char** argv) {
  pt2triage::ScanOptions options;
  std::vector<std::shared_ptr<pt2triage::SourceResult>> results;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--verify") == 0) {
      options.verify = true;
      continue;
    }
    auto source = pt2triage::OpenFile(argv[i]);
    if (!source.ok()) {
      std::fprintf(stderr, "%s\n", source.status().ToString().c_str());
      return 2;
    }
    auto result = pt2triage::ScanSource(**source, options);
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
      return 2;
    }
    results.push_back(*std::move(result));
  }
  const pt2triage::Report report = pt2triage::MakeReport(std::move(results));
  std::printf("%zu\n", pt2triage::ReportToJson(report).size());
  return 0;
}
