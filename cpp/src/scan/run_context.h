// Puts events into the CI run that they happened in.
#pragma once

#include <string_view>
#include <vector>

#include "line/places.h"
#include "pt2triage/event.h"
#include "pt2triage/scanner.h"

namespace pt2triage {

// Fills in job, step and attempt, and writes times as ISO 8601 where a CI's
// stamp tells the date; `first_stamp` serves those events that have none before
// them.
void AddRunContext(const Places& places, const Origin& origin,
                   std::string_view first_stamp, std::vector<Event>* events);

}  // namespace pt2triage
