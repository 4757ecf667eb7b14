// From events to findings.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "event/event_store.h"
#include "pt2triage/event.h"
#include "pt2triage/finding.h"

namespace pt2triage {

struct Judgement {
  std::vector<Finding> findings;  // most important first
  Counts counts;
  uint64_t omitted = 0;
};

// Details of at most this many distinct findings are kept.
inline constexpr size_t kMaxFindings = 10000;

// Judges the events of all sources of a scan (in order, `evidence.source`
// set): drops what was seen twice, classifies, takes details in, merges equal
// findings, and orders them. O(events), plus a sort of the findings.
// `dropped` holds, by kind, how many events were too many to keep.
using DroppedEvents = std::array<uint64_t, EventStore::kKinds>;
Judgement Judge(std::vector<Event> events, const DroppedEvents& dropped = {});

}  // namespace pt2triage
