// What decompresses: one interface over zlib, ISA-L and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "io/codec.h"

namespace pt2triage {

// Decodes one gzip member, zstd frame or raw deflate stream after the other,
// from bytes cut anywhere. Owns its state (zlib 48 KiB, ISA-L 80 KiB, zstd as
// the frame's window, at most 128 MiB). Not thread-safe.
class Decoder {
 public:
  // How many bytes one call took and gave.
  struct Step {
    size_t taken = 0;
    size_t given = 0;
  };

  virtual ~Decoder() = default;
  // Takes bytes off the front of `in` and writes at most `size`. If it neither
  // takes nor gives any, it needs more bytes. An error is DamagedStatus() or
  // LimitStatus() of io/unread.h.
  virtual absl::StatusOr<Step> Decode(std::string_view in, char* out,
                                      size_t size) = 0;
  // The end of a member or frame is reached, with its checksum.
  virtual bool finished() const = 0;
  // Makes it ready for the next member or frame.
  virtual void Restart() = 0;
};

// The quickest that was built in; kUnimplemented for what was not.
absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(Codec codec);

// The parts of it: `codec` is kGzip or kDeflate. For tests.
std::unique_ptr<Decoder> MakeZlibDecoder(Codec codec);
std::unique_ptr<Decoder> MakeIsalDecoder(Codec codec);  // null: not built in
std::unique_ptr<Decoder> MakeZstdDecoder();             // null: not built in

// The CRC-32 of gzip and zip, going on from `crc`.
uint32_t Crc32(uint32_t crc, std::string_view bytes);

}  // namespace pt2triage
