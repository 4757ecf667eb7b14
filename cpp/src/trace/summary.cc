#include "trace/summary.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pt2triage {
namespace {

// Equal breaks of one compile become one row. A compile is known by its place:
// ids are handed out again.
void MergeBreaks(CompileRows* compiles, TraceTables* tables) {
  using Identity = std::tuple<int64_t, std::string, uint64_t, std::string,
                              std::optional<int64_t>, std::string>;
  std::map<Identity, size_t> seen;
  std::vector<BreakRow> distinct;
  distinct.reserve(tables->graph_breaks.size());
  for (BreakRow& row : tables->graph_breaks) {
    const CompileRow* compile = compiles->Last(row);
    const auto [it, is_new] =
        seen.try_emplace(Identity(row.process, row.compile_id,
                                  compile == nullptr ? 0 : compile->at_offset,
                                  row.file, row.line, row.reason),
                         distinct.size());
    if (is_new) {
      distinct.push_back(std::move(row));
    } else {
      ++distinct[it->second].count;
    }
  }
  tables->graph_breaks = std::move(distinct);
}

}  // namespace

void Summarise(CompileRows* compiles, TraceTables* tables) {
  MergeBreaks(compiles, tables);
  for (const BreakRow& row : tables->graph_breaks) {
    if (row.skipped_frame) continue;  // PyTorch does not count it
    if (CompileRow* compile = compiles->Last(row)) {
      compile->graph_breaks += row.count;
    }
    tables->processes[static_cast<size_t>(row.process)].graph_breaks +=
        row.count;
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
