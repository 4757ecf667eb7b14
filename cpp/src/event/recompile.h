// Recompile records and recompile-limit records.
#pragma once

#include <string_view>
#include <vector>

#include "pt2triage/event.h"

namespace pt2triage {

// Reads `Recompiling function ...` (plain and verbose, 2.2 to 2.13; also the
// text of RecompileError) into user_frame and guards. False if it is none.
bool ParseRecompileRecord(std::string_view text, Event* event);

// The same record without its first lines; false if no guard is left.
bool ParseCutRecompile(std::string_view text, Event* event);

// What the warning about a limit begins with.
inline constexpr std::string_view kLimitHead = "torch._dynamo hit config.";

// Reads `torch._dynamo hit config....`, also without its first line (a paste
// that begins in mid-record), into name, value, user_frame and guards.
bool ParseLimitRecord(std::string_view text, Event* event);

// `Detected recompile when torch.compile stance is 'fail_on_recompile'.
// filename: ..., function name: ..., line number: ...`, from 2.10 on with the
// guards.
bool ParseStanceError(std::string_view text, Event* event);

// Splits one printed reason (`0/0: a; b  # src`) into its guards.
void AppendGuards(std::string_view reason, std::vector<GuardText>* guards);

}  // namespace pt2triage
