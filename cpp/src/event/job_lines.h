// Lines in which a shell, a CI system or an orchestrator says that a job ended
// badly, without a word on why.
#pragma once

#include <optional>
#include <string_view>

#include "pt2triage/event.h"

namespace pt2triage {

// A kJobFailure event whose `name` says how: killed, lost, cancelled, failed;
// nullopt for all else. The texts are the table of job_lines.cc.
std::optional<Event> ParseJobLine(std::string_view text);

// How much such a line tells; the higher, the more.
int JobLineRank(const Event& event);

}  // namespace pt2triage
