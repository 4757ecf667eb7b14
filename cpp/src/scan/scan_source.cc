#include "scan/scan_source.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "pt2triage/parse_stats.h"
#include "pt2triage/source.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

// The kind of diagnostic that a status of io/unread.h is; none for others.
std::optional<ParseIssue> IssueOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kDataLoss:
      return ParseIssue::kCutArchive;
    case absl::StatusCode::kInvalidArgument:
      return ParseIssue::kDamagedArchive;
    case absl::StatusCode::kOutOfRange:
      return ParseIssue::kArchiveLimit;
    case absl::StatusCode::kUnimplemented:
      return ParseIssue::kUnreadArchive;
    default:
      return std::nullopt;
  }
}

ScanResult ReadToEnd(Source& source, const ScanOptions& options) {
  SourceScanner scanner(source.name(), options);
  const size_t size = std::max<size_t>(options.chunk_size, 1);
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  uint64_t done = 0;
  absl::Status unread;
  while (true) {
    absl::StatusOr<size_t> n = source.Read(buffer.get(), size);
    if (!n.ok() && !IssueOf(n.status())) {
      return Named(n.status(), source.name());
    }
    if (!n.ok()) unread = n.status();
    if (!n.ok() || *n == 0) break;
    scanner.Feed(std::string_view(buffer.get(), *n));
    done += *n;
    if (options.progress &&
        !options.progress(source.Consumed().value_or(done))) {
      return Stopped(source.name());
    }
  }
  if (!source.Consumed()) {  // a plain file, or a pipe
    return FinishScan(&scanner, done, source.Size().value_or(0));
  }
  return FinishUnpacked(&scanner, unread, source);
}

}  // namespace

bool IsUnread(const absl::Status& status) {
  return IssueOf(status).has_value();
}

void AddNote(ParseIssue issue, const std::string& detail,
             SourceResult* result) {
  SourceInfo& info = result->info;
  ParseStats stats;
  stats.Add(issue, {0, std::max<uint64_t>(info.lines, 1), info.bytes, 0},
            detail);
  ++info.malformed;
  if (result->diagnostics.size() < ParseStats::kMaxKept) {
    result->diagnostics.push_back(stats.kept().front());
  }
}

void NoteUnread(const absl::Status& why, SourceResult* result) {
  const std::string message(why.message());
  // Nothing of it was seen, so it is not known to be empty.
  if (result->info.bytes == 0) result->info.kind = SourceKind::kBinary;
  AddNote(IssueOf(why).value_or(ParseIssue::kUnreadArchive), message, result);
  if (result->unread.empty()) result->unread = message;
}

absl::Status Named(const absl::Status& status, const std::string& name) {
  const std::string message(status.message());
  if (message.starts_with(name)) return status;
  return absl::Status(status.code(), name + ": " + message);
}

absl::Status Stopped(const std::string& name) {
  return absl::CancelledError(name + ": the scan was stopped");
}

absl::Status OutOfMemory(const std::string& name) {
  return absl::ResourceExhaustedError(name + ": out of memory");
}

std::shared_ptr<SourceResult> FinishScan(SourceScanner* scanner, uint64_t done,
                                         uint64_t size) {
  std::shared_ptr<SourceResult> result = scanner->Finish();
  if (done < size) {
    AddNote(ParseIssue::kShrunk, "it had " + std::to_string(size) + " bytes",
            result.get());
  }
  return result;
}

ScanResult FinishUnpacked(SourceScanner* scanner, const absl::Status& unread,
                          const Source& source) {
  std::shared_ptr<SourceResult> result = scanner->Finish();
  if (!unread.ok()) NoteUnread(unread, result.get());
  const std::string warning = source.Warning();
  if (!warning.empty()) {
    AddNote(ParseIssue::kTrailingBytes, warning, result.get());
  }
  return result;
}

ScanResult ScanSource(Source& source, const ScanOptions& options) {
  return WithinMemory(source.name(),
                      [&] { return ReadToEnd(source, options); });
}

}  // namespace pt2triage
