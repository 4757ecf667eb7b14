#include "scan/result_codec.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "record/md5.h"
#include "scan/result_fields.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

std::string Md5Hex(std::string_view bytes) {
  Md5 sum;
  sum.Update(bytes);
  return sum.HexDigest();
}

constexpr std::string_view kMagic = "pt2triage result " PT2TRIAGE_VERSION "\n";
constexpr size_t kSumSize = 32;  // of an MD5 in hex
// A folder holds files, and no folders.
constexpr int kMaxDepth = 2;

// What has a list of fields; texts and lists are taken apart by name.
template <typename T>
concept Struct = std::is_aggregate_v<T> && std::is_class_v<T>;

// Numbers take 7 bits a byte, texts and lists begin with their size.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  void operator()(const auto&... values) { (Put(values), ...); }

 private:
  void PutNumber(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      out_->push_back(static_cast<char>(value | 0x80));
    }
    out_->push_back(static_cast<char>(value));
  }
  void Put(std::unsigned_integral auto value) { PutNumber(value); }
  void Put(std::signed_integral auto value) {
    // Small negative numbers stay short.
    const auto wide = static_cast<int64_t>(value);
    PutNumber((static_cast<uint64_t>(wide) << 1) ^
              static_cast<uint64_t>(wide >> 63));
  }
  template <typename T>
    requires std::is_enum_v<T>
  void Put(T value) {
    PutNumber(static_cast<uint64_t>(value));
  }
  void Put(const std::string& text) {
    PutNumber(text.size());
    out_->append(text);
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    PutNumber(value ? 1 : 0);
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    PutNumber(values.size());
    for (const T& value : values) Put(value);
  }
  template <typename T, size_t N>
  void Put(const std::array<T, N>& values) {
    for (const T& value : values) Put(value);
  }
  template <typename T>
  void Put(const std::shared_ptr<T>& shared) {
    PutNumber(shared ? 1 : 0);
    if (shared) Put(*shared);
  }
  void Put(const Struct auto& value) { VisitFields(value, *this); }

  std::string* out_;
};

// Reads what Writer wrote. After the first thing that is wrong, all is empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void operator()(auto&... values) { (Get(values), ...); }
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  void Fail() {
    ok_ = false;
    bytes_ = {};
  }
  uint64_t GetNumber() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  // Of a list, each entry of which takes a byte at least.
  size_t GetSize() {
    const uint64_t size = GetNumber();
    if (size <= bytes_.size()) return static_cast<size_t>(size);
    Fail();
    return 0;
  }
  template <std::unsigned_integral T>
  void Get(T& value) {
    const uint64_t number = GetNumber();
    value = static_cast<T>(number);
    if (value != number) Fail();
  }
  template <std::signed_integral T>
  void Get(T& value) {
    const uint64_t number = GetNumber();
    const auto wide = static_cast<int64_t>((number >> 1) ^ (0 - (number & 1)));
    value = static_cast<T>(wide);
    if (value != wide) Fail();
  }
  template <typename T>
    requires std::is_enum_v<T>
  void Get(T& value) {
    const uint64_t number = GetNumber();
    if (number > static_cast<uint64_t>(LastValueOf(T{}))) return Fail();
    value = static_cast<T>(number);
  }
  void Get(std::string& text) {
    const size_t size = GetSize();
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    value.reset();
    if (GetNumber() != 0) Get(value.emplace());
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    values.clear();
    const size_t size = GetSize();
    // Entries may be larger than their bytes, so room grows with what is read.
    for (size_t i = 0; i < size && ok_; ++i) Get(values.emplace_back());
  }
  template <typename T, size_t N>
  void Get(std::array<T, N>& values) {
    for (T& value : values) Get(value);
  }
  void Get(std::shared_ptr<SourceResult>& result) {
    result.reset();
    if (GetNumber() == 0) return;
    if (++depth_ >= kMaxDepth) return Fail();
    result = std::make_shared<SourceResult>();
    Get(*result);
    --depth_;
  }
  // Events in a row mostly share it.
  void Get(std::shared_ptr<const Origin>& shared) {
    shared.reset();
    if (GetNumber() == 0) return;
    Origin origin;
    Get(origin);
    if (!last_origin_ || *last_origin_ != origin) {
      last_origin_ = std::make_shared<const Origin>(std::move(origin));
    }
    shared = last_origin_;
  }
  void Get(Struct auto& value) { VisitFields(value, *this); }

  std::string_view bytes_;
  bool ok_ = true;
  int depth_ = 0;
  std::shared_ptr<const Origin> last_origin_;
};

}  // namespace

std::string EncodeResult(const SourceResult& result) {
  std::string bytes(kMagic);
  Writer write(&bytes);
  write(result);
  bytes += Md5Hex(bytes);
  return bytes;
}

absl::StatusOr<std::shared_ptr<SourceResult>> DecodeResult(
    std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return absl::FailedPreconditionError(
        "it was written by another version of pt2triage");
  }
  const size_t end = bytes.size() - std::min(bytes.size(), kSumSize);
  if (end < kMagic.size() ||
      Md5Hex(bytes.substr(0, end)) != bytes.substr(end)) {
    return absl::DataLossError("it is damaged");
  }
  Reader read(bytes.substr(kMagic.size(), end - kMagic.size()));
  auto result = std::make_shared<SourceResult>();
  read(*result);
  if (!read.ok() || !read.at_end()) return absl::DataLossError("it is damaged");
  return result;
}

}  // namespace pt2triage
