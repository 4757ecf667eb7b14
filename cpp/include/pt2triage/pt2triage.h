// pt2triage: reads PyTorch logs and traces and says what failed.
//
//   auto source = pt2triage::OpenFile("run.log");
//   auto result = pt2triage::ScanSource(**source, {});
//   std::vector<std::shared_ptr<pt2triage::SourceResult>> all;
//   all.push_back(*std::move(result));
//   pt2triage::Report report = pt2triage::MakeReport(std::move(all));
//   std::string json = pt2triage::ReportToJson(report);
//
// The flow is io -> line -> record -> event -> triage -> report, one folder
// each under cpp/src. Calls that can fail return absl::Status; input that is
// broken is counted and located in the report, never an error.
#pragma once

#include "pt2triage/compile_id.h"   // IWYU pragma: export
#include "pt2triage/evidence.h"     // IWYU pragma: export
#include "pt2triage/finding.h"      // IWYU pragma: export
#include "pt2triage/parse_stats.h"  // IWYU pragma: export
#include "pt2triage/report.h"       // IWYU pragma: export
#include "pt2triage/scanner.h"      // IWYU pragma: export
#include "pt2triage/source.h"       // IWYU pragma: export
