// The tables of structured traces (TORCH_TRACE): one struct for the rows of
// each. Lines count from 1, offsets are bytes of the decompressed source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pt2triage/evidence.h"

namespace pt2triage {

// What a row is of: a process of the trace, by its place in
// TraceTables::processes, and a compile as the trace numbers it, without the
// attempt; empty outside compiles. `rank` is that of the record, else that of
// its process.
struct TraceKey {
  int64_t process = 0;
  std::optional<int32_t> rank;
  std::string compile_id;
};

// One process that wrote a trace.
struct ProcessRow {
  int64_t process = 0;
  std::optional<int32_t> rank;
  std::string source;
  std::string pid;
  std::string torch_version;
  std::string first_time;
  std::string last_time;
  uint64_t records = 0;
  uint64_t compiles = 0;
  uint64_t failed = 0;
  uint64_t graph_breaks = 0;
  uint64_t recompiles = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_bypasses = 0;
  int64_t compile_us = 0;
};

// How a compile ended. kEmpty: nothing was left to compile. kUnfinished: the
// trace does not say, as when the process died in it.
enum class CompileOutcome : uint8_t { kOk, kFailed, kEmpty, kUnfinished };

// One compile of one frame, all attempts together. Times are microseconds;
// those of phases include the phases within them (Dynamo > AOTAutograd >
// Inductor > code generation > Triton).
struct CompileRow : TraceKey {
  std::string function;
  std::string file;
  std::optional<int64_t> line;
  CompileOutcome outcome = CompileOutcome::kUnfinished;
  uint64_t attempts = 0;
  std::vector<std::string> restart_reasons;
  std::string fail_type;
  std::string fail_reason;
  std::string fail_file;
  std::optional<int64_t> fail_line;
  std::vector<std::string> recompile_reasons;
  std::string cudagraph_skip_reason;
  std::optional<int64_t> start_us;
  std::optional<int64_t> duration_us;
  std::optional<int64_t> dynamo_us;
  std::optional<int64_t> aot_us;
  std::optional<int64_t> inductor_us;
  std::optional<int64_t> codegen_us;
  std::optional<int64_t> triton_us;
  std::optional<int64_t> backward_us;
  std::optional<int64_t> restart_us;
  std::string fx_cache;
  std::string aot_cache;
  std::optional<int64_t> cache_saved_us;
  std::optional<int64_t> guards;
  std::optional<int64_t> graph_ops;
  std::optional<int64_t> graph_nodes;
  std::optional<int64_t> graph_inputs;
  std::string graph_hash;
  uint64_t graph_breaks = 0;
  std::vector<StackFrame> stack;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// A graph break, or a frame that Dynamo skipped; equal ones of one process and
// compile are one row.
struct BreakRow : TraceKey {
  std::string reason;
  std::string explanation;
  std::string graph_break_id;
  bool skipped_frame = false;
  uint64_t count = 1;
  std::string file;
  std::optional<int64_t> line;
  std::string function;
  std::string code;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// One guard that failed when a function was compiled again.
struct RecompileRow : TraceKey {
  std::string function;
  std::string file;
  std::optional<int64_t> line;
  std::string failed_compile_id;
  std::string guard;
  std::string cause;
  std::string guarded;
  std::string expected;
  std::string actual;
  std::string user_code;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// One lookup in a compile cache.
struct CacheRow : TraceKey {
  std::string cache;
  std::string outcome;
  std::string hash;
  std::string reason;
  std::optional<int64_t> saved_us;
  std::optional<int64_t> taken_us;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// One field of a compilation_metrics record that is not null. `value` is its
// JSON; `number` is there if it is one.
struct MetricRow : TraceKey {
  std::string record;
  std::string field;
  std::string value;
  std::optional<double> number;
};

// Many MetricRows in little memory: a text that comes again is kept once.
struct MetricStore {
  struct Entry {
    uint32_t key = 0;     // into `keys`
    uint32_t offset = 0;  // of the value in `text`
    uint32_t size = 0;
    uint16_t field = 0;  // into `fields`
    uint16_t record = 0;
  };
  std::vector<TraceKey> keys;
  std::vector<std::string> fields;
  std::vector<std::string> records;
  std::vector<Entry> entries;
  std::string text;

  MetricRow Row(size_t index) const;
};

// A symbol of a shape: made, specialised or guarded on.
struct SymbolRow : TraceKey {
  std::string record;
  std::string symbol;
  std::string value;
  std::string source;
  std::string reason;
  std::string file;
  std::optional<int64_t> line;
  std::string function;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// One collective operation of a compiled graph, in the order of its schedule.
struct CollectiveRow : TraceKey {
  uint64_t position = 0;
  std::string operation;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
};

// One record but those that are too many to list (strings, chromium events,
// descriptions of tensors), which are only counted.
struct ArtifactRow : TraceKey {
  std::optional<int64_t> attempt;
  std::string record;
  std::string name;
  bool known = true;
  std::string checksum;
  uint64_t payload_lines = 0;
  uint64_t payload_bytes = 0;
  uint64_t at_line = 0;
  uint64_t at_offset = 0;
  uint64_t length = 0;
};

// How many records of a name there were.
struct KindRow {
  std::string record;
  std::string name;
  bool known = true;
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
};

// All tables of one or more sources. Plain data, owned by whoever holds it.
struct TraceTables {
  std::vector<ProcessRow> processes;
  std::vector<CompileRow> compiles;
  std::vector<BreakRow> graph_breaks;
  std::vector<RecompileRow> recompiles;
  std::vector<CacheRow> cache_events;
  MetricStore metrics;
  std::vector<SymbolRow> symbols;
  std::vector<CollectiveRow> collectives;
  std::vector<ArtifactRow> artifacts;
  std::vector<KindRow> kinds;
  uint64_t omitted = 0;  // rows that were too many
};

// The tables of several sources as one; their processes are counted on.
TraceTables MergeTraces(std::vector<std::shared_ptr<TraceTables>> parts);

}  // namespace pt2triage
