// Drives the whole flow: bytes in, Report out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pt2triage/finding.h"
#include "pt2triage/origin.h"
#include "pt2triage/source.h"

namespace pt2triage {

struct ScanOptions {
  // Check the MD5 of trace payloads.
  bool verify = false;
  // Make the tables of traces, too.
  bool tables = false;
  // Where the source was written; lines that name their own job or step go
  // before it.
  Origin origin;
  // Bytes read at a time. Any value gives the same report.
  size_t chunk_size = size_t{64} * 1024;
  // Called from the scanning thread after each chunk with the bytes done so
  // far; returning false cancels the scan (kCancelled).
  std::function<bool(uint64_t bytes_done)> progress;
  // Of compressed files.
  DecodeLimits limits;
  // What all files of one archive give together; not owned, may be null.
  std::atomic<uint64_t>* archive_bytes = nullptr;
};

// How a member of an archive is packed.
enum class Packing : uint8_t { kStored, kDeflate, kZstd };

struct TraceTables;
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

// Reads a source to its end. The status names the source. Where its compressed
// data is cut, damaged or too much, the result holds what came before.
absl::StatusOr<std::shared_ptr<SourceResult>> ScanSource(
    Source& source, const ScanOptions& options);

// The tables of the traces in a source, which are then no longer in the result;
// null unless they were asked for.
std::shared_ptr<TraceTables> TakeTables(SourceResult* result);

// Says that a source could not be read to its end, and why. `why` is a status
// of io/unread.h.
void NoteUnread(const absl::Status& why, SourceResult* result);

// A file, or one that is packed in an archive.
struct FileToScan {
  std::string path;
  std::string name;  // of the source; that of the file if empty
  // Do not read what is no text.
  bool only_text = false;
  // Of a member: where it is in the archive, and how it is packed.
  struct Member {
    uint64_t offset = 0;  // of its local header in a zip archive, else its data
    uint64_t packed_size = 0;
    Packing packing = Packing::kStored;
    std::optional<uint32_t> crc;
    std::optional<uint64_t> size;
    bool in_zip = false;
  };
  std::optional<Member> member;
  // How many archives and compressed files it is packed in.
  uint32_t depth = 0;
  Origin origin;  // as far as the archive says
};

// What came of a file: `result`, or what it holds instead: "zip", "tar", "xz"
// or "bzip2", which the caller has to open, or "binary" where only text was
// wanted, or "own" for what pt2triage wrote.
struct FileScan {
  std::shared_ptr<SourceResult> result;
  std::string_view holds;
};

// Scans a file, decompressed if it is gzip or zstd data, on up to `threads`
// threads. Any number of threads gives the same report.
absl::StatusOr<FileScan> ScanFile(const FileToScan& file,
                                  const ScanOptions& options,
                                  size_t threads = 1);

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
