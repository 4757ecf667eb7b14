#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "io/decoder.h"
#include "io/unread.h"

namespace pt2triage {
namespace {

uInt AtMost(size_t size) {
  return static_cast<uInt>(
      std::min<size_t>(size, std::numeric_limits<uInt>::max()));
}

class ZlibDecoder : public Decoder {
 public:
  explicit ZlibDecoder(Codec codec) {
    // 15: the largest window; 16 more: a gzip header; negative: no header.
    const int window = codec == Codec::kGzip ? 15 + 16 : -15;
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecoder() override { inflateEnd(&stream_); }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  absl::StatusOr<Step> Decode(std::string_view in, char* out,
                              size_t size) override {
    // zlib does not write to it.
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT
    stream_.avail_in = AtMost(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = AtMost(size);
    const uInt had = stream_.avail_in;
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    const Step step{had - stream_.avail_in, room - stream_.avail_out};
    finished_ = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) {
      return step;
    }
    // What came before the damage is given first; it is met again.
    if (step.given > 0) return step;
    return DamagedStatus(stream_.msg != nullptr ? stream_.msg : "bad data");
  }
  bool finished() const override { return finished_; }
  void Restart() override {
    inflateReset(&stream_);
    finished_ = false;
  }

 private:
  z_stream stream_{};
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Decoder> MakeZlibDecoder(Codec codec) {
  return std::make_unique<ZlibDecoder>(codec);
}

}  // namespace pt2triage
