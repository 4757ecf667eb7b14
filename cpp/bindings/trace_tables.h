// The tables of a trace by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "pt2triage/trace.h"

namespace pt2triage::python {

// Calls `visit` with the name of each table and the member that holds its rows.
template <typename Visitor>
void ForEachTraceTable(Visitor&& visit) {
  visit("processes", &TraceTables::processes);
  visit("compiles", &TraceTables::compiles);
  visit("graph_breaks", &TraceTables::graph_breaks);
  visit("recompiles", &TraceTables::recompiles);
  visit("cache_events", &TraceTables::cache_events);
  visit("symbols", &TraceTables::symbols);
  visit("collectives", &TraceTables::collectives);
  visit("artifacts", &TraceTables::artifacts);
  visit("kinds", &TraceTables::kinds);
}

}  // namespace pt2triage::python
