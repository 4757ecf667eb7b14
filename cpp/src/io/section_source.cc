#include "io/section_source.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "io/unread.h"

namespace pt2triage {
namespace {

class SectionSource : public Source {
 public:
  SectionSource(std::unique_ptr<RandomAccess> file, std::string name,
                uint64_t offset, uint64_t size)
      : Source(std::move(name)),
        file_(std::move(file)),
        offset_(offset),
        left_(size),
        size_(size) {}

  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(size, left_));
    if (wanted == 0) return size_t{0};
    const absl::StatusOr<size_t> n = file_->ReadAt(offset_, buffer, wanted);
    if (!n.ok()) return n.status();
    if (*n == 0) {
      return CutStatus(
          "the archive ends before this member does, at its byte " +
          std::to_string(offset_));
    }
    offset_ += *n;
    left_ -= *n;
    return *n;
  }
  std::optional<uint64_t> Size() const override { return size_; }

 private:
  std::unique_ptr<RandomAccess> file_;
  uint64_t offset_;
  uint64_t left_;
  uint64_t size_;
};

absl::StatusOr<std::unique_ptr<RandomAccess>> Open(const std::string& path) {
  absl::StatusOr<std::unique_ptr<RandomAccess>> file = OpenLargeFile(path, 0);
  if (file.ok() && !*file) {
    return absl::UnavailableError(path + ": it is no regular file any more");
  }
  return file;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> OpenSection(const std::string& path,
                                                    std::string name,
                                                    uint64_t offset,
                                                    uint64_t size) {
  absl::StatusOr<std::unique_ptr<RandomAccess>> file = Open(path);
  if (!file.ok()) return file.status();
  return std::make_unique<SectionSource>(*std::move(file), std::move(name),
                                         offset, size);
}

absl::StatusOr<uint64_t> ZipMemberStart(const std::string& path,
                                        uint64_t offset) {
  const absl::StatusOr<std::unique_ptr<RandomAccess>> file = Open(path);
  if (!file.ok()) return file.status();
  constexpr size_t kHeader = 30;
  std::array<char, kHeader> header{};
  size_t have = 0;
  while (have < kHeader) {
    const absl::StatusOr<size_t> n =
        (*file)->ReadAt(offset + have, header.data() + have, kHeader - have);
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    have += *n;
  }
  using std::string_view_literals::operator""sv;
  if (have < kHeader ||
      !std::string_view(header.data(), have).starts_with("PK\x03\x04"sv)) {
    return DamagedStatus("there is no member at byte " +
                         std::to_string(offset) + " of the archive");
  }
  const auto number = [&header](size_t at) {
    return static_cast<uint64_t>(static_cast<unsigned char>(header.at(at))) |
           static_cast<uint64_t>(static_cast<unsigned char>(header.at(at + 1)))
               << 8;
  };
  return offset + kHeader + number(26) + number(28);
}

}  // namespace pt2triage
