// The table of compiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pt2triage/trace.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// Finds or makes the row of a compile. Ids are handed out again after
// torch.compiler.reset(), so the row of an id is the last one that began.
// Borrows the rows. Not thread-safe.
class CompileRows {
 public:
  explicit CompileRows(std::vector<CompileRow>* rows) : rows_(*rows) {}

  // What a new row would take; 0 if there is one.
  size_t CostOf(const TraceRecord& record, const TraceKey& key) const;
  // The row of the record's compile, with what the record says of it. Valid
  // until the next call.
  CompileRow* OnRecord(const TraceRecord& record, const TraceKey& key);
  CompileRow* Find(const TraceKey& key);
  // Takes the fields of a metrics record; returns what their texts take.
  static size_t OnMetrics(const TraceRecord& record, JsonParser* parser,
                          CompileRow* row);
  // A compile that says no function, as one that a limit ended, is of that of
  // the compile of its frame before it.
  void NameAll();
  // The row of a compile id, by the place of a later record; null if none.
  CompileRow* Last(const auto& row) {
    const auto it = all_.find({row.process, row.compile_id});
    if (it == all_.end()) return nullptr;
    CompileRow* last = nullptr;
    for (const size_t index : it->second) {
      if (last != nullptr && rows_[index].at_offset > row.at_offset) break;
      last = &rows_[index];
    }
    return last;
  }

 private:
  using Id = std::pair<int64_t, std::string>;

  bool Begins(const TraceRecord& record, const CompileRow& row) const;
  CompileRow* Add(const TraceRecord& record, const TraceKey& key);

  std::vector<CompileRow>& rows_;
  std::map<Id, std::vector<size_t>> all_;  // in order
};

}  // namespace pt2triage
