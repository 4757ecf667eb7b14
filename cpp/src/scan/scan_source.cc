#include "scan/scan_source.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "pt2triage/parse_stats.h"
#include "pt2triage/source.h"
#include "scan/parallel_scan.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

// A smaller file is done before threads have started; for each further thread
// there must be as much again.
constexpr uint64_t kLarge = uint64_t{16} << 20;
// More threads than can share the reading of one file are of no use.
constexpr size_t kMaxThreads = 16;

// Says that a file of `size` bytes ended earlier.
void NoteShrunk(uint64_t size, SourceResult* result) {
  SourceInfo& info = result->info;
  ParseStats stats;
  stats.Add(ParseIssue::kShrunk,
            {0, std::max<uint64_t>(info.lines, 1), info.bytes, 0},
            "it had " + std::to_string(size) + " bytes");
  ++info.malformed;
  if (result->diagnostics.size() < ParseStats::kMaxKept) {
    result->diagnostics.push_back(stats.kept().front());
  }
}

ScanResult ReadToEnd(Source& source, const ScanOptions& options) {
  SourceScanner scanner(source.name(), options);
  const size_t size = std::max<size_t>(options.chunk_size, 1);
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  uint64_t done = 0;
  while (true) {
    absl::StatusOr<size_t> n = source.Read(buffer.get(), size);
    if (!n.ok()) return Named(n.status(), source.name());
    if (*n == 0) break;
    scanner.Feed(std::string_view(buffer.get(), *n));
    done += *n;
    if (options.progress && !options.progress(done)) {
      return Stopped(source.name());
    }
  }
  return FinishScan(&scanner, done, source.Size().value_or(0));
}

}  // namespace

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
  if (done < size) NoteShrunk(size, result.get());
  return result;
}

ScanResult ScanSource(Source& source, const ScanOptions& options) {
  return WithinMemory(source.name(),
                      [&] { return ReadToEnd(source, options); });
}

absl::StatusOr<std::shared_ptr<SourceResult>> ScanFile(
    const std::string& path, const ScanOptions& options, size_t threads) {
  if (threads > 1) {
    const auto bytes = OpenLargeFile(path, kLarge);
    if (!bytes.ok()) return bytes.status();
    if (*bytes) {
      const uint64_t useful =
          std::min<uint64_t>((*bytes)->size() / kLarge + 1, kMaxThreads);
      const auto shared =
          static_cast<size_t>(std::min<uint64_t>(threads, useful));
      return ScanInParallel(**bytes, options, {.threads = shared});
    }
  }
  const auto source = OpenFile(path);
  if (!source.ok()) return source.status();
  return ScanSource(**source, options);
}

}  // namespace pt2triage
