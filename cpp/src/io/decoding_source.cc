#include "io/decoding_source.h"

#include <cstring>
#include <utility>

#include "io/unread.h"

namespace pt2triage {
namespace {

constexpr size_t kBuffer = size_t{128} << 10;
// Less never counts as a bomb: a few lines may shrink to next to nothing.
constexpr uint64_t kHarmless = uint64_t{64} << 20;
// What BeginsFrame() wants to see.
constexpr size_t kMagic = 4;

std::string Number(uint64_t value) { return std::to_string(value); }

}  // namespace

DecodingSource::DecodingSource(std::unique_ptr<Source> packed, Codec codec,
                               std::unique_ptr<Decoder> decoder,
                               const DecodeLimits& limits,
                               std::atomic<uint64_t>* total, Expected expected)
    : Source(packed->name()),
      packed_(std::move(packed)),
      codec_(codec),
      decoder_(std::move(decoder)),
      limits_(limits),
      total_(total),
      expected_(expected),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {}

std::optional<uint64_t> DecodingSource::Consumed() const {
  const std::optional<uint64_t> below = packed_->Consumed();
  return below ? below : read_;
}

std::string DecodingSource::Where() const {
  return "at byte " + Number(read_ - in_.size());
}

absl::Status DecodingSource::Fill(size_t wanted) {
  if (in_.size() >= wanted || at_end_) return absl::OkStatus();
  if (!in_.empty()) std::memmove(buffer_.get(), in_.data(), in_.size());
  size_t have = in_.size();
  while (have < wanted && !at_end_) {
    const absl::StatusOr<size_t> n =
        packed_->Read(buffer_.get() + have, kBuffer - have);
    if (!n.ok()) return n.status();
    at_end_ = *n == 0;
    read_ += *n;
    have += *n;
    in_ = {buffer_.get(), have};
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> DecodingSource::GoesOn() {
  const absl::Status status = Fill(kMagic);
  if (!status.ok()) return status;
  if (in_.empty()) return false;
  if (codec_ == Codec::kStored) return true;
  if (!BeginsFrame(codec_, in_)) {
    const absl::Status counted = CountTrailing();
    if (!counted.ok()) return counted;
    return false;
  }
  decoder_->Restart();
  return true;
}

absl::Status DecodingSource::CountTrailing() {
  const uint64_t start = read_ - in_.size();
  bool padding = true;  // as on tapes
  while (!in_.empty()) {
    padding = padding && in_.find_first_not_of('\0') == std::string_view::npos;
    in_ = {};
    const absl::Status status = Fill(1);
    if (!status.ok()) return status;
  }
  if (!padding) {
    warning_ = Number(read_ - start) + " bytes behind the end of the " +
               std::string(CodecName(codec_)) + " data, from its byte " +
               Number(start) + " on";
  }
  return absl::OkStatus();
}

absl::Status DecodingSource::Count(std::string_view given) {
  if (expected_.crc) crc_ = Crc32(crc_, given);
  given_ += given.size();
  if (given_ > kHarmless && codec_ != Codec::kStored &&
      given_ / limits_.max_ratio > read_ - in_.size()) {
    return LimitStatus("it becomes more than " + Number(limits_.max_ratio) +
                       " times as large when it is decompressed; --max-ratio "
                       "allows more");
  }
  const uint64_t all =
      total_ != nullptr
          ? total_->fetch_add(given.size(), std::memory_order_relaxed) +
                given.size()
          : given_;
  if (all > limits_.max_bytes) {
    return LimitStatus(
        "more than " + Number(limits_.max_bytes) +
        " bytes come out of it; --max-archive-bytes allows more");
  }
  return absl::OkStatus();
}

absl::Status DecodingSource::AtEnd() {
  done_ = true;
  if (expected_.size && given_ != *expected_.size) {
    return DamagedStatus("its size is " + Number(given_) +
                         " bytes, not the announced " +
                         Number(*expected_.size));
  }
  if (expected_.crc && crc_ != *expected_.crc) {
    return DamagedStatus("its checksum is not the announced one");
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> DecodingSource::Read(char* buffer, size_t size) {
  if (!status_.ok()) return status_;
  absl::StatusOr<size_t> n = Next(buffer, size);
  status_ = n.status();
  return n;
}

// libzstd also reads the formats of before its first version, and not all of
// them from bytes cut anywhere.
absl::Status DecodingSource::Begin() {
  begun_ = true;
  if (codec_ != Codec::kZstd) return absl::OkStatus();
  const absl::Status status = Fill(kMagic);
  if (!status.ok() || in_.size() < kMagic || BeginsFrame(codec_, in_)) {
    return status;
  }
  return DamagedStatus("it does not begin as zstd data does");
}

absl::StatusOr<size_t> DecodingSource::Next(char* buffer, size_t size) {
  if (!begun_) {
    const absl::Status status = Begin();
    if (!status.ok()) return status;
  }
  while (!done_ && size > 0) {
    if (decoder_->finished()) {
      const absl::StatusOr<bool> goes_on = GoesOn();
      if (!goes_on.ok()) return goes_on.status();
      if (!*goes_on) {
        const absl::Status status = AtEnd();
        if (!status.ok()) return status;
        break;
      }
    }
    absl::StatusOr<Decoder::Step> step = decoder_->Decode(in_, buffer, size);
    if (!step.ok()) {
      if (!absl::IsInvalidArgument(step.status())) return step.status();
      return DamagedStatus("its " + std::string(CodecName(codec_)) +
                           " data is damaged " + Where() + " (" +
                           std::string(step.status().message()) + ")");
    }
    in_.remove_prefix(step->taken);
    if (step->given > 0) {
      const absl::Status status = Count({buffer, step->given});
      if (!status.ok()) return status;
      return step->given;
    }
    if (decoder_->finished() || step->taken > 0) continue;
    if (at_end_)
      return CutStatus("its " + std::string(CodecName(codec_)) +
                       " data ends early, " + Where());
    const absl::Status status = Fill(in_.size() + 1);
    if (!status.ok()) return status;
  }
  return size_t{0};
}

absl::StatusOr<std::unique_ptr<Source>> Decode(std::unique_ptr<Source> packed,
                                               Codec codec,
                                               const DecodeLimits& limits,
                                               std::atomic<uint64_t>* total,
                                               const Expected& expected) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = MakeDecoder(codec);
  if (!decoder.ok()) return decoder.status();
  return std::make_unique<DecodingSource>(
      std::move(packed), codec, *std::move(decoder), limits, total, expected);
}

}  // namespace pt2triage
