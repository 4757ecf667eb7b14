// The JSON line at the head of a trace record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/compile_id.h"
#include "pt2triage/evidence.h"
#include "pt2triage/parse_stats.h"
#include "record/json.h"
#include "record/log_header.h"
#include "record/trace_kinds.h"

namespace pt2triage {

// `V1129 15:16:46.099000 4487 torch/_dynamo/utils.py:2350] `, split. Views
// into the line.
struct TracePrefix {
  std::string_view time;
  std::string_view process;
  std::string_view location;
  std::string_view json;  // the rest of the line
};

// Splits a line; nullopt unless a text that starts like a JSON object follows
// a prefix without compile id and artifact. Cost: a few dozen nanoseconds.
std::optional<TracePrefix> ParseTracePrefix(std::string_view line);
// The same of a line whose header is known.
std::optional<TracePrefix> ParseTracePrefix(std::string_view line,
                                            const LogHeader& header);

// An entry of a `stack`, its file still a number of the intern table.
struct TraceFrame {
  StackFrame frame;
  std::optional<int64_t> file_id;
};

// What an envelope says. Owns its text; `metadata` points into it. Reused from
// record to record.
struct Envelope {
  PaddedText text;
  bool named = false;  // there is a first key
  std::string name;
  std::string_view metadata;
  std::string artifact_name;
  const TraceKind* kind = nullptr;  // of the artifact or record; null: unknown
  std::optional<CompileId> compile_id;
  int32_t rank = -1;
  bool announces_payload = false;
  std::string has_payload;             // the checksum
  std::vector<TraceFrame> stack;       // where the kind wants it
  std::optional<int64_t> interned_id;  // of a `str` record
  std::string interned_text;
  bool has_context = false;  // some keys are those of a trace record
  uint32_t unknown_keys = 0;
  std::optional<ParseIssue> issue;  // what had to be repaired
};

// Reads envelopes with simdjson. What is damaged is repaired on a copy and
// read as far as it goes; a field of the wrong type loses only itself. Owns
// its scratch buffers. Not thread-safe. Cost: one pass over the line, a second
// one over the fields that events read.
class EnvelopeParser {
 public:
  // Lines of this length or more are not read.
  static constexpr size_t kMaxLength = size_t{8} << 20;

  // Fills `envelope`. False if nothing can be made of the text, not even its
  // first key; `issue` is then set.
  bool Parse(std::string_view json, Envelope* envelope);
  void Shrink() { parser_.Shrink(); }
  // Reads what tables ask for, too.
  void ReadForTables() { for_tables_ = true; }

 private:
  bool ReadFields(Envelope* envelope);
  void ReadMetadata(Envelope* envelope);
  void ReadContext(std::string_view key, JsonValue value, Envelope* envelope);

  JsonParser parser_;
  std::string_view stack_json_;
  bool for_tables_ = false;
};

}  // namespace pt2triage
