#include "io/decoder.h"
#include "io/unread.h"

#ifdef PT2TRIAGE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>
#include <string>
#else
#include <zlib.h>
#endif

namespace pt2triage {

#ifdef PT2TRIAGE_ISAL
namespace {

uint32_t AtMost(size_t size) {
  return static_cast<uint32_t>(
      std::min<size_t>(size, std::numeric_limits<uint32_t>::max() / 2));
}

std::string Problem(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    default:
      return "bad data";
  }
}

class IsalDecoder : public Decoder {
 public:
  explicit IsalDecoder(Codec codec)
      : format_(codec == Codec::kGzip ? ISAL_GZIP : ISAL_DEFLATE) {
    isal_inflate_init(&state_);
    state_.crc_flag = format_;
  }

  absl::StatusOr<Step> Decode(std::string_view in, char* out,
                              size_t size) override {
    if (!problem_.ok()) return problem_;
    // ISA-L does not write to it.
    state_.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));  // NOLINT
    state_.avail_in = AtMost(in.size());
    state_.next_out = reinterpret_cast<uint8_t*>(out);
    state_.avail_out = AtMost(size);
    const uint32_t had = state_.avail_in;
    const uint32_t room = state_.avail_out;
    const int code = isal_inflate(&state_);
    const Step step{had - state_.avail_in, room - state_.avail_out};
    finished_ = state_.block_state == ISAL_BLOCK_FINISH;
    if (code == ISAL_DECOMP_OK || code == ISAL_END_INPUT) return step;
    finished_ = false;
    problem_ = DamagedStatus(Problem(code));
    if (step.given > 0) return step;  // what came before it
    return problem_;
  }
  bool finished() const override { return finished_; }
  void Restart() override {
    isal_inflate_reset(&state_);
    state_.crc_flag = format_;
    finished_ = false;
  }

 private:
  uint32_t format_;
  bool finished_ = false;
  absl::Status problem_;
  inflate_state state_;
};

}  // namespace

std::unique_ptr<Decoder> MakeIsalDecoder(Codec codec) {
  return std::make_unique<IsalDecoder>(codec);
}

uint32_t Crc32(uint32_t crc, std::string_view bytes) {
  return crc32_gzip_refl(
      crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}
#else
std::unique_ptr<Decoder> MakeIsalDecoder(Codec) { return nullptr; }

uint32_t Crc32(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}
#endif

}  // namespace pt2triage
