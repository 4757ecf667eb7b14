#include "event/event_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pt2triage {
namespace {

// 64-bit FNV-1a over the parts of an event that make it what it is; also adds
// up what they weigh.
class Content {
 public:
  void Add(std::string_view text) {
    bytes_ += text.size();
    for (char c : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    }
    hash_ = (hash_ ^ 0xff) * 1099511628211ull;
  }
  void Add(uint64_t number) { hash_ = (hash_ ^ number) * 1099511628211ull; }
  void Add(const std::vector<StackFrame>& frames) {
    for (const StackFrame& frame : frames) {
      Add(frame.file);
      Add(frame.function);
      Add(static_cast<uint64_t>(frame.line));
      bytes_ += sizeof(StackFrame) + frame.code.size();
    }
  }
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
  }
  return content;
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
  const bool full = bytes_ + content.bytes() > kMaxBytes;
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
