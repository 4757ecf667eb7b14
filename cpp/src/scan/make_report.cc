// Merges the results of all sources into one report.
#include <utility>

#include "pt2triage/parse_stats.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"
#include "triage/triage.h"

namespace pt2triage {

Report MakeReport(std::vector<std::shared_ptr<SourceResult>> results) {
  Report report;
  std::vector<Event> events;
  DroppedEvents dropped{};
  for (size_t i = 0; i < results.size(); ++i) {
    SourceResult& result = *results[i];
    uint32_t source = static_cast<uint32_t>(i);
    for (Event& event : result.events) {
      event.evidence.source = source;
      events.push_back(std::move(event));
    }
    for (Diagnostic& diagnostic : result.diagnostics) {
      if (report.diagnostics.size() >= ParseStats::kMaxKept) break;
      diagnostic.at.source = source;
      report.diagnostics.push_back(std::move(diagnostic));
    }
    for (size_t kind = 0; kind < dropped.size(); ++kind) {
      dropped[kind] += result.dropped[kind];
    }
    report.sources.push_back(std::move(result.info));
    results[i].reset();
  }
  Judgement judgement = Judge(std::move(events), dropped);
  report.findings = std::move(judgement.findings);
  report.counts = judgement.counts;
  report.omitted_findings = judgement.omitted;
  if (!report.findings.empty()) {
    report.category = report.findings.front().category;
    report.finding = report.findings.front().fingerprint;
  }
  return report;
}

}  // namespace pt2triage
