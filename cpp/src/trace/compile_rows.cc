#include "trace/compile_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "event/trace_facts.h"
#include "event/trace_metrics.h"
#include "trace/row_texts.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxFrames = 64;
constexpr size_t kMaxReasons = 64;

using Number = std::optional<int64_t> CompileRow::*;

// How a number is written.
enum class Unit : uint8_t { kPlain, kSeconds };

// A field of the metrics that is a column. Of two with one column the later
// torch's, which stands behind, wins where it has a value.
struct NumberField {
  std::string_view name;
  Number column;
  Unit unit = Unit::kPlain;
};

constexpr auto kForward = std::to_array<NumberField>({
    {"start_time", &CompileRow::start_us, Unit::kSeconds},
    {"entire_frame_compile_time_s", &CompileRow::duration_us, Unit::kSeconds},
    {"backend_compile_time_s", &CompileRow::aot_us, Unit::kSeconds},
    {"inductor_compile_time_s", &CompileRow::inductor_us, Unit::kSeconds},
    {"code_gen_time_s", &CompileRow::codegen_us, Unit::kSeconds},
    {"dynamo_time_before_restart_s", &CompileRow::restart_us, Unit::kSeconds},
    {"start_time_us", &CompileRow::start_us},
    {"duration_us", &CompileRow::duration_us},
    {"dynamo_cumulative_compile_time_us", &CompileRow::dynamo_us},
    {"aot_autograd_cumulative_compile_time_us", &CompileRow::aot_us},
    {"inductor_cumulative_compile_time_us", &CompileRow::inductor_us},
    {"inductor_code_gen_cumulative_compile_time_us", &CompileRow::codegen_us},
    {"triton_compile_time_us", &CompileRow::triton_us},
    {"dynamo_compile_time_before_restart_us", &CompileRow::restart_us},
    {"guard_count", &CompileRow::guards},
    {"graph_op_count", &CompileRow::graph_ops},
    {"graph_node_count", &CompileRow::graph_nodes},
    {"graph_input_count", &CompileRow::graph_inputs},
});

std::optional<int64_t> ReadNumber(JsonValue value, Unit unit) {
  if (unit == Unit::kPlain) {
    if (const auto number = ReadInt(value)) return number;
  }
  double number = 0;
  if (value.get_double().get(number) || !std::isfinite(number)) {
    return std::nullopt;
  }
  if (unit == Unit::kSeconds) number *= 1e6;
  if (std::abs(number) > 9e15) return std::nullopt;
  return static_cast<int64_t>(std::llround(number));
}

void ReadForward(JsonObject object, CompileRow* row) {
  ForEachField(object, [row](std::string_view key, JsonValue value) {
    const auto* const field =
        std::ranges::find(kForward, key, &NumberField::name);
    if (field == kForward.end()) {
      if (key == "cudagraph_skip_reason") {
        row->cudagraph_skip_reason = Shortened(ReadString(value).value_or(""));
      }
      return;
    }
    if (const auto number = ReadNumber(value, field->unit)) {
      row->*(field->column) = number;
    }
  });
}

void ReadBackward(JsonObject object, CompileRow* row) {
  ForEachField(object, [row](std::string_view key, JsonValue value) {
    if (key == "duration_us") {
      if (const auto number = ReadNumber(value, Unit::kPlain)) {
        row->backward_us = row->backward_us.value_or(0) + *number;
      }
    } else if (key == "cudagraph_skip_reason") {
      std::string reason = Shortened(ReadString(value).value_or(""));
      if (!reason.empty()) row->cudagraph_skip_reason = std::move(reason);
    }
  });
}

void ReadFailure(const TraceRecord& record, JsonParser* parser,
                 CompileRow* row) {
  CompileMetrics metrics = ReadCompileMetrics(record.metadata_json, parser);
  if (!metrics.function.function.empty()) {
    row->function = Shortened(metrics.function.function);
    row->file = Shortened(metrics.function.file);
    row->line = LineOf(metrics.function);
  }
  row->fail_type = Shortened(metrics.fail_type);
  row->fail_reason = Shortened(metrics.fail_reason);
  row->fail_file = Shortened(metrics.fail_frame.file);
  if (metrics.fail_frame.line != 0) row->fail_line = metrics.fail_frame.line;
  for (std::string& reason : metrics.restart_reasons) {
    if (row->restart_reasons.size() >= kMaxReasons) break;
    reason.resize(std::min(reason.size(), kMaxRowText));
    row->restart_reasons.push_back(std::move(reason));
  }
  if (metrics.failed()) {
    row->outcome = CompileOutcome::kFailed;
  } else if (!record.damaged) {  // else the failure may have been cut off
    // Before the output graph there was nothing to compile.
    const bool graph =
        !row->graph_hash.empty() || row->graph_ops.value_or(0) > 0;
    row->outcome = graph ? CompileOutcome::kOk : CompileOutcome::kEmpty;
  }
}

}  // namespace

