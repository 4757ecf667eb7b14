// What could not be read: counted by kind, located, never fatal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/finding.h"

namespace pt2triage {

// Every kind is declared once, in parse_stats.cc, with its JSON name and a
// sentence for the user.
enum class ParseIssue : uint8_t {
  kTruncatedRecord,
  kTruncatedTraceback,
  kBadEnvelope,
  kEnvelopeTooLong,
  kChecksumMismatch,
  kOrphanPayload,
  kUnresolvedString,
  kInvalidUtf8,
  kNulBytes,
  kUtf16,
  kBinary,
  kShrunk,
  kCutArchive,
  kDamagedArchive,
  kArchiveLimit,
  kUnreadArchive,
  kTrailingBytes,
  kUnrecognisedRecord,
  kNumIssues,
};

std::string_view ParseIssueName(ParseIssue issue);
std::string_view ParseIssueSentence(ParseIssue issue);

// Counts issues and keeps the first `kMaxKept` places, each with at most
// `kMaxDetail` bytes of detail. A value owned by one
// source's scan; not thread-safe.
class ParseStats {
 public:
  static constexpr size_t kMaxKept = 1000;
  static constexpr size_t kMaxDetail = 256;  // bytes

  // An issue that is found again at the same place counts once.
  void Add(ParseIssue issue, const Evidence& at, std::string detail = {});
  // Places that could not be read; records in words that are not known are no
  // such places.
  uint64_t places() const { return places_; }
  uint64_t unrecognised() const { return unrecognised_; }
  const std::vector<Diagnostic>& kept() const { return kept_; }

 private:
  uint64_t places_ = 0;
  uint64_t unrecognised_ = 0;
  uint64_t last_offset_ = UINT64_MAX;  // of the issue counted last
  ParseIssue last_issue_ = ParseIssue::kNumIssues;
  std::vector<Diagnostic> kept_;
};

}  // namespace pt2triage
