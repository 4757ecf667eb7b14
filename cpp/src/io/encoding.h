// Tells text from other bytes, and turns UTF-16 into UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pt2triage {

enum class Encoding : uint8_t { kUtf8, kUtf16Le, kUtf16Be, kBinary };

// Judges a source by its first bytes, never by its name. A byte-order mark
// decides for UTF-16; known magic numbers and control characters for binary.
// NULs alone do not: files that lost a write hold runs of them.
Encoding SniffEncoding(std::string_view head);

// "gzip" etc. for bytes that some program must unpack first; else empty.
std::string_view CompressionName(std::string_view head);

// Whether a file begins as a JSON document, or lines of JSON, that pt2triage
// wrote: what it quotes from logs is no log.
bool IsOwnReport(std::string_view head);

// Streams UTF-16 to UTF-8: Decode() takes chunks cut anywhere, appends to
// `*out`, and writes U+FFFD for what is no character. Keeps at most 3 bytes.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
  void Decode(std::string_view chunk, std::string* out);
  void Finish(std::string* out);

 private:
  void Unit(uint16_t unit, std::string* out);

  bool big_endian_;
  int half_ = -1;      // first byte of a unit
  uint16_t high_ = 0;  // a high surrogate that waits for its pair
};

}  // namespace pt2triage
