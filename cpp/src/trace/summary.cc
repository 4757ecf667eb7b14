#include "trace/summary.h"

#include <algorithm>

namespace pt2triage {

void Summarise(CompileRows* compiles, TraceTables* tables) {
  for (const BreakRow& row : tables->graph_breaks) {
    if (CompileRow* compile = compiles->Last(row)) {
      compile->graph_breaks += row.count;
    }
    auto& process = tables->processes[static_cast<size_t>(row.process)];
    if (!row.skipped_frame) process.graph_breaks += row.count;
  }
  const RecompileRow* last = nullptr;
  for (const RecompileRow& row : tables->recompiles) {
    if (CompileRow* compile = compiles->Last(row)) {
      auto& reasons = compile->recompile_reasons;
      if (std::ranges::find(reasons, row.guard) == reasons.end()) {
        reasons.push_back(row.guard);
      }
    }
    // One recompile has a row for each guard.
    if (last == nullptr || last->at_offset != row.at_offset) {
      ++tables->processes[static_cast<size_t>(row.process)].recompiles;
    }
    last = &row;
  }
  for (const CacheRow& row : tables->cache_events) {
    auto& process = tables->processes[static_cast<size_t>(row.process)];
    process.cache_hits += row.outcome == "hit" ? 1 : 0;
    process.cache_misses += row.outcome == "miss" ? 1 : 0;
    process.cache_bypasses += row.outcome == "bypass" ? 1 : 0;
  }
  compiles->NameAll();
  for (CompileRow& row : tables->compiles) {
    auto& process = tables->processes[static_cast<size_t>(row.process)];
    ++process.compiles;
    process.failed += row.outcome == CompileOutcome::kFailed ? 1 : 0;
    process.compile_us +=
        row.duration_us.value_or(0) + row.backward_us.value_or(0);
  }
  const auto add_rank = [tables](auto& rows) {
    for (auto& row : rows) {
      if (row.rank) continue;
      row.rank = tables->processes[static_cast<size_t>(row.process)].rank;
    }
  };
  add_rank(tables->compiles);
  add_rank(tables->graph_breaks);
  add_rank(tables->recompiles);
  add_rank(tables->cache_events);
  add_rank(tables->symbols);
  add_rank(tables->collectives);
  add_rank(tables->artifacts);
  add_rank(tables->metrics.keys);
}

}  // namespace pt2triage