size_t CompileRows::CostOf(const TraceRecord& record,
                           const TraceKey& key) const {
  const auto it = all_.find({key.process, key.compile_id});
  if (it != all_.end() && !Begins(record, rows_[it->second.back()])) return 0;
  size_t bytes = sizeof(CompileRow) + 128;
  for (const StackFrame& frame : record.stack) {
    bytes += sizeof(StackFrame) + frame.file.size() + frame.function.size() +
             frame.code.size();
  }
  return bytes;
}

// True if the record is the first one of a new compile with the id of `row`.
bool CompileRows::Begins(const TraceRecord& record,
                         const CompileRow& row) const {
  if (row.stack.empty() || record.compile_id->attempt != 0) return false;
  // Why a function is compiled again is told before it begins.
  return record.name == "dynamo_start" ||
         record.artifact_name == "recompile_reasons";
}

CompileRow* CompileRows::Add(const TraceRecord& record, const TraceKey& key) {
  all_[{key.process, key.compile_id}].push_back(rows_.size());
  CompileRow& row = rows_.emplace_back();
  static_cast<TraceKey&>(row) = key;
  PutPlace(record.evidence, &row);
  return &row;
}

CompileRow* CompileRows::Find(const TraceKey& key) {
  const auto it = all_.find({key.process, key.compile_id});
  if (it != all_.end()) return &rows_[it->second.back()];
  return nullptr;
}

void CompileRows::NameAll() {
  std::map<Id, const CompileRow*> named;  // by frame
  for (CompileRow& row : rows_) {
    const size_t slash = row.compile_id.rfind('/');
    if (slash == std::string::npos) continue;
    const CompileRow*& last =
        named[{row.process, row.compile_id.substr(0, slash)}];
    if (!row.function.empty()) {
      last = &row;
    } else if (last != nullptr) {
      row.function = last->function;
      row.file = last->file;
      row.line = last->line;
    }
  }
}

CompileRow* CompileRows::OnRecord(const TraceRecord& record,
                                  const TraceKey& key) {
  CompileRow* row = Find(key);
  if (row == nullptr || Begins(record, *row)) row = Add(record, key);
  row->attempts = std::max<uint64_t>(
      row->attempts, static_cast<uint64_t>(record.compile_id->attempt) + 1);
  if (record.name == "dynamo_start") {
    const auto first = record.stack.size() > kMaxFrames
                           ? record.stack.end() - kMaxFrames
                           : record.stack.begin();
    row->stack.assign(first, record.stack.end());
    if (const StackFrame* function = CompiledFunction(record.stack);
        function != nullptr && row->function.empty()) {
      row->function = function->function;
      row->file = function->file;
      if (function->line != 0) row->line = function->line;
    }
  } else if (record.name == "dynamo_output_graph") {
    row->graph_hash = record.has_payload_md5.substr(0, 64);
  } else if (record.name == "compiled_autograd_graph") {
    row->graph_hash = record.has_payload_md5.substr(0, 64);
    if (row->outcome == CompileOutcome::kUnfinished) {
      row->outcome = CompileOutcome::kOk;
    }
  }
  return row;
}

size_t CompileRows::OnMetrics(const TraceRecord& record, JsonParser* parser,
                              CompileRow* row) {
  const bool forward = record.name == "compilation_metrics";
  if (const auto object = parser->ParseObject(record.metadata_json)) {
    if (forward) {
      ReadForward(*object, row);
    } else if (!record.name.ends_with("_runtime")) {
      ReadBackward(*object, row);
    }
  }
  if (!forward) return row->cudagraph_skip_reason.size();
  ReadFailure(record, parser, row);
  size_t bytes = row->function.size() + row->file.size() +
                 row->fail_reason.size() + row->cudagraph_skip_reason.size();
  for (const std::string& reason : row->restart_reasons) {
    bytes += sizeof(std::string) + reason.size();
  }
  return bytes;
}

}  // namespace pt2triage
