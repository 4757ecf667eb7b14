#include "pt2triage/parse_stats.h"

#include <array>
#include <utility>

namespace pt2triage {
namespace {

struct Declared {
  ParseIssue issue;
  std::string_view name;
  std::string_view sentence;
};
constexpr std::array<Declared, static_cast<size_t>(ParseIssue::kNumIssues)>
    kIssues = {{
        {ParseIssue::kTruncatedRecord, "truncated-record",
         "a record is cut off; what stands before the cut was read"},
        {ParseIssue::kTruncatedTraceback, "truncated-traceback",
         "the source ends inside this traceback; what it raised is not in it"},
        {ParseIssue::kBadEnvelope, "bad-envelope",
         "the line begins like a trace record but its JSON cannot be read; the "
         "record and its payload were skipped"},
        {ParseIssue::kEnvelopeTooLong, "envelope-too-long",
         "a trace record's line is longer than 8 MiB and was skipped"},
        {ParseIssue::kChecksumMismatch, "checksum-mismatch",
         "the payload's MD5 is not the one in its record; the file was edited "
         "or damaged here"},
        {ParseIssue::kOrphanPayload, "orphan-payload",
         "payload lines without a record above them"},
        {ParseIssue::kUnresolvedString, "unresolved-string",
         "a file name refers to a string that the trace does not define (a "
         "forked process, or a file cut at its start)"},
        {ParseIssue::kInvalidUtf8, "invalid-utf8",
         "the line is not valid UTF-8; undecodable bytes are shown as U+FFFD"},
        {ParseIssue::kNulBytes, "nul-bytes",
         "the line holds NUL bytes (a write that was lost); they were skipped"},
        {ParseIssue::kUtf16, "utf-16",
         "the source is UTF-16 and was read as such; offsets count its UTF-8 "
         "form"},
        {ParseIssue::kBinary, "binary",
         "the source is not text and was not read"},
        {ParseIssue::kShrunk, "shrunk",
         "the file became shorter while it was read; what was read until then "
         "is in this report"},
        {ParseIssue::kCutArchive, "cut-archive",
         "the compressed data is cut off; what stands before the cut is in "
         "this "
         "report"},
        {ParseIssue::kDamagedArchive, "damaged-archive",
         "the compressed data is damaged; what was read until then is in this "
         "report"},
        {ParseIssue::kArchiveLimit, "archive-limit",
         "reading stopped at a limit against archive bombs"},
        {ParseIssue::kUnreadArchive, "unread-archive",
         "the source is packed in a way that is not read"},
        {ParseIssue::kTrailingBytes, "trailing-bytes",
         "bytes behind the end of the compressed data were not read"},
        {ParseIssue::kUnrecognisedRecord, "unrecognised-record",
         "a record of a known artifact whose wording is new; please report it"},
    }};

const Declared& Find(ParseIssue issue) {
  return kIssues[static_cast<size_t>(issue)];
}

}  // namespace

std::string_view ParseIssueName(ParseIssue issue) { return Find(issue).name; }
std::string_view ParseIssueSentence(ParseIssue issue) {
  return Find(issue).sentence;
}

void ParseStats::Add(ParseIssue issue, const Evidence& at, std::string detail) {
  if (issue == last_issue_ && at.offset == last_offset_) return;
  last_issue_ = issue;
  last_offset_ = at.offset;
  ++(issue == ParseIssue::kUnrecognisedRecord ? unrecognised_ : places_);
  if (kept_.size() >= kMaxKept) return;
  Diagnostic diagnostic;
  diagnostic.at = at;
  diagnostic.kind.assign(ParseIssueName(issue));
  diagnostic.message.assign(ParseIssueSentence(issue));
  // Names out of a source may be as long as its lines.
  if (detail.size() > kMaxDetail) detail.resize(kMaxDetail);
  if (!detail.empty()) diagnostic.message += ": " + std::move(detail);
  kept_.push_back(std::move(diagnostic));
}

}  // namespace pt2triage
