// What a `compilation_metrics` record says about failures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/compile_id.h"
#include "pt2triage/evidence.h"
#include "record/json.h"

namespace pt2triage {

// The fields of CompilationMetrics that tell what went wrong; of about a
// hundred. Owns its strings; long ones are cut at kMaxText. Members whose field
// is absent, null or of another type are empty.
struct CompileMetrics {
  static constexpr size_t kMaxText = size_t{256} << 10;

  std::optional<CompileId> compile_id;  // `compile_id`, without the attempt
  StackFrame function;                  // co_name, co_filename, co_firstlineno
  int64_t cache_size = 0;               // entries that did not fit
  std::string fail_type;    // `Unsupported`; up to 2.5 `torch._dynamo.exc.…`
  std::string fail_reason;  // before torch appends the user's stack
  StackFrame fail_frame;    // innermost user frame; no function
  std::string traceback;    // `exception_stack_trace`, 2.10 on
  std::vector<std::string> restart_reasons;
  std::string recompile_reason;  // 2.8 on
  // config.suppress_errors; a record without the field is from before 2.6,
  // when breaks and errors had no records of their own.
  std::optional<bool> suppress_errors;

  bool failed() const { return !fail_type.empty(); }
};

// Reads the metadata, which must be padded for `parser`. Cost: one pass.
CompileMetrics ReadCompileMetrics(std::string_view metadata_json,
                                  JsonParser* parser);

// The value that a configuration which was dumped into `metadata_json` has for
// an integer setting; nullopt if there is none.
std::optional<int64_t> FindConfigInt(std::string_view metadata_json,
                                     std::string_view setting);

}  // namespace pt2triage
