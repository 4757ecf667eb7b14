// Drives the whole flow: bytes in, Report out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pt2triage/finding.h"
#include "pt2triage/source.h"

namespace pt2triage {

struct ScanOptions {
  // Check the MD5 of trace payloads.
  bool verify = false;
  // Bytes read at a time. Any value gives the same report.
  size_t chunk_size = size_t{64} * 1024;
  // Called from the scanning thread after each chunk with the bytes done so
  // far; returning false cancels the scan (kCancelled).
  std::function<bool(uint64_t bytes_done)> progress;
};

struct SourceResult;  // everything learnt from one source; opaque to users
struct DullRun;       // lines that cannot matter; internal

// Push interface for one source: Feed() chunks cut anywhere, then Finish().
// Owns everything it keeps; chunks may be freed after each call. Not
// thread-safe; use one per source, on any thread.
class SourceScanner {
 public:
  SourceScanner(std::string name, const ScanOptions& options);
  ~SourceScanner();
  SourceScanner(SourceScanner&&) noexcept;

  void Feed(std::string_view chunk);
  std::shared_ptr<SourceResult> Finish();

  // Of a scan on several threads (scan/parallel_scan.h). In place of a Feed()
  // of these lines; false, and nothing is done, if they matter now.
  bool TakeRun(const DullRun& run);
  // True once a record of a trace was seen.
  bool in_trace() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads a source to its end. The status names the source.
absl::StatusOr<std::shared_ptr<SourceResult>> ScanSource(
    Source& source, const ScanOptions& options);

// The same for a file, on up to `threads` threads if it is large. Any number of
// threads gives the same report.
absl::StatusOr<std::shared_ptr<SourceResult>> ScanFile(
    const std::string& path, const ScanOptions& options, size_t threads = 1);

// One file of a debug folder (TORCH_COMPILE_DEBUG=1), and what it gave.
struct FolderMember {
  Artifact artifact;
  // What can prove its compile: the end of its graph's folder as PyTorch logs
  // it (`run_X-pid_1/torchinductor/GRAPH`), and the MD5 of its content; empty
  // where there is none.
  std::string graph_folder;
  std::string md5;
  std::shared_ptr<SourceResult> result;  // null: listed, but not read
};

// Makes one source of the members, which are sorted by path; their results are
// used up. Evidence in it names the member.
std::shared_ptr<SourceResult> MergeFolder(std::string name,
                                          std::vector<FolderMember> members,
                                          uint64_t omitted);

// Merges the results of all sources, in the order given, into one report.
Report MakeReport(std::vector<std::shared_ptr<SourceResult>> results);

}  // namespace pt2triage
