#include "record/dull_headers.h"

#include <algorithm>
#include <cstring>

#include "base/simd.h"
#include "base/strings.h"
#include "record/log_record.h"

namespace pt2triage {
namespace {

constexpr size_t kMinLine = 48;

// `{` may begin an envelope; the others begin a record of their own.
bool MayOpenRecord(std::string_view body) {
  Consume(&body, " ");
  return body.starts_with('{') || body.starts_with(kWontConvert) ||
         StartsRecord(/*artifact=*/{}, body);
}

// The first bracket behind the time, which ends the place in the source or, in
// the older format, the level or a compile id; npos if it is not near.
size_t FindBracket(std::string_view line, size_t time, size_t reach) {
  const size_t end = std::min(line.size(), time + reach);
  const void* hit = std::memchr(line.data() + time, ']', end - time);
  if (hit == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(hit) - line.data());
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

DullHeaders::Known DullHeaders::Find(std::string_view line, size_t time) const {
  if (line.size() < kMinLine) return {};
  const size_t bracket = FindBracket(line, time, kMaxTail);
  if (bracket == std::string_view::npos) return {};
  const Slot& slot = slots_[SlotOf(line, bracket)];
  const std::string_view rest = line.substr(time);
  if (slot.tail.empty() || !rest.starts_with(slot.tail)) return {};
  State state = slot.wanted ? State::kMatters : State::kDull;
  if (!slot.artifact) {
    const std::string_view body = rest.substr(slot.tail.size());
    if (body.starts_with(" [")) return {};  // the header may go on
    if (MayOpenRecord(body)) state = State::kMatters;
  }
  return {state, line.substr(0, time + slot.tail.size()),
          rest.substr(slot.process == 0 ? 0 : 1, slot.process)};
}

void DullHeaders::Add(std::string_view line, const LogHeader& header,
                      bool wanted) {
  const std::string_view identity = header.identity;
  const size_t time = DullTimeLength(identity);
  if (time == 0 || identity.size() - time > kMaxTail) return;
  const std::string_view tail = identity.substr(time);
  const size_t bracket = line.find(']', time);
  const size_t process = header.process.size();
  if (process > 0 && tail.substr(1, process) != header.process) return;
  const bool artifact = !header.artifact.empty();
  // Without an artifact it is the line's text that makes it wanted.
  if (wanted && !artifact) return;
  slots_[SlotOf(line, bracket)] = {std::string(tail), process, artifact,
                                   wanted};
}

bool DullHeaders::IsEnvelope(std::string_view line) {
  const size_t time = DullTimeLength(line);
  if (time == 0) return false;
  const size_t bracket = FindBracket(line, time, kMaxTail);
  return bracket != std::string_view::npos &&
         line.substr(bracket + 1).starts_with(" {");
}

}  // namespace pt2triage
