// One record of a structured trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/compile_id.h"
#include "pt2triage/evidence.h"
#include "record/trace_kinds.h"

namespace pt2triage {

// An envelope with a reference to its payload. The views and, because the
// reader fills one object again and again, all other members are good only
// during the call that hands the record out; copy what has to stay. Payloads
// stay in the source, but those that events read (TraceKind::kKeepPayload) are
// kept here too, without tabs, up to Payload::kMaxKept bytes.
struct TraceRecord {
  std::string_view name;            // the first key
  std::string_view metadata_json;   // its value as it stands in the source,
                                    // followed by kJsonPadding readable bytes
  std::string_view artifact_name;   // `name` of an `artifact`
  const TraceKind* kind = nullptr;  // of the artifact or record; null: unknown
  std::string location;             // `torch/_dynamo/utils.py:2350`
  std::string process;              // number field of the prefix
  std::string time;                 // `1129 15:16:46.099000`
  // Counts the runs of a process in this source: a new pid, or intern ids that
  // start again, is a new session. Forked children have their own.
  uint32_t session = 0;
  std::optional<CompileId> compile_id;
  int32_t rank = -1;
  std::vector<StackFrame> stack;  // outermost first, where the kind wants it
  std::string has_payload_md5;    // as written; empty: no payload announced
  uint64_t payload_offset = 0;    // of the first tab; 0 if there is no payload
  uint64_t payload_length = 0;    // up to the end of its last line
  uint64_t payload_lines = 0;
  bool payload_interrupted = false;  // other lines fall within that span
  bool kept_payload = false;
  std::string payload;
  // All of it, where the reader's user wanted it, and whether its end is
  // missing because it was too long. The checksum is that of the text.
  std::string* whole_payload = nullptr;
  bool payload_too_long = false;
  std::string payload_md5;
  bool damaged = false;  // the envelope was read from a repaired copy
  Evidence evidence;     // envelope and payload
};

}  // namespace pt2triage
