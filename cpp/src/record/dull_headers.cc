#include "record/dull_headers.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr size_t kMinLine = 48;

// `{` may begin an envelope; the others begin a record of their own.
bool MayOpenRecord(std::string_view body) {
  Consume(&body, " ");
  return body.starts_with('{') || body.starts_with("WON'T CONVERT") ||
         body.starts_with("torch._dynamo hit");
}

}  // namespace

size_t DullHeaders::SlotOf(std::string_view line, size_t bracket) {
  // The source line's number stands before the bracket, the compile id behind.
  const char* p = line.data() + bracket;
  uint64_t key = Load64(p - 7) * 0x9E3779B97F4A7C15ull;
  if (line.size() - bracket > 9 && p[1] == ' ' && p[2] == '[') {
    key ^= Load64(p + 1) << 16;
  }
  return (key * 0x9E3779B97F4A7C15ull) >> 56;
}

DullHeaders::Known DullHeaders::Find(std::string_view line) const {
  if (line.size() < kMinLine) return {};
  const size_t time = DullTimeLength(line);
  if (time == 0) return {};
  const size_t reach = std::min(line.size(), time + kMaxTail);
  const void* hit = std::memchr(line.data() + time, ']', reach - time);
  if (hit == nullptr) return {};
  const Slot& slot = slots_[SlotOf(
      line, static_cast<size_t>(static_cast<const char*>(hit) - line.data()))];
  const std::string_view rest = line.substr(time);
  if (slot.tail.empty() || !rest.starts_with(slot.tail)) return {};
  if (!slot.artifact) {
    const std::string_view body = rest.substr(slot.tail.size());
    if (body.starts_with(" [") || MayOpenRecord(body)) return {};
  }
  return {line.substr(0, time + slot.tail.size()),
          rest.substr(slot.process == 0 ? 0 : 1, slot.process)};
}

void DullHeaders::Add(std::string_view line, const LogHeader& header) {
  const std::string_view identity = header.identity;
  const size_t time = DullTimeLength(identity);
  if (time == 0 || identity.size() - time > kMaxTail) return;
  const std::string_view tail = identity.substr(time);
  const size_t bracket = line.find(']', time);
  const size_t process = header.process.size();
  if (process > 0 && tail.substr(1, process) != header.process) return;
  slots_[SlotOf(line, bracket)] = {std::string(tail), process,
                                   !header.artifact.empty()};
}

}  // namespace pt2triage
