// One event seen both in a text log and in its trace is one event.
#pragma once

#include <vector>

#include "pt2triage/event.h"

namespace pt2triage {

// Removes events read from a trace that the text of the same run gave too:
// same kind, process and compile id where both print them, and same place and
// reason (breaks), guards (recompiles) or exception. Linear in the events.
void DropSeenTwice(std::vector<Event>* events);

}  // namespace pt2triage
