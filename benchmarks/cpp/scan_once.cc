// One scan of each file, report and all: what profilers and instruction
// counters run, since it has no Python and no noise of its own.
//
//   scan_once [--verify] [--threads=N] FILE...
//
// prints the size of the JSON report. One thread if nothing else is said.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "pt2triage/report.h"
#include "pt2triage/scanner.h"

int main(int argc, char** argv) {
  pt2triage::ScanOptions options;
  size_t threads = 1;
  std::vector<std::shared_ptr<pt2triage::SourceResult>> results;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--verify") == 0) {
      options.verify = true;
      continue;
    }
    if (std::strncmp(argv[i], "--threads=", 10) == 0) {
      threads = std::strtoul(argv[i] + 10, nullptr, 10);
      continue;
    }
    pt2triage::FileToScan file;
    file.path = argv[i];
    auto result = pt2triage::ScanFile(file, options, threads);
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
      return 2;
    }
    if (!result->result) {
      std::fprintf(stderr, "%s: an archive\n", argv[i]);
      return 2;
    }
    results.push_back(std::move(result->result));
  }
  const pt2triage::Report report = pt2triage::MakeReport(std::move(results));
  std::printf("%zu\n", pt2triage::ReportToJson(report).size());
  return 0;
}
