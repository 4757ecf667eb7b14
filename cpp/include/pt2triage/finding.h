// What a scan returns: findings, counts, sources and diagnostics. These are
// plain values that own their strings; a Report is complete and immutable once
// a scan returned it, so threads may share it freely.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/evidence.h"

namespace pt2triage {

// The seven kinds of PyTorch's triage guide, what is not PT2's, and nothing.
enum class Category : uint8_t {
  kNone,
  kGraphBreak,
  kBackendCompilerFailed,
  kRecompilation,
  kAccuracy,
  kDynamoInternal,
  kRuntimeCrash,
  kTritonKernel,
  kOther,
};

enum class Severity : uint8_t { kWarning, kError };
enum class Phase : uint8_t { kUnknown, kTrace, kRun };
enum class CompileMode : uint8_t {
  kUnknown,
  kCompile,
  kExportStrict,
  kExportNonStrict,
  kExportDraft,
  kAotInductor,
};

// Names as in the JSON contract; empty for kNone / kUnknown.
std::string_view CategoryName(Category category);
std::string_view SeverityName(Severity severity);
std::string_view PhaseName(Phase phase);
std::string_view CompileModeName(CompileMode mode);
// kNone for an unknown word.
Category CategoryFromName(std::string_view name);

struct GuardFailure {
  std::string compile_id;  // of the cache entry that failed, empty if unknown
  std::string guard;
  std::string cause;
  std::optional<std::string> source;
  std::optional<std::string> expected;
  std::optional<std::string> actual;
  std::optional<std::string> user_code;

  bool operator==(const GuardFailure&) const = default;
};

struct ChainLink {
  std::string type;
  std::string message;

  bool operator==(const ChainLink&) const = default;
};

struct Remedy {
  std::string action;
  std::optional<std::string> command;

  bool operator==(const Remedy&) const = default;
};

// One or more equal events, classified. Field meanings: docs/json.md.
struct Finding {
  std::string fingerprint;
  Category category = Category::kNone;
  std::vector<Category> secondary_categories;
  std::string cause;
  Severity severity = Severity::kWarning;
  Phase phase = Phase::kUnknown;
  CompileMode compile_mode = CompileMode::kUnknown;
  uint64_t count = 0;
  std::optional<std::string> exception;
  std::vector<ChainLink> exception_chain;  // outermost first
  std::optional<std::string> message;
  std::optional<std::string> reason;
  std::optional<std::string> explanation;
  std::vector<std::string> hints;
  std::optional<std::string> graph_break_id;
  std::vector<GuardFailure> guard_failures;
  std::optional<StackFrame> user_frame;
  std::optional<StackFrame> raised_at;  // innermost frame of the root cause
  std::optional<std::string> compile_id;
  std::vector<int32_t> ranks;
  std::optional<std::string> backend;
  std::optional<std::string> test_id;
  bool flaky = false;
  std::optional<std::string> job;
  std::optional<std::string> step;
  std::optional<std::string> attempt;
  std::optional<std::string> first_time;
  std::optional<std::string> last_time;
  std::vector<Remedy> remedy;
  std::optional<std::string> next_command;
  std::vector<Evidence> evidence;
};

struct Counts {
  uint64_t graph_breaks = 0;
  uint64_t recompiles = 0;
  uint64_t guard_failures = 0;
  uint64_t recompile_limit_hits = 0;
  uint64_t exceptions = 0;
  uint64_t skipped_frames = 0;
  uint64_t accuracy_failures = 0;
  uint64_t crashes = 0;
  uint64_t device_asserts = 0;
};

enum class SourceKind : uint8_t {
  kEmpty,
  kText,
  kTorchLogs,
  kTorchTrace,
  kDebugFolder,
  kBinary,
};
std::string_view SourceKindName(SourceKind kind);

struct SourceInfo {
  std::string name;
  SourceKind kind = SourceKind::kEmpty;
  uint64_t bytes = 0;
  uint64_t lines = 0;
  uint64_t log_records = 0;
  uint64_t trace_records = 0;
  uint64_t malformed = 0;     // places
  uint64_t unrecognised = 0;  // records of a known artifact, no template fits
  uint64_t bytes_parsed = 0;
  uint64_t bytes_plain = 0;
  uint64_t bytes_malformed = 0;
  std::optional<std::string> torch_version;
  std::vector<int32_t> ranks;
};

// A place in a source that could not be read, named by the declared counters
// of parse_stats.h.
struct Diagnostic {
  Evidence at;
  std::string kind;
  std::string message;
};

struct Report {
  Category category = Category::kNone;
  std::optional<std::string> finding;  // findings[0].fingerprint
  Counts counts;
  std::vector<SourceInfo> sources;
  std::vector<Finding> findings;  // most important first
  uint64_t omitted_findings = 0;
  std::vector<Diagnostic> diagnostics;  // the first 1,000
};

}  // namespace pt2triage
