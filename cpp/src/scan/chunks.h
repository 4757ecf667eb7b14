// The parts of one source that several threads fill and one takes in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/text_events.h"
#include "line/line_cursor.h"
#include "pt2triage/source.h"
#include "record/dull_lines.h"
#include "scan/parallel_scan.h"

namespace pt2triage {

// A part of the source, and what a thread found in it.
struct Chunk {
  std::unique_ptr<char[]> buffer;
  size_t size = 0;
  absl::Status status;
  size_t head = 0;  // up to the first line that begins in it
  DullRun run;      // the dull lines from there on
  bool ready = false;
  bool out_of_memory = false;  // a status would need some

  std::string_view text() const { return {buffer.get(), size}; }
};

// Fills a chunk from `offset`; less comes only at the end of the source.
inline absl::Status ReadChunk(const RandomAccess& bytes, uint64_t offset,
                              size_t wanted, Chunk* chunk) {
  if (!chunk->buffer) {
    chunk->buffer = std::make_unique_for_overwrite<char[]>(wanted);
  }
  chunk->size = 0;
  while (chunk->size < wanted) {
    const absl::StatusOr<size_t> n =
        bytes.ReadAt(offset + chunk->size, chunk->buffer.get() + chunk->size,
                     wanted - chunk->size);
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    chunk->size += *n;
  }
  return absl::OkStatus();
}

// A source that is read in order only, whatever place is asked for. It may be
// called by several threads, but one at a time.
class InOrder : public RandomAccess {
 public:
  explicit InOrder(Source* source)
      : RandomAccess(source->name(), 0), source_(source) {}
  absl::StatusOr<size_t> ReadAt(uint64_t, char* buffer,
                                size_t size) const override {
    absl::StatusOr<size_t> n = source_->Read(buffer, size);
    consumed_ = source_->Consumed().value_or(0);
    return n;
  }
  uint64_t consumed() const { return consumed_; }

 private:
  Source* source_;
  mutable std::atomic<uint64_t> consumed_ = 0;
};

// The chunks of one scan and the threads that fill them. Chunk i uses slot
// i % slots; it is filled by whoever claims it, and is free again when the
// scanning thread has released it. Thread-safe but for Next() and Release().
class Chunks {
 public:
  // `in_order`: only one thread may read at a time.
  Chunks(const RandomAccess& bytes, const Shares& shares, bool in_order)
      : bytes_(bytes),
        in_order_(in_order),
        size_(std::max<size_t>(shares.chunk_size, 1)) {
    slots_.resize(2 * std::max<size_t>(shares.threads, 1) + 2);
    for (size_t i = 1; i < shares.threads; ++i) {
      try {
        threads_.emplace_back([this] { Work(); });
      } catch (const std::system_error&) {
        break;  // the system allows no more threads: go on with these
      }
    }
  }
  ~Chunks() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  // The next chunk in order; fills chunks as long as it is not there.
  Chunk& Next() {
    std::unique_lock lock(mutex_);
    while (!Slot(released_).ready) {
      if (CanClaim()) {
        FillNext(dull_, &lock);
      } else {
        changed_.wait(lock);
      }
    }
    return Slot(released_);
  }
  // Gives the last one back.
  void Release() {
    {
      const std::lock_guard lock(mutex_);
      Slot(released_).ready = false;
      ++released_;
    }
    changed_.notify_all();
  }
  // The text around is that of a trace: no more dull lines are looked for.
  void OnlyRead() { only_read_ = true; }
  size_t chunk_size() const { return size_; }

 private:
  Chunk& Slot(uint64_t index) { return slots_[index % slots_.size()]; }
  bool CanClaim() const {
    return !reading_ && claimed_ < released_ + slots_.size();
  }

  void Work() {
    DullLines dull(TextEventBuilder::Rules());
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (CanClaim()) {
        FillNext(dull, &lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  // Claims a chunk and fills it, without the lock.
  void FillNext(DullLines& dull, std::unique_lock<std::mutex>* lock) {
    const uint64_t index = claimed_++;
    Chunk& chunk = Slot(index);
    reading_ = in_order_;
    lock->unlock();
    try {
      chunk.status = ReadChunk(bytes_, index * size_, size_, &chunk);
    } catch (const std::bad_alloc&) {
      chunk.out_of_memory = true;
    }
    if (in_order_) {
      lock->lock();
      reading_ = false;
      lock->unlock();
      changed_.notify_all();
    }
    try {
      LookForRun(index, dull, &chunk);
    } catch (const std::bad_alloc&) {
      chunk.out_of_memory = true;
    }
    lock->lock();
    chunk.ready = true;
    changed_.notify_all();
  }

  void LookForRun(uint64_t index, DullLines& dull, Chunk* chunk) {
    chunk->run.Clear();
    chunk->head = 0;
    if (!chunk->status.ok() || chunk->out_of_memory || only_read_) return;
    const std::string_view text = chunk->text();
    const size_t whole = WholeLines(text);
    chunk->head = index == 0 || whole == 0 ? 0 : text.find('\n') + 1;
    dull.Take(text.substr(chunk->head, whole - chunk->head), /*trace=*/false,
              {.note = true}, &chunk->run);
  }

  const RandomAccess& bytes_;
  const bool in_order_;
  const size_t size_;
  std::atomic<bool> only_read_ = false;
  DullLines dull_{TextEventBuilder::Rules()};  // of the scanning thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;   // this and the next three are guarded by mutex_
  bool reading_ = false;   // somebody does, and nobody else may
  uint64_t claimed_ = 0;   // chunks that somebody fills or has filled
  uint64_t released_ = 0;  // chunks that are done with
  std::vector<Chunk> slots_;
  std::vector<std::thread> threads_;
};

}  // namespace pt2triage
