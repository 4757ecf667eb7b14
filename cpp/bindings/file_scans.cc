#include "file_scans.h"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "scan/source_result.h"

namespace pt2triage::python {

FileScans::FileScans(std::vector<FileToScan> files, const Options& options)
    : files_(std::move(files)),
      options_(options),
      threads_for_each_(options.jobs / std::max<size_t>(files_.size(), 1)),
      outcomes_(std::min(files_.size(), kWindow)) {
  const size_t wanted = std::min(options.jobs, files_.size());
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

Result ResultFrom(std::shared_ptr<SourceResult> scanned, bool judge) {
  Result result;
  if (scanned == nullptr) return result;
  result.unread = scanned->unread;
  if (judge) {
    result.report = std::make_shared<Report>(MakeReport({std::move(scanned)}));
  } else {
    result.result = std::move(scanned);
  }
  return result;
}

FileScans::~FileScans() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  taken_some_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool FileScans::Wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, timeout, [this] {
    return outcomes_[taken_ % kWindow].has_value();
  });
}

ScanOutcome FileScans::Take() {
  std::unique_lock lock(mutex_);
  ScanOutcome outcome = *std::move(outcomes_[taken_ % kWindow]);
  outcomes_[taken_ % kWindow].reset();
  ++taken_;
  lock.unlock();
  taken_some_.notify_all();
  return outcome;
}

void FileScans::Work() {
  std::unique_lock lock(mutex_);
  while (next_ < files_.size()) {
    taken_some_.wait(lock,
                     [this] { return cancelled_ || next_ < taken_ + kWindow; });
    if (cancelled_ || next_ >= files_.size()) return;
    const size_t index = next_++;
    lock.unlock();
    ScanOutcome outcome = ScanOne(files_[index]);
    lock.lock();
    outcomes_[index % kWindow] = std::move(outcome);
    if (index == taken_) done_.notify_one();
  }
}

ScanOutcome FileScans::ScanOne(const FileToScan& file) {
  try {
    ScanOptions options;
    options.verify = options_.verify;
    options.tables = options_.tables;
    options.limits = options_.limits;
    options.origin = file.origin;
    if (file.member) options.archive_bytes = &archive_bytes_;
    options.progress = [this, before = uint64_t{0}](uint64_t done) mutable {
      bytes_done_ += done - before;
      before = done;
      return !cancelled_;
    };
    absl::StatusOr<FileScan> scan = ScanFile(file, options, threads_for_each_);
    if (!scan.ok()) return scan.status();
    return ScannedFile{ResultFrom(std::move(scan->result), options_.judge),
                       scan->holds};
  } catch (const std::bad_alloc&) {
    // A text would need memory; Python knows the path.
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  } catch (const std::exception& error) {
    return absl::InternalError(file.path + ": " + error.what());
  }
}

}  // namespace pt2triage::python
