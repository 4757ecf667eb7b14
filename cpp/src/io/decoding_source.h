// A source over another one: what its compressed bytes stand for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/decoder.h"
#include "pt2triage/source.h"

namespace pt2triage {

// What is known beforehand of the decoded bytes; an archive says it.
struct Expected {
  std::optional<uint32_t> crc;
  std::optional<uint64_t> size;
};

// Reads one member or frame after the other. Ends with a status of io/unread.h
// where the data is cut or damaged, or becomes more than `limits` allow; all
// that was decoded until then is given before. Bytes behind the end that are no
// further member are told by Warning(). Memory: 128 KiB and the decoder's.
class DecodingSource : public Source {
 public:
  // `total` counts what all sources of one archive give together; it may be
  // null and must outlive this.
  DecodingSource(std::unique_ptr<Source> packed, Codec codec,
                 std::unique_ptr<Decoder> decoder, const DecodeLimits& limits,
                 std::atomic<uint64_t>* total = nullptr,
                 Expected expected = {});

  absl::StatusOr<size_t> Read(char* buffer, size_t size) override;
  std::optional<uint64_t> Size() const override { return std::nullopt; }
  std::optional<uint64_t> Consumed() const override;
  std::string Warning() const override { return warning_; }

 private:
  // Reads until `wanted` bytes are there, or the end.
  absl::Status Fill(size_t wanted);
  // Looks at the first bytes.
  absl::Status Begin();
  // Behind a member: whether another one follows.
  absl::StatusOr<bool> GoesOn();
  absl::StatusOr<size_t> Next(char* buffer, size_t size);
  absl::Status CountTrailing();
  absl::Status Count(std::string_view given);
  absl::Status AtEnd();
  std::string Where() const;

  std::unique_ptr<Source> packed_;
  const Codec codec_;
  std::unique_ptr<Decoder> decoder_;
  const DecodeLimits limits_;
  std::atomic<uint64_t>* const total_;
  const Expected expected_;

  std::unique_ptr<char[]> buffer_;
  std::string_view in_;  // what waits in it
  bool begun_ = false;
  bool at_end_ = false;  // of `packed_`
  bool done_ = false;
  absl::Status status_;  // that ended it: it comes again
  uint64_t read_ = 0;    // from `packed_`
  uint64_t given_ = 0;   // by Read()
  uint32_t crc_ = 0;
  std::string warning_;
};

// Decodes what `packed` holds. kUnimplemented where the codec is not built in.
absl::StatusOr<std::unique_ptr<Source>> Decode(
    std::unique_ptr<Source> packed, Codec codec, const DecodeLimits& limits,
    std::atomic<uint64_t>* total = nullptr, const Expected& expected = {});

}  // namespace pt2triage
