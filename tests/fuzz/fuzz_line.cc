// Lines add up to the input, and what the cleaner leaves of one are bytes of it
// in their order.
#include <string>
#include <string_view>

#include "check.h"
#include "line/decorations.h"
#include "line/line_splitter.h"

using pt2triage::Line;
using pt2triage::LineCleaner;
using pt2triage::LineSplitter;
using pt2triage::PhysicalLine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = Text(data, size);
  const size_t chunk = size == 0 ? 1 : 1 + data[0] % 97;
  LineSplitter splitter;
  LineCleaner cleaner;
  std::string joined;
  auto sink = [&](const PhysicalLine& physical) {
    Check(physical.offset == joined.size(), "lines follow each other");
    joined.append(physical.text);
    if (physical.length > physical.text.size()) joined += '\n';
    Check(physical.offset + physical.length == joined.size(), "line lengths");
    const Line line = cleaner.Clean(physical);
    size_t at = 0;
    for (const char c : line.text) {
      at = physical.text.find(c, at);
      Check(at != std::string_view::npos, "cleaned bytes keep their order");
      ++at;
    }
  };
  for (size_t i = 0; i < size; i += chunk) {
    splitter.Feed(text.substr(i, chunk), sink);
  }
  splitter.Finish(sink);
  Check(joined == text, "no byte is lost");
  Check(splitter.bytes() == size, "bytes are counted");
  return 0;
}
