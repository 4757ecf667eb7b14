// What the tables of a trace tell of each other.
#pragma once

#include "pt2triage/trace.h"
#include "trace/compile_rows.h"

namespace pt2triage {

// Makes one row of equal breaks of a compile, and fills the columns of compiles
// and processes that other tables tell, and the rank of rows that have none.
// `compiles` is over the rows of `tables`, whose events are placed.
void Summarise(CompileRows* compiles, TraceTables* tables);

}  // namespace pt2triage
