// Judges single events.
#pragma once

#include <cstdint>

#include "pt2triage/event.h"
#include "pt2triage/finding.h"
#include "triage/chain.h"

namespace pt2triage {

// What the rest of an event's source says, for judging it.
struct SourceContext {
  bool generated_assert = false;  // a device assert of a generated kernel
  bool bounds_assert = false;     // ... of an index
  bool aten_assert = false;       // a device assert of ATen's own kernels
};

// One event, judged. `event` points into the scan's events, which outlive it.
struct Draft {
  Finding finding;
  const Event* event = nullptr;
  bool pt2 = true;          // evidence of PT2, not of something else
  bool collateral = false;  // sums up or re-raises another failure
  uint64_t order = 0;       // place in the scan
};

// Category, cause, phase, mode, chain, user frame and message of one event.
// Tests and notices give a draft of category kNone. Pure; cost linear in the
// event plus a handful of regular expressions.
Draft Classify(const Event& event, const SourceContext& context);

// True if a device assert's kernel is ATen's own (aten/*.cu).
bool IsAtenAssert(const Event& event);

}  // namespace pt2triage
