#include "trace/symbol_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace pt2triage {
namespace {

constexpr size_t kMaxText = size_t{4} << 10;

// Which field of a record's metadata is which column.
struct SymbolRecord {
  std::string_view name;
  std::string_view symbol;
  std::string_view value;
  std::string_view source;
  std::string_view reason;
};

constexpr auto kRecords = std::to_array<SymbolRecord>({
    {"create_symbol", "symbol", "val", "source", "vr"},
    {"create_unbacked_symbol", "symbol", "", "", "vr"},
    {"symbolic_shape_specialization", "symbol", "value", "sources", "reason"},
    {"guard_added", "expr", "", "symbol_to_sources", "prefix"},
    {"guard_added_fast", "expr", "", "", ""},
    {"guard_on_data_dependent_error", "expr", "", "", "unhinted_expr"},
    {"propagate_real_tensors", "expr", "result", "", ""},
    {"propagate_real_tensors_provenance", "expr", "result", "symbol_to_sources",
     ""},
    {"missing_fake_kernel", "op", "", "", ""},
    {"mismatched_fake_kernel", "op", "", "", "reason"},
});

// A text as it is, another value as its JSON.
std::string TextOf(JsonValue value) {
  const std::string_view json = RawJson(value);
  if (json == "null") return {};
  return (json.starts_with('"') ? DecodeJsonString(json) : std::string(json))
      .substr(0, kMaxText);
}

}  // namespace

std::optional<SymbolRow> ReadSymbolRow(const TraceRecord& record,
                                       JsonParser* parser) {
  const auto* const kind =
      std::ranges::find(kRecords, record.name, &SymbolRecord::name);
  if (kind == kRecords.end()) return std::nullopt;
  SymbolRow row;
  row.record = kind->name;
  if (const auto object = parser->ParseObject(record.metadata_json)) {
    ForEachField(*object, [&](std::string_view key, JsonValue value) {
      if (key == kind->symbol) {
        row.symbol = TextOf(value);
      } else if (key == kind->value) {
        row.value = TextOf(value);
      } else if (key == kind->source) {
        row.source = TextOf(value);
      } else if (key == kind->reason) {
        row.reason = TextOf(value);
      }
    });
  }
  if (!record.stack.empty()) {
    const StackFrame& frame = record.stack.back();
    row.file = frame.file.substr(0, kMaxText);
    if (frame.line != 0) row.line = frame.line;
    row.function = frame.function.substr(0, kMaxText);
  }
  return row;
}

}  // namespace pt2triage
