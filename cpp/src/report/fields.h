// The fields of each struct of finding.h, once: name in the JSON contract,
// member, and meaning. The JSON writer, the Python classes and the columns of
// the Arrow tables are made from these tables, so that they can never disagree.
#pragma once

#include <tuple>

#include "pt2triage/finding.h"

namespace pt2triage {

// What an empty string, or a line number of 0, stands for.
enum class Empty { kValue, kUnknown };

// Whether a text is one of few: tables then hold each once.
enum class Values { kAny, kFew };

template <typename Struct, typename Member>
struct Field {
  constexpr Field(const char* json_name, Member Struct::* of, const char* what,
                  Empty if_empty = Empty::kValue,
                  Values of_values = Values::kAny)
      : name(json_name),
        member(of),
        doc(what),
        empty(if_empty),
        values(of_values) {}

  const char* name;
  Member Struct::* member;
  const char* doc;
  Empty empty;
  Values values;
};

// FieldsOf<T>::kFields is a tuple of Field<T, ...> in the order of the output.
template <typename T>
struct FieldsOf;

template <typename T>
concept HasFields = requires { FieldsOf<T>::kFields; };

// Calls `visit` with each field of T in order.
template <HasFields T, typename Visitor>
constexpr void ForEachField(Visitor&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); },
             FieldsOf<T>::kFields);
}

template <>
struct FieldsOf<Evidence> {
  static constexpr auto kFields = std::tuple{
      Field{"source", &Evidence::source, "Name of the source."},
      Field{"line", &Evidence::line, "First line, counted from 1."},
      Field{"offset", &Evidence::offset,
            "Byte offset in the source, decompressed."},
      Field{"length", &Evidence::length, "Number of bytes."},
      Field{"member", &Evidence::member, "Place of the file in the source."},
  };
};

template <>
struct FieldsOf<StackFrame> {
  static constexpr auto kFields = std::tuple{
      Field{"file", &StackFrame::file, "File as printed."},
      Field{"line", &StackFrame::line, "Line number, None if not printed.",
            Empty::kUnknown},
      Field{"function", &StackFrame::function,
            "Function name, None if not printed.", Empty::kUnknown},
      Field{"code", &StackFrame::code,
            "The source line as printed, None if not printed.",
            Empty::kUnknown},
  };
};

template <>
struct FieldsOf<GuardFailure> {
  static constexpr auto kFields = std::tuple{
      Field{"compile_id", &GuardFailure::compile_id,
            "Compile id of the cache entry whose guard failed.",
            Empty::kUnknown},
      Field{"guard", &GuardFailure::guard, "The guard as printed."},
      Field{"cause", &GuardFailure::cause,
            "What changed: shape, dtype, scalar-value ...", Empty::kValue,
            Values::kFew},
      Field{"source", &GuardFailure::source,
            "The value that is guarded, as an expression."},
      Field{"expected", &GuardFailure::expected,
            "What the compiled code was made for."},
      Field{"actual", &GuardFailure::actual, "What came."},
      Field{"user_code", &GuardFailure::user_code,
            "file:line that the guard comes from."},
  };
};

template <>
struct FieldsOf<ChainLink> {
  static constexpr auto kFields = std::tuple{
      Field{"type", &ChainLink::type, "Exception type as printed."},
      Field{"message", &ChainLink::message, "Its message as printed."},
  };
};

template <>
struct FieldsOf<Remedy> {
  static constexpr auto kFields = std::tuple{
      Field{"action", &Remedy::action, "One concrete step."},
      Field{"command", &Remedy::command, "A command that does it."},
  };
};

template <>
struct FieldsOf<Finding> {
  static constexpr auto kFields = std::tuple{
      Field{"fingerprint", &Finding::fingerprint,
            "12 hex digits, equal for the same failure in any run."},
      Field{"category", &Finding::category, "One of the eight categories."},
      Field{"secondary_categories", &Finding::secondary_categories,
            "Categories of wrapped failures that differ."},
      Field{"cause", &Finding::cause, "Stable word within the category.",
            Empty::kValue, Values::kFew},
      Field{"severity", &Finding::severity,
            "error: raised or fatal; warning: survived."},
      Field{"phase", &Finding::phase,
            "trace: while compiling; run: in compiled code."},
      Field{"compile_mode", &Finding::compile_mode,
            "How the code was compiled, where proven."},
      Field{"count", &Finding::count, "Number of events."},
      Field{"exception", &Finding::exception,
            "The exception that decides the category."},
      Field{"exception_chain", &Finding::exception_chain,
            "Outermost exception first, then its causes."},
      Field{"message", &Finding::message,
            "Text of the exception, or first line of the record."},
      Field{"reason", &Finding::reason, "Reason of a graph break."},
      Field{"explanation", &Finding::explanation,
            "PyTorch's own explanation of a graph break."},
      Field{"hints", &Finding::hints, "PyTorch's own hints."},
      Field{"graph_break_id", &Finding::graph_break_id,
            "GB id in PyTorch's registry."},
      Field{"guard_failures", &Finding::guard_failures, "Guards that failed."},
      Field{"user_frame", &Finding::user_frame,
            "Innermost frame in the user's own code."},
      Field{"raised_at", &Finding::raised_at,
            "Innermost frame of the root cause, whoever owns it."},
      Field{"compile_id", &Finding::compile_id, "Compile id of the event."},
      Field{"ranks", &Finding::ranks, "Ranks on which it happened."},
      Field{"backend", &Finding::backend, "Backend of torch.compile."},
      Field{"test_id", &Finding::test_id, "Test, as its runner prints it."},
      Field{"flaky", &Finding::flaky, "The test passed when run again."},
      Field{"job", &Finding::job, "CI job."},
      Field{"step", &Finding::step, "CI step."},
      Field{"attempt", &Finding::attempt, "CI attempt."},
      Field{"first_time", &Finding::first_time, "Time of the first event."},
      Field{"last_time", &Finding::last_time, "Time of the last event."},
      Field{"remedy", &Finding::remedy, "What to do, first step first."},
      Field{"next_command", &Finding::next_command,
            "Command that shows more about this finding."},
      Field{"evidence", &Finding::evidence, "Where each event was read."},
  };
};

