// The fields of each struct of trace.h, once: the Python classes and the
// columns of the Arrow tables are made from these tables.
#pragma once

#include <tuple>

#include "pt2triage/trace.h"
#include "report/fields.h"

namespace pt2triage {

// A field of `Row` that it inherits.
template <typename Row, typename Base, typename Member>
constexpr Field<Row, Member> Inherited(const char* name, Member Base::* member,
                                       const char* doc,
                                       Empty empty = Empty::kValue,
                                       Values values = Values::kAny) {
  return {name, static_cast<Member Row::*>(member), doc, empty, values};
}

template <typename Row>
constexpr auto KeyFields() {
  return std::tuple{
      Inherited<Row>("process", &TraceKey::process,
                     "Place of its process in `processes`."),
      Inherited<Row>("rank", &TraceKey::rank, "Rank, None without one."),
      Inherited<Row>("compile_id", &TraceKey::compile_id,
                     "Compile without its attempt, None outside compiles.",
                     Empty::kUnknown),
  };
}

template <typename Row>
constexpr auto PlaceFields() {
  return std::tuple{
      Field{"at_line", &Row::at_line, "Line of its record in the source."},
      Field{"at_offset", &Row::at_offset,
            "Byte offset of its record, decompressed."},
  };
}

template <>
struct FieldsOf<ProcessRow> {
  using R = ProcessRow;
  static constexpr auto kFields = std::tuple{
      Field{"process", &R::process, "Its place in this table."},
      Field{"rank", &R::rank, "Rank, None without one."},
      Field{"source", &R::source, "Name of the source.", Empty::kValue,
            Values::kFew},
      Field{"pid", &R::pid, "Process number as printed (thread id up to 2.5)."},
      Field{"torch_version", &R::torch_version,
            "PyTorch version, None if the trace does not say.",
            Empty::kUnknown},
      Field{"first_time", &R::first_time, "Time of the first record."},
      Field{"last_time", &R::last_time, "Time of the last record."},
      Field{"records", &R::records, "Number of records."},
      Field{"compiles", &R::compiles, "Number of compiles."},
      Field{"failed", &R::failed, "Number of failed compiles."},
      Field{"graph_breaks", &R::graph_breaks, "Number of graph breaks."},
      Field{"recompiles", &R::recompiles, "Number of recompiles."},
      Field{"cache_hits", &R::cache_hits, "Lookups in caches that hit."},
      Field{"cache_misses", &R::cache_misses, "Lookups that missed."},
      Field{"cache_bypasses", &R::cache_bypasses,
            "Compiles that a cache could not take."},
      Field{"compile_us", &R::compile_us,
            "Time of all compiles, forward and backward, in microseconds."},
  };
};

template <>
struct FieldsOf<CompileRow> {
  using R = CompileRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"function", &R::function, "Compiled function.",
                Empty::kUnknown},
          Field{"file", &R::file, "Its file.", Empty::kUnknown},
          Field{"line", &R::line, "Its first line."},
          Field{"outcome", &R::outcome,
                "ok, failed, empty (nothing to compile) or unfinished."},
          Field{"attempts", &R::attempts, "1 plus the number of restarts."},
          Field{"restart_reasons", &R::restart_reasons,
                "Why the analysis began again."},
          Field{"fail_type", &R::fail_type, "Exception that ended it.",
                Empty::kUnknown},
          Field{"fail_reason", &R::fail_reason, "Its message.",
                Empty::kUnknown},
          Field{"fail_file", &R::fail_file, "Innermost user frame of it.",
                Empty::kUnknown},
          Field{"fail_line", &R::fail_line, "Its line."},
          Field{"recompile_reasons", &R::recompile_reasons,
                "Guards that failed before it."},
          Field{"cudagraph_skip_reason", &R::cudagraph_skip_reason,
                "Why CUDA graphs were not used.", Empty::kUnknown},
          Field{"start_us", &R::start_us, "Begin, in microseconds since 1970."},
          Field{"duration_us", &R::duration_us, "Whole time, microseconds."},
          Field{"dynamo_us", &R::dynamo_us,
                "Dynamo and all within it, microseconds."},
          Field{"aot_us", &R::aot_us,
                "The backend and all within it, microseconds."},
          Field{"inductor_us", &R::inductor_us,
                "Inductor and all within it, microseconds."},
          Field{"codegen_us", &R::codegen_us, "Code generation, microseconds."},
          Field{"triton_us", &R::triton_us, "Triton, microseconds."},
          Field{"backward_us", &R::backward_us,
                "Compiles of its backward, microseconds."},
          Field{"restart_us", &R::restart_us,
                "Time lost to restarts, microseconds."},
          Field{"fx_cache", &R::fx_cache,
                "hit, miss or bypass of Inductor's cache.", Empty::kUnknown},
          Field{"aot_cache", &R::aot_cache,
                "hit, miss or bypass of AOTAutograd's cache.", Empty::kUnknown},
          Field{"cache_saved_us", &R::cache_saved_us,
                "What hits saved, microseconds."},
          Field{"guards", &R::guards, "Number of guards."},
          Field{"graph_ops", &R::graph_ops, "Operations in its graph."},
          Field{"graph_nodes", &R::graph_nodes, "Nodes in its graph."},
          Field{"graph_inputs", &R::graph_inputs, "Inputs of its graph."},
          Field{"graph_hash", &R::graph_hash, "MD5 of the printed graph.",
                Empty::kUnknown},
          Field{"graph_breaks", &R::graph_breaks, "Graph breaks in it."},
          Field{"stack", &R::stack,
                "Calls that led to it, outermost first, at most 64."},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<BreakRow> {
  using R = BreakRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"reason", &R::reason, "Why the graph broke."},
          Field{"explanation", &R::explanation, "PyTorch's explanation.",
                Empty::kUnknown},
          Field{"graph_break_id", &R::graph_break_id,
                "GB id in PyTorch's registry.", Empty::kUnknown},
          Field{"skipped_frame", &R::skipped_frame,
                "The whole frame runs uncompiled."},
          Field{"count", &R::count, "How often in this compile."},
          Field{"file", &R::file, "User's file.", Empty::kUnknown},
          Field{"line", &R::line, "User's line."},
          Field{"function", &R::function, "User's function.", Empty::kUnknown},
          Field{"code", &R::code, "User's source line.", Empty::kUnknown},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<RecompileRow> {
  using R = RecompileRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"function", &R::function, "Function that is compiled again.",
                Empty::kUnknown},
          Field{"file", &R::file, "Its file.", Empty::kUnknown},
          Field{"line", &R::line, "Its first line."},
          Field{"failed_compile_id", &R::failed_compile_id,
                "Compile whose guard failed.", Empty::kUnknown},
          Field{"guard", &R::guard, "The guard as printed."},
          Field{"cause", &R::cause, "What changed: shape, dtype ...",
                Empty::kValue, Values::kFew},
          Field{"guarded", &R::guarded, "The value, as an expression.",
                Empty::kUnknown},
          Field{"expected", &R::expected, "What the code was compiled for.",
                Empty::kUnknown},
          Field{"actual", &R::actual, "What came.", Empty::kUnknown},
          Field{"user_code", &R::user_code, "file:line of the guard.",
                Empty::kUnknown},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<CacheRow> {
  using R = CacheRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"cache", &R::cache,
                "fx_graph, fx_graph_bundled, aotautograd, dynamo or "
                "precompile.",
                Empty::kValue, Values::kFew},
          Field{"outcome", &R::outcome, "hit, miss or bypass.", Empty::kValue,
                Values::kFew},
          Field{"hash", &R::hash, "Key that was looked up.", Empty::kUnknown},
          Field{"reason", &R::reason, "Why it was bypassed.", Empty::kUnknown},
          Field{"saved_us", &R::saved_us, "What a hit saved, microseconds."},
          Field{"taken_us", &R::taken_us,
                "What the compile took, microseconds."},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<MetricRow> {
  using R = MetricRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"record", &R::record, "Name of the record.", Empty::kValue,
                Values::kFew},
          Field{"field", &R::field, "Field of CompilationMetrics.",
                Empty::kValue, Values::kFew},
          Field{"value", &R::value, "Its value, as JSON."},
          Field{"number", &R::number, "The value if it is a number."},
      });
};

