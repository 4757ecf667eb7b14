#include "event/event_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/simd.h"
#include "event/messages/exception_table.h"

namespace pt2triage {
namespace {

// What a guard weighs besides its text: its own object and those that triage
// makes of it.
constexpr size_t kGuardWeight = 256;

// A 64-bit hash of the parts of an event that make it what it is; also adds
// up what they weigh.
class Content {
 public:
  void Add(std::string_view text) {
    bytes_ += text.size();
    Add(static_cast<uint64_t>(text.size()));  // where the next text begins
    for (; text.size() >= 8; text.remove_prefix(8)) Add(Load64(text.data()));
    uint64_t rest = 0;
    for (char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
    Add(rest);
  }
  void Add(uint64_t number) {
    hash_ = (hash_ ^ number) * 0x9E3779B97F4A7C15ull;
    hash_ ^= hash_ >> 32;
  }
  void Add(const std::vector<StackFrame>& frames) {
    for (const StackFrame& frame : frames) {
      Add(frame.file);
      Add(frame.function);
      Add(static_cast<uint64_t>(frame.line));
      bytes_ += sizeof(StackFrame) + frame.code.size();
    }
  }
  void Weigh(size_t bytes) { bytes_ += bytes; }
  uint64_t hash() const { return hash_; }
  size_t bytes() const { return bytes_; }

 private:
  uint64_t hash_ = 14695981039346656037ull;
  size_t bytes_ = sizeof(Event);
};

Content ContentOf(const Event& event) {
  Content content;
  content.Add(static_cast<uint64_t>(event.kind));
  content.Add((event.from_trace ? 1u : 0u) | (event.logged ? 2u : 0u) |
              (event.duplicate ? 4u : 0u));
  for (const std::string* text :
       {&event.message, &event.reason, &event.explanation, &event.context,
        &event.name, &event.value, &event.test_id}) {
    content.Add(*text);
  }
  if (event.user_frame) content.Add({*event.user_frame});
  content.Add(event.frames);
  for (const ExceptionBlock& block : event.blocks) {
    content.Add(block.type);
    content.Add(block.message);
    content.Add(block.frames);
    content.Add(block.user_frames);
  }
  for (const GuardText& guard : event.guards) {
    content.Add(guard.compile_id);
    content.Add(guard.text);
    content.Weigh(kGuardWeight);
  }
  return content;
}

// How much may be kept when an event of this kind comes: warnings may not fill
// what failures need, nor any exception what PyTorch's own and crashes need.
size_t LimitFor(const Event& event) {
  constexpr size_t kMax = EventStore::kMaxBytes;
  constexpr size_t kReserve = EventStore::kReserve;
  switch (event.kind) {
    case EventKind::kGraphBreak:
    case EventKind::kRecompile:
    case EventKind::kSkippedFrame:
    case EventKind::kTest:
    case EventKind::kNotice:
      return kMax;
    case EventKind::kException: {
      const bool own = std::any_of(
          event.blocks.begin(), event.blocks.end(), [](const auto& block) {
            const ExceptionClass* known = FindExceptionClass(block.type);
            return known != nullptr && (known->flags & ExceptionClass::kPt2);
          });
      return own ? kMax + 2 * kReserve : kMax + kReserve;
    }
    default:
      return kMax + 2 * kReserve;
  }
}

void AddWriter(const Event& event, Content* content) {
  content->Add(static_cast<uint64_t>(event.rank + 1));
  content->Add(event.process);
  content->Add(event.stream);
}

}  // namespace

void EventStore::Add(Event event) {
  Content content = ContentOf(event);
  const uint64_t what = content.hash();
  AddWriter(event, &content);
  const auto seen = seen_.find(content.hash());
  if (seen != seen_.end() && seen->second.kept >= kMaxEqual) {
    ++events_[seen->second.last].repeats;
    return;
  }
  const auto alike = alike_.find(what);
  const bool full = bytes_ + content.bytes() > LimitFor(event);
  if (alike == alike_.end() && full) {
    ++dropped_[static_cast<size_t>(event.kind)];
    return;
  }
  if (alike != alike_.end() && (full || alike->second.kept >= kMaxAlike)) {
    const bool own = seen != seen_.end();
    Repeat(event, &events_[own ? seen->second.last : alike->second.last]);
    return;
  }
  bytes_ += content.bytes();
  for (Seen* one : {&seen_[content.hash()], &alike_[what]}) {
    one->last = events_.size();
    ++one->kept;
  }
  events_.push_back(std::move(event));
}

void EventStore::Repeat(const Event& event, Event* kept) {
  ++kept->repeats;
  if (event.rank < 0 || event.rank == kept->rank) return;
  std::vector<int32_t>& ranks = kept->repeat_ranks;
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), event.rank);
  if ((at != ranks.end() && *at == event.rank) || ranks_ >= kMaxRanks) return;
  ranks.insert(at, event.rank);
  ++ranks_;
}

std::vector<Event> EventStore::Take() {
  seen_.clear();
  alike_.clear();
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) {
                     return a.evidence.offset < b.evidence.offset;
                   });
  return std::exchange(events_, {});
}

}  // namespace pt2triage
