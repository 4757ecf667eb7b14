// Merges the results of all sources into one report.
#include <iterator>
#include <utility>
#include <vector>

#include "pt2triage/parse_stats.h"
#include "pt2triage/scanner.h"
#include "scan/compile_links.h"
#include "scan/source_result.h"
#include "triage/triage.h"

namespace pt2triage {
namespace {

// Gathers what is judged together. Each file of a folder is judged as a stream
// of its own, so that a log and a trace in it are told apart; `places_` says
// which source and member a stream is.
class Gatherer {
 public:
  explicit Gatherer(Report* report) : report_(report) {}

  void Add(SourceResult& result) {
    AddStream(result, 0);
    for (size_t i = 0; i < result.members.size(); ++i) {
      if (result.members[i].result == nullptr) continue;
      AddStream(*result.members[i].result, static_cast<uint32_t>(i + 1));
      result.members[i].result.reset();
    }
    report_->sources.push_back(std::move(result.info));
  }

  // The evidence that came of a stream, in terms of the report.
  void Place(Evidence* at) const {
    const Evidence& place = places_[at->source];
    at->source = place.source;
    at->member = place.member;
  }

  std::vector<Event> events;
  DroppedEvents dropped{};
  std::vector<CompileLink> links;

 private:
  void AddStream(SourceResult& result, uint32_t member) {
    const auto stream = static_cast<uint32_t>(places_.size());
    Evidence& place = places_.emplace_back();
    place.source = static_cast<uint32_t>(report_->sources.size());
    place.member = member;
    for (Event& event : result.events) event.evidence.source = stream;
    if (events.empty()) {
      events = std::move(result.events);
    } else {
      events.insert(events.end(),
                    std::make_move_iterator(result.events.begin()),
                    std::make_move_iterator(result.events.end()));
    }
    for (Diagnostic& diagnostic : result.diagnostics) {
      if (report_->diagnostics.size() >= ParseStats::kMaxKept) break;
      diagnostic.at.source = stream;
      Place(&diagnostic.at);
      report_->diagnostics.push_back(std::move(diagnostic));
    }
    for (size_t kind = 0; kind < dropped.size(); ++kind) {
      dropped[kind] += result.dropped[kind];
    }
    links.insert(links.end(), std::make_move_iterator(result.links.begin()),
                 std::make_move_iterator(result.links.end()));
    // Now, not when all sources are gathered; an assignment would keep buffers.
    std::vector<Event>().swap(result.events);
    std::vector<CompileLink>().swap(result.links);
  }

  Report* report_;
  std::vector<Evidence> places_;  // of each stream
};

}  // namespace

Report MakeReport(std::vector<std::shared_ptr<SourceResult>> results) {
  Report report;
  Gatherer all(&report);
  for (const auto& result : results) all.Add(*result);
  for (size_t i = 0; i < results.size(); ++i) {
    LinkArtifacts(all.links, results[i]->members, &report.sources[i].artifacts);
    results[i].reset();
  }
  Judgement judgement = Judge(std::move(all.events), all.dropped);
  report.findings = std::move(judgement.findings);
  for (Finding& finding : report.findings) {
    for (Evidence& at : finding.evidence) all.Place(&at);
  }
  report.counts = judgement.counts;
  report.omitted_findings = judgement.omitted;
  if (!report.findings.empty()) {
    report.category = report.findings.front().category;
    report.finding = report.findings.front().fingerprint;
  }
  return report;
}

}  // namespace pt2triage
