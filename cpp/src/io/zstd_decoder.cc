#include "io/decoder.h"
#include "io/unread.h"

#ifdef PT2TRIAGE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#endif

namespace pt2triage {

#ifdef PT2TRIAGE_ZSTD
namespace {

// The window that `zstd -d` takes without being asked; 128 MiB.
constexpr int kWindowLog = 27;
// Bytes that begin a frame.
constexpr size_t kFirst = 9;

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kWindowLog);
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  absl::StatusOr<Step> Decode(std::string_view in, char* out,
                              size_t size) override {
    // No more than one block, since an error takes along what came before it.
    ZSTD_inBuffer from{in.data(), std::min(in.size(), wanted_), 0};
    ZSTD_outBuffer to{out, size, 0};
    const size_t code = ZSTD_decompressStream(stream_, &to, &from);
    if (ZSTD_isError(code) != 0) return Problem(code);
    finished_ = code == 0;
    wanted_ = finished_ ? kFirst : code;
    return Step{from.pos, to.pos};
  }
  bool finished() const override { return finished_; }
  void Restart() override { finished_ = false; }

 private:
  static absl::Status Problem(size_t code) {
    switch (ZSTD_getErrorCode(code)) {
      case ZSTD_error_memory_allocation:
        throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge:
        return UnsupportedStatus(
            "it was compressed with a window of more than 128 MiB (zstd "
            "--long=28 or more); decompress it with zstd -d --long=31");
      case ZSTD_error_dictionary_wrong:
        return UnsupportedStatus("it was compressed with a dictionary");
      default:
        return DamagedStatus(ZSTD_getErrorName(code));
    }
  }

  ZSTD_DStream* stream_;
  size_t wanted_ = kFirst;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Decoder> MakeZstdDecoder() {
  return std::make_unique<ZstdDecoder>();
}
#else
std::unique_ptr<Decoder> MakeZstdDecoder() { return nullptr; }
#endif

}  // namespace pt2triage
