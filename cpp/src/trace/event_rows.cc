#include "trace/event_rows.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "event/guard.h"
#include "event/trace_facts.h"
#include "trace/row_texts.h"

namespace pt2triage {

BreakRow BreakFrom(const Event& event) {
  BreakRow row;
  if (event.rank >= 0) row.rank = event.rank;
  if (event.compile_id) {
    row.compile_id = WithoutAttempt(*event.compile_id).ToString();
  }
  row.reason = Shortened(event.reason.empty() ? event.message : event.reason);
  row.explanation = Shortened(event.explanation);
  row.graph_break_id = event.graph_break_id;
  row.skipped_frame =
      event.kind == EventKind::kSkippedFrame || event.name == "skip";
  const StackFrame* frame = event.user_frame       ? &*event.user_frame
                            : event.frames.empty() ? nullptr
                                                   : &event.frames.back();
  if (frame != nullptr) {
    row.file = Shortened(frame->file);
    row.line = LineOf(*frame);
    row.function = Shortened(frame->function);
    row.code = Shortened(frame->code);
  }
  PutPlace(event.evidence, &row);
  return row;
}

std::vector<RecompileRow> RecompilesFrom(const Event& event) {
  std::vector<RecompileRow> rows;
  RecompileRow row;
  if (event.rank >= 0) row.rank = event.rank;
  if (event.compile_id) {
    row.compile_id = WithoutAttempt(*event.compile_id).ToString();
  }
  if (event.user_frame) {
    row.function = Shortened(event.user_frame->function);
    row.file = Shortened(event.user_frame->file);
    row.line = LineOf(*event.user_frame);
  }
  PutPlace(event.evidence, &row);
  if (event.guards.empty()) rows.push_back(row);
  for (const GuardText& text : event.guards) {
    const GuardFailure guard = ParseGuard(text);
    row.failed_compile_id = guard.compile_id;
    row.guard = Shortened(guard.guard);
    row.cause = guard.cause;
    row.guarded = Shortened(guard.source.value_or(""));
    row.expected = Shortened(guard.expected.value_or(""));
    row.actual = Shortened(guard.actual.value_or(""));
    row.user_code = Shortened(guard.user_code.value_or(""));
    rows.push_back(row);
  }
  return rows;
}

size_t CostOf(const BreakRow& row) {
  return sizeof row + row.reason.size() + row.explanation.size() +
         row.file.size() + row.code.size();
}

size_t CostOf(const RecompileRow& row) {
  return sizeof row + row.guard.size() + row.file.size() + row.user_code.size();
}

void PlaceEvents(TraceTables* tables) {
  std::ranges::sort(tables->artifacts, {}, &ArtifactRow::at_offset);
  const auto place = [tables](auto& rows) {
    std::ranges::stable_sort(
        rows, {}, &std::remove_reference_t<decltype(rows[0])>::at_offset);
    for (auto& row : rows) {
      const auto it = std::ranges::lower_bound(tables->artifacts, row.at_offset,
                                               {}, &ArtifactRow::at_offset);
      if (it == tables->artifacts.end() || it->at_offset != row.at_offset) {
        continue;
      }
      row.process = it->process;
      if (!row.rank) row.rank = it->rank;
      if (row.compile_id.empty()) row.compile_id = it->compile_id;
    }
  };
  place(tables->graph_breaks);
  place(tables->recompiles);
}

}  // namespace pt2triage