template <>
struct FieldsOf<Counts> {
  static constexpr auto kFields = std::tuple{
      Field{"graph_breaks", &Counts::graph_breaks,
            "As PyTorch's counters['graph_break'] counts."},
      Field{"recompiles", &Counts::recompiles, "Distinct recompile records."},
      Field{"guard_failures", &Counts::guard_failures,
            "One per recompile, failed cache entry and guard."},
      Field{"recompile_limit_hits", &Counts::recompile_limit_hits,
            "Times a recompile limit was reached."},
      Field{"exceptions", &Counts::exceptions, "Distinct raised exceptions."},
      Field{"skipped_frames", &Counts::skipped_frames,
            "Frames that Dynamo gave up on."},
      Field{"accuracy_failures", &Counts::accuracy_failures,
            "Failed accuracy checks."},
      Field{"crashes", &Counts::crashes, "Processes killed by a fault."},
      Field{"device_asserts", &Counts::device_asserts,
            "Assertions printed by kernels."},
  };
};

template <>
struct FieldsOf<Artifact> {
  static constexpr auto kFields = std::tuple{
      Field{"path", &Artifact::path, "Path in the folder."},
      Field{"kind", &Artifact::kind, "What the file is."},
      Field{"graph", &Artifact::graph, "Name of the folder of its graph."},
      Field{"compile_id", &Artifact::compile_id,
            "Compile that it is of, where proven."},
      Field{"bytes", &Artifact::bytes, "Size of the file."},
      Field{"command", &Artifact::command,
            "Command that runs it; pt2triage never does."},
  };
};

template <>
struct FieldsOf<SourceInfo> {
  static constexpr auto kFields = std::tuple{
      Field{"name", &SourceInfo::name, "Name of the source."},
      Field{"kind", &SourceInfo::kind, "Kind, detected from its content."},
      Field{"bytes", &SourceInfo::bytes, "Size, decompressed."},
      Field{"lines", &SourceInfo::lines, "Number of lines."},
      Field{"log_records", &SourceInfo::log_records,
            "TORCH_LOGS records read."},
      Field{"trace_records", &SourceInfo::trace_records,
            "TORCH_TRACE records read."},
      Field{"malformed", &SourceInfo::malformed,
            "Places that could not be read."},
      Field{"unrecognised", &SourceInfo::unrecognised,
            "Torch records that match no known wording."},
      Field{"bytes_parsed", &SourceInfo::bytes_parsed, "Bytes in records."},
      Field{"bytes_plain", &SourceInfo::bytes_plain,
            "Bytes of other text, read but not PyTorch's."},
      Field{"bytes_malformed", &SourceInfo::bytes_malformed,
            "Bytes that could not be read."},
      Field{"torch_version", &SourceInfo::torch_version,
            "PyTorch version, where printed."},
      Field{"ranks", &SourceInfo::ranks, "Ranks seen."},
      Field{"artifacts", &SourceInfo::artifacts,
            "Files of a debug folder, by path."},
      Field{"omitted_artifacts", &SourceInfo::omitted_artifacts,
            "Files of a debug folder that are neither listed nor read."},
  };
};

template <>
struct FieldsOf<Diagnostic> {
  static constexpr auto kFields = std::tuple{
      Field{"at", &Diagnostic::at, "The place."},
      Field{"kind", &Diagnostic::kind, "Stable word."},
      Field{"message", &Diagnostic::message, "A sentence."},
  };
};

template <>
struct FieldsOf<Report> {
  static constexpr auto kFields = std::tuple{
      Field{"category", &Report::category,
            "Category of the failure to look at first, None if none."},
      Field{"finding", &Report::finding,
            "Fingerprint of the failure to look at first."},
      Field{"counts", &Report::counts, "How many events of each kind."},
      Field{"sources", &Report::sources, "What was read."},
      Field{"findings", &Report::findings,
            "What is wrong, most important first."},
      Field{"omitted_findings", &Report::omitted_findings,
            "Number of findings that are not listed."},
      Field{"diagnostics", &Report::diagnostics,
            "Places that could not be read, at most 1,000."},
  };
};

}  // namespace pt2triage
