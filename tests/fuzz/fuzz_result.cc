// Bytes that say they are the result of a scan: read safely, and what is read
// is written the same.
#include <memory>
#include <string>
#include <string_view>

#include "check.h"
#include "record/md5.h"
#include "scan/result_codec.h"
#include "scan/source_result.h"

namespace {

// With the first line and the checksum that make it worth reading.
std::string Framed(std::string_view body) {
  static const std::string& empty =
      *new std::string(pt2triage::EncodeResult(pt2triage::SourceResult{}));
  std::string bytes = empty.substr(0, empty.find('\n') + 1);
  bytes += body;
  pt2triage::Md5 sum;
  sum.Update(bytes);
  return bytes + sum.HexDigest();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto result = pt2triage::DecodeResult(Framed(Text(data, size)));
  if (!result.ok()) return 0;
  const std::string bytes = pt2triage::EncodeResult(**result);
  const auto again = pt2triage::DecodeResult(bytes);
  Check(again.ok(), "what was written can be read");
  Check(pt2triage::EncodeResult(**again) == bytes, "it is written the same");
  return 0;
}
