// Judges exceptions that are not PT2's own classes by where they were raised.
#pragma once

#include <string>
#include <vector>

#include "pt2triage/event.h"
#include "triage/chain.h"
#include "triage/classify.h"
#include "triage/stack_facts.h"

namespace pt2triage {

struct RunTimeVerdict {
  Category category = Category::kOther;
  std::string cause = "other";
};

// kOther if nothing ties the exception to a compile or to compiled code.
RunTimeVerdict JudgeRunTime(const Event& event,
                            const std::vector<ChainMember>& chain,
                            const StackFacts& facts,
                            const SourceContext& context);

// True for an error that any later call reports after a kernel's assertion.
bool LostDevice(std::string_view message);

}  // namespace pt2triage
