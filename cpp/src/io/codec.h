// Tells what packs a source: compressed data and archives, by content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pt2triage {

enum class Codec : uint8_t {
  kNone,
  // Decoded by the core.
  kGzip,
  kZstd,
  kDeflate,  // only as a part of a zip archive: it has no magic number
  kStored,   // the same
  // Known, but opened by the caller of the core.
  kXz,
  kBzip2,
  kZip,
  kTar,
};

// "gzip" etc.; empty for kNone.
std::string_view CodecName(Codec codec);

// What the first bytes of a source say, never its name. kTar needs 512 of them.
Codec SniffCodec(std::string_view head);

// Bytes that SniffCodec() can make use of.
inline constexpr size_t kCodecHead = 512;

// Whether a stream of `codec` goes on with these bytes behind the end of a
// member or frame; four of them decide.
bool BeginsFrame(Codec codec, std::string_view bytes);

}  // namespace pt2triage
