// Where bytes come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pt2triage {

// One stream of bytes with a name. Read() blocks, fills at most `size` bytes
// and returns 0 at the end; it may return less than asked for at any time.
// Not thread-safe: one thread reads one source. Nothing here assumes a plain
// file, so a decoder or an archive member is one more subclass.
class Source {
 public:
  virtual ~Source() = default;
  virtual absl::StatusOr<size_t> Read(char* buffer, size_t size) = 0;
  // Bytes in all, if known beforehand (for progress only).
  virtual std::optional<uint64_t> Size() const { return std::nullopt; }
  // Bytes taken so far of those that Size() of a file counts, where they are
  // not the bytes that Read() gave (for progress only).
  virtual std::optional<uint64_t> Consumed() const { return std::nullopt; }
  // What was odd, though it was read to its end: a part of a sentence, or
  // empty.
  virtual std::string Warning() const { return {}; }
  const std::string& name() const { return name_; }

 protected:
  explicit Source(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// How much compressed data may become before it is taken for a bomb. The
// command and the Python package have these as options.
struct DecodeLimits {
  // Times its own size; only beyond 64 MiB.
  uint64_t max_ratio = 1000;
  // Bytes out of one file, with all that is packed in it.
  uint64_t max_bytes = uint64_t{64} << 30;
  // Packed in each other: 2 allows a .gz in a .zip.
  uint32_t max_depth = 2;
};

// Bytes with a name that can be read at any place. Thread-safe.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  // As Source::Read(), from `offset` on.
  virtual absl::StatusOr<size_t> ReadAt(uint64_t offset, char* buffer,
                                        size_t size) const = 0;
  const std::string& name() const { return name_; }
  // What it held when it was opened.
  uint64_t size() const { return size_; }

 protected:
  RandomAccess(std::string name, uint64_t size)
      : name_(std::move(name)), size_(size) {}

 private:
  std::string name_;
  uint64_t size_;
};

// Opens a regular file of at least `min_size` bytes; null if it is anything
// else. Errors are those of OpenFile().
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenLargeFile(
    const std::string& path, uint64_t min_size);
// Reads memory that must outlive the object.
std::unique_ptr<RandomAccess> AccessMemory(std::string_view bytes,
                                           std::string name);

// Opens a regular file, FIFO or device; a folder or a missing file is an error
// whose message names the path.
absl::StatusOr<std::unique_ptr<Source>> OpenFile(const std::string& path);
// Reads an open descriptor that stays the caller's (stdin).
std::unique_ptr<Source> FromDescriptor(int fd, std::string name);
// Reads memory that must outlive the source.
std::unique_ptr<Source> FromMemory(std::string_view bytes, std::string name);
// Pulls from a callback: it fills the buffer and returns the count, 0 at end.
std::unique_ptr<Source> FromCallback(
    std::function<absl::StatusOr<size_t>(char*, size_t)> read,
    std::string name);

}  // namespace pt2triage
