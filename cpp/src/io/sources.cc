#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "pt2triage/source.h"

namespace pt2triage {
namespace {

absl::Status ErrnoStatus(const std::string& name, int error) {
  std::string message = name + ": " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(message);
  }
  return absl::UnavailableError(message);
}

// Waits until `fd`, which does not block by itself, has something to read.
void WaitFor(int fd) {
  struct pollfd wanted = {fd, POLLIN, 0};
  ::poll(&wanted, 1, -1);
}

// Reads a descriptor, which it owns when `owned`. Retries EINTR.
class DescriptorSource : public Source {
 public:
  DescriptorSource(int fd, bool owned, std::optional<uint64_t> size,
                   std::string name)
      : Source(std::move(name)), fd_(fd), owned_(owned), size_(size) {}
  ~DescriptorSource() override {
    if (owned_) ::close(fd_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    while (true) {
      ssize_t n = ::read(fd_, buffer, size);
      if (n >= 0) return static_cast<size_t>(n);
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        WaitFor(fd_);
      } else if (errno != EINTR) {
        return ErrnoStatus(name(), errno);
      }
    }
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  int fd_;
  bool owned_;
  std::optional<uint64_t> size_;
};

class MemorySource : public Source {
 public:
  MemorySource(std::string_view bytes, std::string name)
      : Source(std::move(name)), bytes_(bytes), size_(bytes.size()) {}
  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    size_t n = bytes_.copy(buffer, size);
    bytes_.remove_prefix(n);
    return n;
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  std::string_view bytes_;
  uint64_t size_;
};

class CallbackSource : public Source {
 public:
  CallbackSource(std::function<absl::StatusOr<size_t>(char*, size_t)> read,
                 std::string name)
      : Source(std::move(name)), read_(std::move(read)) {}
  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    return read_(buffer, size);
  }

 private:
  std::function<absl::StatusOr<size_t>(char*, size_t)> read_;
};

class FileAccess : public RandomAccess {
 public:
  FileAccess(int fd, uint64_t size, std::string name)
      : RandomAccess(std::move(name), size), fd_(fd) {}
  ~FileAccess() override { ::close(fd_); }
  FileAccess(const FileAccess&) = delete;
  FileAccess& operator=(const FileAccess&) = delete;

  absl::StatusOr<size_t> ReadAt(uint64_t offset, char* buffer,
                                size_t size) const override {
    while (true) {
      ssize_t n = ::pread(fd_, buffer, size, static_cast<off_t>(offset));
      if (n >= 0) return static_cast<size_t>(n);
      if (errno != EINTR) return ErrnoStatus(name(), errno);
    }
  }

 private:
  int fd_;
};

class MemoryAccess : public RandomAccess {
 public:
  MemoryAccess(std::string_view bytes, std::string name)
      : RandomAccess(std::move(name), bytes.size()), bytes_(bytes) {}
  absl::StatusOr<size_t> ReadAt(uint64_t offset, char* buffer,
                                size_t size) const override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(buffer, size, offset);
  }

 private:
  std::string_view bytes_;
};

bool IsLargeFile(const struct stat& info, uint64_t min_size) {
  return S_ISREG(info.st_mode) &&
         static_cast<uint64_t>(info.st_size) >= min_size;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccess>> OpenLargeFile(
    const std::string& path, uint64_t min_size) {
  // To open a FIFO and close it again would end its writer.
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(path, errno);
  if (!IsLargeFile(info, min_size)) return nullptr;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(path, errno);
  return std::make_unique<FileAccess>(fd, static_cast<uint64_t>(info.st_size),
                                      path);
}

std::unique_ptr<RandomAccess> AccessMemory(std::string_view bytes,
                                           std::string name) {
  return std::make_unique<MemoryAccess>(bytes, std::move(name));
}

absl::StatusOr<std::unique_ptr<Source>> OpenFile(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(path, errno);
  struct stat info{};
  std::optional<uint64_t> size;
  if (::fstat(fd, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      ::close(fd);
      return ErrnoStatus(path, EISDIR);
    }
    if (S_ISREG(info.st_mode)) size = static_cast<uint64_t>(info.st_size);
  }
  return std::make_unique<DescriptorSource>(fd, true, size, path);
}

std::unique_ptr<Source> FromDescriptor(int fd, std::string name) {
  return std::make_unique<DescriptorSource>(fd, false, std::nullopt,
                                            std::move(name));
}

std::unique_ptr<Source> FromMemory(std::string_view bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

std::unique_ptr<Source> FromCallback(
    std::function<absl::StatusOr<size_t>(char*, size_t)> read,
    std::string name) {
  return std::make_unique<CallbackSource>(std::move(read), std::move(name));
}

}  // namespace pt2triage
