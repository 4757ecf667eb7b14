#include <algorithm>
#include <string>
#include <utility>

#include "io/decoder.h"
#include "io/unread.h"

namespace pt2triage {
namespace {

// The members of zip archives that are not compressed.
class StoredDecoder : public Decoder {
 public:
  absl::StatusOr<Step> Decode(std::string_view in, char* out,
                              size_t size) override {
    const size_t n = in.copy(out, size);
    return Step{n, n};
  }
  bool finished() const override { return true; }
  void Restart() override {}
};

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(Codec codec) {
  std::unique_ptr<Decoder> decoder;
  switch (codec) {
    case Codec::kGzip:
    case Codec::kDeflate:
      decoder = MakeIsalDecoder(codec);
      if (!decoder) decoder = MakeZlibDecoder(codec);
      return decoder;
    case Codec::kZstd:
      decoder = MakeZstdDecoder();
      if (decoder) return decoder;
      return UnsupportedStatus(
          "pt2triage was built without zstd: build it with libzstd, or "
          "decompress the file first");
    case Codec::kStored:
      return std::make_unique<StoredDecoder>();
    default:
      return UnsupportedStatus(std::string(CodecName(codec)) +
                               " is not decoded here");
  }
}

}  // namespace pt2triage
