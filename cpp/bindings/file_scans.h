// Scans files on a pool of threads while the caller takes results in order.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "pt2triage/scanner.h"
#include "result.h"

namespace pt2triage::python {

// A file's result, judged if that was asked for, or what it holds instead (see
// FileScan).
struct ScannedFile {
  Result result;
  std::string_view holds;
};
using ScanOutcome = absl::StatusOr<ScannedFile>;

// Starts at construction; the destructor cancels and joins, which takes as
// long as one chunk. The threads are at most kWindow files ahead of what was
// taken, so that memory does not grow with the number of files. Wait() and
// Take() are for one thread. Calls no Python: the caller holds no GIL while it
// waits.
class FileScans {
 public:
  static constexpr size_t kWindow = 256;

  struct Options {
    bool verify = false;
    bool tables = false;  // of traces, too
    bool judge = false;   // each file for itself, on the threads
    DecodeLimits limits;
    size_t jobs = 1;  // at least 1
  };

  FileScans(std::vector<FileToScan> files, const Options& options);
  ~FileScans();
  FileScans(const FileScans&) = delete;
  FileScans& operator=(const FileScans&) = delete;

  // True once the next file is done; false when `timeout` has passed before.
  bool Wait(std::chrono::milliseconds timeout);
  // Its outcome; call after Wait() returned true.
  ScanOutcome Take();
  bool all_taken() const { return taken_ == files_.size(); }
  uint64_t bytes_done() const { return bytes_done_; }

 private:
  void Work();
  ScanOutcome ScanOne(const FileToScan& file);

  const std::vector<FileToScan> files_;
  const Options options_;
  const size_t threads_for_each_;  // of the files
  std::atomic<bool> cancelled_ = false;
  std::atomic<uint64_t> bytes_done_ = 0;
  std::atomic<uint64_t> archive_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;  // the next file to be taken is done
  std::condition_variable taken_some_;
  size_t next_ = 0;   // file to be scanned; this and the next two are guarded
  size_t taken_ = 0;  // by mutex_
  std::vector<std::optional<ScanOutcome>> outcomes_;
  std::vector<std::thread> threads_;
};

}  // namespace pt2triage::python
