// Judges exceptions, and what other judgements share with that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/event.h"
#include "pt2triage/finding.h"
#include "triage/chain.h"
#include "triage/classify.h"
#include "triage/stack_facts.h"

namespace pt2triage {

// Fills `draft` from the chain of an exception: category, cause, phase, mode,
// backend, frames, guards.
void JudgeException(const Event& event, const SourceContext& context,
                    Draft* draft);

// `from user code` first, then the tracebacks; frames of installed packages
// only where no print of the failure has one outside them.
const StackFrame* UserFrameOf(const Event& event, size_t selected);
// Sets the frame where there is one.
void SetUserFrame(const StackFrame* frame, Finding* finding);
// What all stacks of an event prove.
StackFacts FactsOf(const Event& event);
void AppendGuardFailures(const std::vector<GuardText>& guards,
                         Finding* finding);
// By the registered type where the first line is one, else by the wording.
std::string BreakCause(std::string_view reason, std::string_view text);
// The chain and the categories of wrapped failures that differ.
void FillChain(const std::vector<ChainMember>& chain, Finding* finding);

}  // namespace pt2triage
