#include "file_scans.h"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "absl/status/status.h"

namespace pt2triage::python {

FileScans::FileScans(std::vector<std::string> paths, bool verify, size_t jobs)
    : paths_(std::move(paths)),
      verify_(verify),
      threads_for_each_(jobs / std::max<size_t>(paths_.size(), 1)),
      outcomes_(paths_.size()) {
  const size_t wanted = std::min(jobs, paths_.size());
  threads_.reserve(wanted);
  for (size_t i = 0; i < wanted; ++i) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      break;  // the system allows no more threads: go on with these
    }
  }
}

FileScans::~FileScans() {
  Cancel();
  for (std::thread& thread : threads_) thread.join();
}

bool FileScans::Wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return all_done_.wait_for(lock, timeout,
                            [this] { return done_ == paths_.size(); });
}

std::vector<ScanOutcome> FileScans::Take() {
  std::vector<ScanOutcome> taken;
  taken.reserve(outcomes_.size());
  for (std::optional<ScanOutcome>& outcome : outcomes_) {
    taken.push_back(*std::move(outcome));
  }
  return taken;
}

void FileScans::Work() {
  for (size_t i = next_++; i < paths_.size(); i = next_++) {
    outcomes_[i] = ScanOne(paths_[i]);
    const std::lock_guard lock(mutex_);
    if (++done_ == paths_.size()) all_done_.notify_all();
  }
}

ScanOutcome FileScans::ScanOne(const std::string& path) {
  try {
    if (cancelled_) return absl::CancelledError(path);
    ScanOptions options;
    options.verify = verify_;
    options.progress = [this, before = uint64_t{0}](uint64_t done) mutable {
      bytes_done_ += done - before;
      before = done;
      return !cancelled_;
    };
    return ScanFile(path, options, threads_for_each_);
  } catch (const std::bad_alloc&) {
    // A text would need memory; Python knows the path.
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  } catch (const std::exception& error) {
    return absl::InternalError(path + ": " + error.what());
  }
}

}  // namespace pt2triage::python
