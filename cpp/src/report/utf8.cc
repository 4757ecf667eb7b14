#include "report/utf8.h"

#include <cstdint>
#include <cstring>

namespace pt2triage {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// What one byte position holds: `length` bytes that are either one well-formed
// character or one maximal ill-formed part.
struct Part {
  size_t length;
  bool valid;
};

// The lowest and highest second byte after `lead`, and the length of the
// sequence; length 0 for a byte that starts none.
struct LeadByte {
  uint8_t length;
  uint8_t low;
  uint8_t high;
};

LeadByte Classify(uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

Part NextPart(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (at(0) < 0x80) return {1, true};
  const LeadByte lead = Classify(at(0));
  if (lead.length == 0) return {1, false};
  if (text.size() < 2 || at(1) < lead.low || at(1) > lead.high) {
    return {1, false};
  }
  for (size_t i = 2; i < lead.length; ++i) {
    if (i >= text.size() || (at(i) & 0xC0) != 0x80) return {i, false};
  }
  return {lead.length, true};
}

// Bytes at the start of `text` that are ASCII, eight at a time.
size_t AsciiPrefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && static_cast<uint8_t>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  size_t done = AsciiPrefix(text);
  while (done < text.size()) {
    const Part part = NextPart(text.substr(done));
    if (!part.valid) break;
    done += part.length;
    done += AsciiPrefix(text.substr(done));
  }
  return done;
}

std::string RepairUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const size_t good = ValidUtf8Prefix(text);
    repaired.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    repaired.append(kReplacement);
    text.remove_prefix(NextPart(text).length);
  }
  return repaired;
}

}  // namespace pt2triage
