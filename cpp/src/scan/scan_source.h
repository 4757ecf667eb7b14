// What all ways to scan one source share.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pt2triage/parse_stats.h"
#include "pt2triage/scanner.h"

namespace pt2triage {

using ScanResult = absl::StatusOr<std::shared_ptr<SourceResult>>;

// An error as it is, but with the source's name before its text.
absl::Status Named(const absl::Status& status, const std::string& name);
absl::Status Stopped(const std::string& name);
absl::Status OutOfMemory(const std::string& name);

// Whether a status is one of io/unread.h: what came before it counts.
bool IsUnread(const absl::Status& status);
// Adds a diagnostic at the end of what was read.
void AddNote(ParseIssue issue, const std::string& detail, SourceResult* result);

// Finishes the scan of a source that had `size` bytes when it was opened, of
// which `done` came.
std::shared_ptr<SourceResult> FinishScan(SourceScanner* scanner, uint64_t done,
                                         uint64_t size);

// The same for one that was decompressed; `unread` says why it ended early.
ScanResult FinishUnpacked(SourceScanner* scanner, const absl::Status& unread,
                          const Source& source);

// Calls `scan`, whose lack of memory becomes a status that names the source.
template <typename Result = ScanResult, typename Scan>
Result WithinMemory(const std::string& name, Scan scan) {
  // Made beforehand: once memory has run out there may be none for a sentence.
  absl::Status out_of_memory(absl::StatusCode::kResourceExhausted, "");
  try {
    out_of_memory = OutOfMemory(name);
    return scan();
  } catch (const std::bad_alloc&) {
  }
  if (!out_of_memory.message().empty()) return out_of_memory;
  try {
    return OutOfMemory(name);
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  }
}

}  // namespace pt2triage
