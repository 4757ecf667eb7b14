// Keeps one source's events in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "pt2triage/event.h"

namespace pt2triage {

// Collects events in the order given. Of equal ones (same kind and content,
// whatever their place, time or compile id) the first kMaxEqual of a writer
// (rank, process, decorations) and kMaxAlike of all are kept. The rest is
// counted on the last of them, the writer's own if it has one, in
// Event::repeats; their ranks go into Event::repeat_ranks, the first kMaxRanks
// of a source. Once kMaxBytes of distinct events are kept, those of which
// nothing equal is kept are only counted by kind. So memory does not grow with
// the source. Not thread-safe.
class EventStore {
 public:
  static constexpr size_t kMaxEqual = 32;
  static constexpr size_t kMaxAlike = 2048;
  static constexpr size_t kMaxRanks = 100'000;
  static constexpr size_t kMaxBytes = size_t{8} << 20;
  // More for exceptions, and as much again for PyTorch's own and for crashes.
  static constexpr size_t kReserve = size_t{1} << 20;
  static constexpr size_t kKinds = static_cast<size_t>(EventKind::kNotice) + 1;

  void Add(Event event);
  // The kept events, sorted by place; leaves the store empty.
  std::vector<Event> Take();
  // How many events of each kind were counted only.
  const std::array<uint64_t, kKinds>& dropped() const { return dropped_; }

 private:
  struct Seen {
    size_t last = 0;  // index of the newest kept one
    size_t kept = 0;
  };

  void Repeat(const Event& event, Event* kept);

  std::vector<Event> events_;
  FlatMap<uint64_t, Seen> seen_;   // by hash of content and writer
  FlatMap<uint64_t, Seen> alike_;  // by hash of the content
  size_t ranks_ = 0;               // in the lists of all events
  std::array<uint64_t, kKinds> dropped_{};
  size_t bytes_ = 0;
};

}  // namespace pt2triage
