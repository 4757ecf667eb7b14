// Decoders take any bytes, however they are cut, and stay within their limits.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "check.h"
#include "io/codec.h"
#include "io/decoding_source.h"

namespace {

constexpr size_t kMost = size_t{1} << 20;

struct Decoded {
  std::string text;
  absl::Status status;
};

Decoded Decode(std::string_view bytes, pt2triage::Codec codec, size_t step) {
  auto packed = pt2triage::FromCallback(
      [bytes, step](char* buffer,
                    size_t size) mutable -> absl::StatusOr<size_t> {
        const size_t n = bytes.copy(buffer, std::min(size, step));
        bytes.remove_prefix(n);
        return n;
      },
      "fuzz");
  auto source =
      pt2triage::Decode(std::move(packed), codec, {.max_bytes = kMost});
  Decoded decoded;
  if (!source.ok()) {
    decoded.status = source.status();
    return decoded;
  }
  std::string buffer(4096, '\0');
  while (true) {
    const auto n = (*source)->Read(buffer.data(), buffer.size());
    decoded.status = n.status();
    if (!n.ok() || *n == 0) break;
    decoded.text.append(buffer, 0, *n);
    Check(decoded.text.size() <= kMost, "the limit holds");
  }
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using pt2triage::Codec;
  const std::string_view bytes = Text(data, size);
  for (Codec codec : {Codec::kGzip, Codec::kZstd, Codec::kDeflate}) {
    const Decoded whole = Decode(bytes, codec, size + 1);
    const Decoded cut = Decode(bytes, codec, 1);
    Check(whole.status.ok() == cut.status.ok(), "chunks do not matter");
    if (whole.status.ok()) Check(whole.text == cut.text, "nor for the text");
  }
  pt2triage::SniffCodec(bytes);
  return 0;
}
