// Renders a Report as the JSON of the contract.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// One JSON document, UTF-8, undecodable bytes as U+FFFD. `indent` 0 gives one
// line. Cost: linear in the report.
std::string ReportToJson(const Report& report, int indent = 2);
// The same, handed to `sink` in pieces, so that it is never in memory as a
// whole.
void WriteReportJson(const Report& report, int indent,
                     const std::function<void(std::string_view)>& sink);
// One finding as one line of JSON, as --format jsonl prints it.
std::string FindingToJson(const Report& report, const Finding& finding);

}  // namespace pt2triage
