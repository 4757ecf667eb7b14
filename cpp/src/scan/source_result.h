// What one source gave, before all sources are judged together.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "event/event_store.h"
#include "pt2triage/event.h"
#include "pt2triage/finding.h"
#include "pt2triage/scanner.h"
#include "pt2triage/trace.h"
#include "scan/compile_links.h"

namespace pt2triage {

// Owned by whoever holds the shared_ptr that ScanSource() returns; MakeReport()
// uses it up.
struct SourceResult {
  SourceInfo info;
  std::vector<Event> events;  // in the order of their evidence
  std::array<uint64_t, EventStore::kKinds> dropped{};  // counted only
  std::vector<Diagnostic> diagnostics;
  std::vector<CompileLink> links;
  // Why it was not read to its end: a sentence; empty if it was.
  std::string unread;
  // Of a folder; their artifacts are in `info`.
  std::vector<FolderMember> members;
  // If they were asked for. Not kept by EncodeResult().
  std::shared_ptr<TraceTables> tables;
};

}  // namespace pt2triage
