#include "io/encoding.h"

#include <array>

#include "base/utf8.h"
#include "io/codec.h"

namespace pt2triage {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view compression;  // empty: plainly binary
};
using std::string_view_literals::operator""sv;
// What SniffCodec() does not know.
constexpr std::array<Magic, 12> kMagics = {{
    {"\x04\x22\x4d\x18"sv, "lz4"},
    {"7z\xbc\xaf\x27\x1c"sv, "7z"},
    {"Rar!\x1a\x07"sv, "rar"},
    {"LZIP\x01"sv, "lzip"},
    {"\x1f\x9d"sv, "compress (.Z)"},
    {"\x5d\x00\x00"sv, "lzma"},
    {"SQLite format 3\x00"sv, ""},
    {"\x7f"
     "ELF"sv,
     ""},
    {"\x89PNG"sv, ""},
    {"\xff\xd8\xff"sv, ""},
    {"%PDF-"sv, ""},
    {"\xcf\xfa\xed\xfe"sv, ""},
}};

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsOddControl(unsigned char c) {
  return (c >= 1 && c < 7) || (c >= 14 && c < 27) || (c > 27 && c < 32);
}

}  // namespace

std::string_view CompressionName(std::string_view head) {
  const Codec codec = SniffCodec(head);
  if (codec != Codec::kNone) return CodecName(codec);
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return magic.compression;
  }
  return {};
}

Encoding SniffEncoding(std::string_view head) {
  if (head.starts_with("\xFF\xFE")) return Encoding::kUtf16Le;
  if (head.starts_with("\xFE\xFF")) return Encoding::kUtf16Be;
  if (SniffCodec(head) != Codec::kNone) return Encoding::kBinary;
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return Encoding::kBinary;
  }
  size_t odd = 0;
  for (char c : head) odd += IsOddControl(static_cast<unsigned char>(c));
  return odd * 12 > head.size() ? Encoding::kBinary : Encoding::kUtf8;
}

bool IsOwnReport(std::string_view head) {
  head = head.substr(0, 256);
  const auto has = [&](std::string_view text) {
    return head.find(text) != std::string_view::npos;
  };
  if (head.starts_with("{\"fingerprint\":\"")) return has("\"category\":\"");
  if (!head.starts_with("{")) return false;
  return has("\"schema_version\"") &&
         (has("\"name\": \"pt2triage\"") || has("\"name\":\"pt2triage\"") ||
          has("\"kind\": \"baseline\""));
}

void Utf16Decoder::Unit(uint16_t unit, std::string* out) {
  bool low = unit >= 0xDC00 && unit < 0xE000;
  if (high_ != 0) {
    if (low) {
      AppendUtf8(0x10000u + ((high_ - 0xD800u) << 10) + (unit - 0xDC00u), out);
      high_ = 0;
      return;
    }
    out->append(kReplacement);
    high_ = 0;
  }
  if (low) {
    out->append(kReplacement);
  } else if (unit >= 0xD800 && unit < 0xDC00) {
    high_ = unit;
  } else {
    AppendUtf8(unit, out);
  }
}

void Utf16Decoder::Decode(std::string_view chunk, std::string* out) {
  for (char c : chunk) {
    int byte = static_cast<unsigned char>(c);
    if (half_ < 0) {
      half_ = byte;
      continue;
    }
    int unit = big_endian_ ? (half_ << 8 | byte) : (byte << 8 | half_);
    half_ = -1;
    Unit(static_cast<uint16_t>(unit), out);
  }
}

void Utf16Decoder::Finish(std::string* out) {
  if (high_ != 0 || half_ >= 0) out->append(kReplacement);
  high_ = 0;
  half_ = -1;
}

}  // namespace pt2triage