template <>
struct FieldsOf<SymbolRow> {
  using R = SymbolRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"record", &R::record, "Name of the record.", Empty::kValue,
                Values::kFew},
          Field{"symbol", &R::symbol, "Symbol, guard or operator."},
          Field{"value", &R::value, "What it was specialised to.",
                Empty::kUnknown},
          Field{"source", &R::source, "Where it comes from.", Empty::kUnknown},
          Field{"reason", &R::reason, "Reason, or the range.", Empty::kUnknown},
          Field{"file", &R::file, "User's file.", Empty::kUnknown},
          Field{"line", &R::line, "User's line."},
          Field{"function", &R::function, "User's function.", Empty::kUnknown},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<CollectiveRow> {
  using R = CollectiveRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"position", &R::position, "Place in its schedule, from 0."},
          Field{"operation", &R::operation, "The collective operation.",
                Empty::kValue, Values::kFew},
      },
      PlaceFields<R>());
};

template <>
struct FieldsOf<ArtifactRow> {
  using R = ArtifactRow;
  static constexpr auto kFields = std::tuple_cat(
      KeyFields<R>(),
      std::tuple{
          Field{"attempt", &R::attempt, "Attempt at the compile, from 0."},
          Field{"record", &R::record, "Name of the record.", Empty::kValue,
                Values::kFew},
          Field{"name", &R::name, "Name of an artifact.", Empty::kUnknown},
          Field{"known", &R::known, "Whether PyTorch is known to write it."},
          Field{"checksum", &R::checksum, "MD5 that the trace states.",
                Empty::kUnknown},
          Field{"payload_lines", &R::payload_lines, "Lines of its payload."},
          Field{"payload_bytes", &R::payload_bytes, "Bytes of its payload."},
      },
      PlaceFields<R>(),
      std::tuple{Field{"length", &R::length, "Bytes of the whole record."}});
};

template <>
struct FieldsOf<KindRow> {
  using R = KindRow;
  static constexpr auto kFields = std::tuple{
      Field{"record", &R::record, "Name of the record."},
      Field{"name", &R::name, "Name of an artifact.", Empty::kUnknown},
      Field{"known", &R::known, "Whether PyTorch is known to write it."},
      Field{"records", &R::records, "Number of records."},
      Field{"payload_bytes", &R::payload_bytes, "Bytes of their payloads."},
  };
};

}  // namespace pt2triage
