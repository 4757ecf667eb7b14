// A whole scan: bytes add up, what it prints is JSON, and what was sent as
// bytes prints the same.
#include <simdjson.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "check_report.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/result_codec.h"
#include "scan/source_result.h"

using pt2triage::Evidence;
using pt2triage::Finding;
using pt2triage::Report;
using pt2triage::SourceInfo;
using pt2triage::SourceResult;
using pt2triage::SourceScanner;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pt2triage::ScanOptions options;
  options.verify = true;
  SourceScanner scanner("fuzz.log", options);
  scanner.Feed(Text(data, size));
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(scanner.Finish());
  const auto sent =
      pt2triage::DecodeResult(pt2triage::EncodeResult(*results[0]));
  Check(sent.ok(), "a result can be sent");
  const Report report = pt2triage::MakeReport(std::move(results));

  const SourceInfo& info = report.sources.at(0);
  CheckAccounts(report, Text(data, size));
  for (const Finding& finding : report.findings) {
    Check(finding.category != pt2triage::Category::kNone,
          "a finding has a category");
    Check(!finding.cause.empty(), "a finding has a cause");
    Check(finding.count > 0, "a finding happened");
    for (const Evidence& at : finding.evidence) {
      Check(at.offset + at.length <= info.bytes, "evidence lies in the source");
    }
  }
  simdjson::dom::parser parser;
  const std::string json = pt2triage::ReportToJson(report);
  Check(parser.parse(json).error() == simdjson::SUCCESS, "output is JSON");
  Check(pt2triage::ReportToJson(pt2triage::MakeReport({*sent})) == json,
        "what was sent gives the same report");
  return 0;
}
