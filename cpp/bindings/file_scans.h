// Scans files on a pool of threads while the caller waits and looks around.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "pt2triage/scanner.h"

namespace pt2triage::python {

using ScanOutcome = absl::StatusOr<std::shared_ptr<SourceResult>>;

// Starts at construction; the destructor cancels and joins, which takes as
// long as one chunk. Wait(), Cancel() and bytes_done() may be called from any
// thread. Knows no Python: the caller holds no GIL while it waits.
class FileScans {
 public:
  // `jobs` is at least 1.
  FileScans(std::vector<std::string> paths, bool verify, size_t jobs);
  ~FileScans();
  FileScans(const FileScans&) = delete;
  FileScans& operator=(const FileScans&) = delete;

  // True once every file is done; false when `timeout` has passed before.
  bool Wait(std::chrono::milliseconds timeout);
  // Asks the threads to stop after the chunk that they are at.
  void Cancel() { cancelled_ = true; }
  uint64_t bytes_done() const { return bytes_done_; }
  // The outcomes in the order of the paths; call after Wait() returned true.
  std::vector<ScanOutcome> Take();

 private:
  void Work();
  ScanOutcome ScanOne(const std::string& path);

  const std::vector<std::string> paths_;
  const bool verify_;
  const size_t threads_for_each_;  // of the files
  std::atomic<bool> cancelled_ = false;
  std::atomic<uint64_t> bytes_done_ = 0;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable all_done_;
  size_t done_ = 0;                                   // guarded by mutex_
  std::vector<std::optional<ScanOutcome>> outcomes_;  // each set by one thread
  std::vector<std::thread> threads_;
};

}  // namespace pt2triage::python
