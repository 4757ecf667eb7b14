#include "io/codec.h"

#include <array>
#include <optional>

namespace pt2triage {
namespace {

using std::string_view_literals::operator""sv;

unsigned Byte(char c) { return static_cast<unsigned char>(c); }

// Compression method deflate, and none of the flags that are reserved.
bool IsGzip(std::string_view head) {
  return head.size() >= 4 && head.starts_with("\x1f\x8b\x08") &&
         (Byte(head[3]) & 0xe0) == 0;
}

bool IsZstd(std::string_view head) {
  return head.starts_with("\x28\xb5\x2f\xfd") ||
         (head.size() >= 4 && (Byte(head[0]) & 0xf0) == 0x50 &&
          head.substr(1).starts_with("\x2a\x4d\x18"));  // a skippable frame
}

// "BZh9" alone may begin a text: a block or the end of the stream follows.
bool IsBzip2(std::string_view head) {
  return head.size() >= 10 && head.starts_with("BZh") && head[3] >= '1' &&
         head[3] <= '9' &&
         (head.substr(4).starts_with("1AY&SY") ||
          head.substr(4).starts_with("\x17\x72\x45\x38\x50\x90"));
}

// The number in a field of a tar header, which blanks or NULs end.
std::optional<unsigned> Octal(std::string_view field) {
  const size_t first = field.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  unsigned value = 0;
  size_t digits = 0;
  for (char c : field.substr(first)) {
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<unsigned>(c - '0');
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return value;
}

// By the checksum of the first header, which old archives without "ustar" have.
bool IsTar(std::string_view head) {
  constexpr size_t kAt = 148;
  constexpr size_t kLength = 8;
  if (head.size() < kCodecHead || head[0] == '\0') return false;
  const std::optional<unsigned> told = Octal(head.substr(kAt, kLength));
  if (!told) return false;
  unsigned sum = 0;
  for (size_t i = 0; i < kCodecHead; ++i) {
    sum += i >= kAt && i < kAt + kLength ? Byte(' ') : Byte(head[i]);
  }
  return sum == *told;
}

}  // namespace

std::string_view CodecName(Codec codec) {
  constexpr std::array<std::string_view, 9> kNames = {
      "", "gzip", "zstd", "deflate", "stored", "xz", "bzip2", "zip", "tar"};
  return kNames[static_cast<size_t>(codec)];
}

Codec SniffCodec(std::string_view head) {
  if (IsGzip(head)) return Codec::kGzip;
  if (IsZstd(head)) return Codec::kZstd;
  if (head.starts_with("\xfd"
                       "7zXZ\0"sv)) {
    return Codec::kXz;
  }
  if (IsBzip2(head)) return Codec::kBzip2;
  // The second is an archive without members.
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) {
    return Codec::kZip;
  }
  return IsTar(head) ? Codec::kTar : Codec::kNone;
}

bool BeginsFrame(Codec codec, std::string_view bytes) {
  switch (codec) {
    case Codec::kGzip:
      return IsGzip(bytes);
    case Codec::kZstd:
      return IsZstd(bytes);
    default:
      return false;
  }
}

}  // namespace pt2triage
