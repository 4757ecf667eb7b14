#include "io/read_ahead.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace pt2triage {
namespace {

constexpr size_t kBlock = size_t{256} << 10;
constexpr size_t kBlocks = 4;

struct Block {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;        // 0: the end, or `status`
  uint64_t consumed = 0;  // by the source until then
};

// The thread fills blocks in turn; the reader empties them in turn. A block is
// of the thread while `filled_` does not count it, else of the reader.
class AheadSource : public Source {
 public:
  explicit AheadSource(std::unique_ptr<Source> source)
      : Source(source->name()), source_(std::move(source)) {
    for (Block& block : blocks_) {
      block.bytes = std::make_unique_for_overwrite<char[]>(kBlock);
    }
  }
  ~AheadSource() override { Join(); }
  AheadSource(const AheadSource&) = delete;
  AheadSource& operator=(const AheadSource&) = delete;

  // False if the system allows no more threads; then Take() gives it back.
  bool Start() {
    try {
      thread_ = std::thread([this] { Work(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }
  std::unique_ptr<Source> Take() { return std::move(source_); }

  void Join() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    Block& block = blocks_[emptied_ % kBlocks];
    if (given_ == 0) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return filled_ > emptied_; });
      consumed_ = block.consumed;
    }
    if (block.size == 0) {  // it stays, so that the end comes again
      if (out_of_memory_) throw std::bad_alloc();
      if (!status_.ok()) return status_;
      return size_t{0};
    }
    const size_t n = std::min(size, block.size - given_);
    std::memcpy(buffer, block.bytes.get() + given_, n);
    given_ += n;
    if (given_ == block.size) {
      given_ = 0;
      {
        const std::lock_guard lock(mutex_);
        ++emptied_;
      }
      changed_.notify_all();
    }
    return n;
  }
  std::optional<uint64_t> Size() const override { return source_->Size(); }
  std::optional<uint64_t> Consumed() const override { return consumed_; }
  std::string Warning() const override { return source_->Warning(); }

 private:
  void Work() {
    bool goes_on = true;
    while (goes_on) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(
            lock, [this] { return stopped_ || filled_ < emptied_ + kBlocks; });
        if (stopped_) return;
      }
      goes_on = FillBlock(&blocks_[filled_ % kBlocks]);
      {
        const std::lock_guard lock(mutex_);
        ++filled_;
      }
      changed_.notify_all();
    }
  }

  // False at the end. What came before an error goes first.
  bool FillBlock(Block* block) {
    block->size = 0;
    if (!status_.ok() || out_of_memory_) return false;
    try {
      while (block->size < kBlock) {
        const absl::StatusOr<size_t> n = source_->Read(
            block->bytes.get() + block->size, kBlock - block->size);
        if (!n.ok()) status_ = n.status();
        if (!n.ok() || *n == 0) break;
        block->size += *n;
      }
      block->consumed = source_->Consumed().value_or(0);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    }
    return block->size > 0;
  }

  std::unique_ptr<Source> source_;
  std::array<Block, kBlocks> blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;  // this and the next two are guarded by mutex_
  uint64_t filled_ = 0;
  uint64_t emptied_ = 0;
  // Written by the thread before it counts its last block.
  absl::Status status_;
  bool out_of_memory_ = false;
  size_t given_ = 0;  // of the block that is read
  uint64_t consumed_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Source> ReadAhead(std::unique_ptr<Source> source) {
  auto ahead = std::make_unique<AheadSource>(std::move(source));
  if (!ahead->Start()) return ahead->Take();
  return ahead;
}

}  // namespace pt2triage
