// Graph breaks and recompiles, from the events that a trace tells of.
#pragma once

#include <cstddef>
#include <vector>

#include "pt2triage/event.h"
#include "pt2triage/trace.h"

namespace pt2triage {

// Rows of an event. Their process is not known yet.
BreakRow BreakFrom(const Event& event);
std::vector<RecompileRow> RecompilesFrom(const Event& event);

// What a row takes, about.
size_t CostOf(const BreakRow& row);
size_t CostOf(const RecompileRow& row);

// Finds the processes of breaks and recompiles: events come without, but each
// is told by a record of its place. Sorts records, breaks and recompiles by
// place; equal breaks of one compile become one row.
void PlaceEvents(TraceTables* tables);

}  // namespace pt2triage
