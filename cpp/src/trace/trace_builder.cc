#include "trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "base/strings.h"
#include "event/guard.h"
#include "event/trace_facts.h"
#include "trace/cache_rows.h"
#include "trace/symbol_rows.h"

namespace pt2triage {
namespace {

// Records that are only counted: one or more for each tensor, or each of the
// thousands of steps of a compile.
constexpr auto kOnlyCounted =
    std::to_array<std::string_view>({"str", "chromium_event", "describe_tensor",
                                     "describe_storage", "describe_source"});
constexpr size_t kMaxKinds = 1024;
constexpr size_t kMaxName = 256;

bool IsOnlyCounted(std::string_view name) {
  return std::ranges::find(kOnlyCounted, name) != kOnlyCounted.end();
}

std::string Shortened(std::string_view text) {
  return std::string(text.substr(0, TraceTableBuilder::kMaxText));
}

std::optional<int64_t> LineOf(const StackFrame& frame) {
  return frame.line == 0 ? std::nullopt : std::optional(frame.line);
}

// Without the tab of each line and the newline of the last one. What stands in
// front of the lines in a log is counted too.
uint64_t PayloadBytes(const TraceRecord& record) {
  const uint64_t marks = record.payload_lines + 1;
  return record.payload_length > marks ? record.payload_length - marks : 0;
}

template <typename Row>
void PutPlace(const Evidence& at, Row* row) {
  row->at_line = at.line;
  row->at_offset = at.offset;
}

}  // namespace

bool TraceTableBuilder::HasRoom(size_t bytes) {
  if (bytes_ + bytes > kMaxBytes) {
    ++tables_.omitted;
    return false;
  }
  bytes_ += bytes;
  return true;
}

size_t TraceTableBuilder::ProcessOf(const TraceRecord& record) {
  if (last_process_ != SIZE_MAX && record.session == last_session_) {
    return last_process_;
  }
  last_session_ = record.session;
  const auto [it, is_new] =
      sessions_.try_emplace(record.session, tables_.processes.size());
  last_process_ = it->second;
  if (is_new && !tables_.processes.empty() &&
      !HasRoom(sizeof(ProcessRow) + 256)) {
    sessions_.erase(it);
    last_process_ = 0;
  } else if (is_new) {
    ProcessRow& row = tables_.processes.emplace_back();
    row.process = static_cast<int64_t>(last_process_);
    row.source = source_;
    row.pid = record.process;
    row.first_time = record.time;
  }
  return last_process_;
}

TraceKey TraceTableBuilder::KeyOf(const TraceRecord& record,
                                  size_t process) const {
  TraceKey key;
  key.process = static_cast<int64_t>(process);
  if (record.rank >= 0) key.rank = record.rank;
  if (record.compile_id) {
    key.compile_id = WithoutAttempt(*record.compile_id).ToString();
  }
  return key;
}

void TraceTableBuilder::Count(const TraceRecord& record) {
  kind_name_.assign(record.name.substr(0, kMaxName));
  kind_name_ += '\0';
  kind_name_ += record.artifact_name.substr(0, kMaxName);
  auto it = kinds_.find(kind_name_);
  if (it == kinds_.end()) {
    if (kinds_.size() >= kMaxKinds) {
      ++tables_.omitted;
      return;
    }
    it = kinds_.try_emplace(kind_name_).first;
    it->second.known = record.kind != nullptr;
  }
  ++it->second.records;
  if (record.payload_lines > 0) {
    it->second.payload_bytes += PayloadBytes(record);
  }
}

void TraceTableBuilder::OnRecord(const TraceRecord& record) {
  const size_t process = ProcessOf(record);
  ProcessRow& row = tables_.processes[process];
  ++row.records;
  row.last_time = record.time;
  if (record.rank >= 0 && !row.rank) row.rank = record.rank;
  Count(record);
  if (IsOnlyCounted(record.name)) return;
  const TraceKey key = KeyOf(record, process);
  AddArtifact(record, key);
  OnKnown(record, key);
}

void TraceTableBuilder::AddArtifact(const TraceRecord& record,
                                    const TraceKey& key) {
  if (!HasRoom(sizeof(ArtifactRow) + record.name.size() +
               record.artifact_name.size() + record.has_payload_md5.size())) {
    return;
  }
  ArtifactRow& row = tables_.artifacts.emplace_back();
  static_cast<TraceKey&>(row) = key;
  if (record.compile_id) row.attempt = record.compile_id->attempt;
  row.record = Shortened(record.name);
  row.name = Shortened(record.artifact_name);
  row.known = record.kind != nullptr;
  row.checksum = Shortened(record.has_payload_md5);
  row.payload_lines = record.payload_lines;
  if (record.payload_lines > 0) row.payload_bytes = PayloadBytes(record);
  PutPlace(record.evidence, &row);
  row.length = record.evidence.length;
}

// What else the kind of a record says.
void TraceTableBuilder::OnKnown(const TraceRecord& record,
                                const TraceKey& key) {
  const bool metrics = Contains(record.name, "compilation_metrics");
  CompileRow* compile = nullptr;
  if (record.compile_id && HasRoom(compiles_.CostOf(record, key))) {
    compile = compiles_.OnRecord(record, key);
  }
  if (metrics) {
    const MetricsSeen seen = metrics_.Read(record, key, &parser_);
    bytes_ += seen.bytes;
    if (compile == nullptr && !seen.compile_id.empty()) {
      TraceKey named = key;
      named.compile_id = seen.compile_id;
      if (HasRoom(compiles_.CostOf(record, named))) {
        compile = compiles_.Find(named);
      }
    }
    if (compile != nullptr) {
      bytes_ += compiles_.OnMetrics(record, &parser_, compile);
    }
    std::string& version = tables_.processes[last_process_].torch_version;
    if (version.empty()) version = seen.torch_version;
  } else if (record.artifact_name == "torch_version") {
    tables_.processes[last_process_].torch_version =
        VersionIn(record.payload, &parser_);
  } else if (std::optional<CacheRow> row = ReadCacheRow(record, &parser_)) {
    static_cast<TraceKey&>(*row) = key;
    PutPlace(record.evidence, &*row);
    if (compile != nullptr) AddCache(*row, compile);
    if (HasRoom(sizeof(CacheRow) + row->reason.size() + row->hash.size())) {
      tables_.cache_events.push_back(*std::move(row));
    }
  } else if (record.artifact_name == "inductor_collective_schedule") {
    AddCollectives(record, key);
  } else if (std::optional<SymbolRow> symbol =
                 ReadSymbolRow(record, &parser_)) {
    static_cast<TraceKey&>(*symbol) = key;
    PutPlace(record.evidence, &*symbol);
    if (HasRoom(sizeof(SymbolRow) + symbol->source.size() +
                symbol->reason.size())) {
      tables_.symbols.push_back(*std::move(symbol));
    }
  }
}

void TraceTableBuilder::AddCollectives(const TraceRecord& record,
                                       const TraceKey& key) {
  PaddedText text;
  text.Assign(record.payload);
  uint64_t position = 0;
  parser_.ForEachElement(text.view(), [&](JsonValue value) {
    std::string operation = Shortened(ReadString(value).value_or(""));
    if (!HasRoom(sizeof(CollectiveRow) + operation.size())) return;
    CollectiveRow& row = tables_.collectives.emplace_back();
    static_cast<TraceKey&>(row) = key;
    row.position = position++;
    row.operation = std::move(operation);
    PutPlace(record.evidence, &row);
  });
}

void TraceTableBuilder::OnEvent(const Event& event) {
  if (event.kind == EventKind::kGraphBreak ||
      event.kind == EventKind::kSkippedFrame) {
    AddBreak(event);
  } else if (event.kind == EventKind::kRecompile) {
    AddRecompile(event);
  }
}

void TraceTableBuilder::AddBreak(const Event& event) {
  BreakRow row;
  if (event.rank >= 0) row.rank = event.rank;
  if (event.compile_id) {
    row.compile_id = WithoutAttempt(*event.compile_id).ToString();
  }
  row.reason = Shortened(event.reason.empty() ? event.message : event.reason);
  row.explanation = Shortened(event.explanation);
  row.graph_break_id = event.graph_break_id;
  row.skipped_frame =
      event.kind == EventKind::kSkippedFrame || event.name == "skip";
  const StackFrame* frame = event.user_frame       ? &*event.user_frame
                            : event.frames.empty() ? nullptr
                                                   : &event.frames.back();
  if (frame != nullptr) {
    row.file = Shortened(frame->file);
    row.line = LineOf(*frame);
    row.function = Shortened(frame->function);
    row.code = Shortened(frame->code);
  }
  PutPlace(event.evidence, &row);
  if (HasRoom(sizeof(BreakRow) + row.reason.size() + row.explanation.size() +
              row.file.size() + row.code.size())) {
    tables_.graph_breaks.push_back(std::move(row));
  }
}

void TraceTableBuilder::AddRecompile(const Event& event) {
  RecompileRow row;
  if (event.rank >= 0) row.rank = event.rank;
  if (event.compile_id) {
    row.compile_id = WithoutAttempt(*event.compile_id).ToString();
  }
  if (event.user_frame) {
    row.function = Shortened(event.user_frame->function);
    row.file = Shortened(event.user_frame->file);
    row.line = LineOf(*event.user_frame);
  }
  PutPlace(event.evidence, &row);
  if (event.guards.empty()) {
    if (HasRoom(sizeof(RecompileRow))) tables_.recompiles.push_back(row);
    return;
  }
  for (const GuardText& text : event.guards) {
    const GuardFailure guard = ParseGuard(text);
    row.failed_compile_id = guard.compile_id;
    row.guard = Shortened(guard.guard);
    row.cause = guard.cause;
    row.guarded = Shortened(guard.source.value_or(""));
    row.expected = Shortened(guard.expected.value_or(""));
    row.actual = Shortened(guard.actual.value_or(""));
    row.user_code = Shortened(guard.user_code.value_or(""));
    if (HasRoom(sizeof(RecompileRow) + row.guard.size() + row.file.size() +
                row.user_code.size())) {
      tables_.recompiles.push_back(row);
    }
  }
}

// Events come without the process that they are of: it is that of the record
// at the same place.
void TraceTableBuilder::PlaceEvents() {
  std::ranges::sort(tables_.artifacts, {}, &ArtifactRow::at_offset);
  const auto place = [this](auto& rows) {
    std::ranges::stable_sort(
        rows, {}, &std::remove_reference_t<decltype(rows[0])>::at_offset);
    for (auto& row : rows) {
      const auto it = std::ranges::lower_bound(tables_.artifacts, row.at_offset,
                                               {}, &ArtifactRow::at_offset);
      if (it == tables_.artifacts.end() || it->at_offset != row.at_offset) {
        continue;
      }
      row.process = it->process;
      if (!row.rank) row.rank = it->rank;
      if (row.compile_id.empty()) row.compile_id = it->compile_id;
    }
  };
  place(tables_.graph_breaks);
  place(tables_.recompiles);
  // Equal breaks of one compile are one row.
  const auto identity = [](const BreakRow& row) {
    return std::tie(row.process, row.compile_id, row.file, row.line,
                    row.reason);
  };
  std::map<decltype(identity(BreakRow())), size_t> seen;
  std::vector<BreakRow> distinct;
  distinct.reserve(tables_.graph_breaks.size());
  for (BreakRow& row : tables_.graph_breaks) {
    const auto [it, is_new] = seen.try_emplace(identity(row), distinct.size());
    if (!is_new) {
      ++distinct[it->second].count;
      continue;
    }
    distinct.push_back(row);
  }
  tables_.graph_breaks = std::move(distinct);
}

// The columns of compiles and processes that other tables tell.
void TraceTableBuilder::Summarise() {
  for (const BreakRow& row : tables_.graph_breaks) {
    if (CompileRow* compile = compiles_.Last(row)) {
      compile->graph_breaks += row.count;
    }
    auto& process = tables_.processes[static_cast<size_t>(row.process)];
    if (!row.skipped_frame) process.graph_breaks += row.count;
  }
  const RecompileRow* last = nullptr;
  for (const RecompileRow& row : tables_.recompiles) {
    if (CompileRow* compile = compiles_.Last(row)) {
      auto& reasons = compile->recompile_reasons;
      if (std::ranges::find(reasons, row.guard) == reasons.end()) {
        reasons.push_back(row.guard);
      }
    }
    // One recompile has a row for each guard.
    if (last == nullptr || last->at_offset != row.at_offset) {
      ++tables_.processes[static_cast<size_t>(row.process)].recompiles;
    }
    last = &row;
  }
  for (const CacheRow& row : tables_.cache_events) {
    auto& process = tables_.processes[static_cast<size_t>(row.process)];
    process.cache_hits += row.outcome == "hit" ? 1 : 0;
    process.cache_misses += row.outcome == "miss" ? 1 : 0;
    process.cache_bypasses += row.outcome == "bypass" ? 1 : 0;
  }
  compiles_.NameAll();
  for (CompileRow& row : tables_.compiles) {
    auto& process = tables_.processes[static_cast<size_t>(row.process)];
    ++process.compiles;
    process.failed += row.outcome == CompileOutcome::kFailed ? 1 : 0;
    process.compile_us +=
        row.duration_us.value_or(0) + row.backward_us.value_or(0);
  }
  const auto add_rank = [this](auto& rows) {
    for (auto& row : rows) {
      if (row.rank) continue;
      row.rank = tables_.processes[static_cast<size_t>(row.process)].rank;
    }
  };
  add_rank(tables_.compiles);
  add_rank(tables_.graph_breaks);
  add_rank(tables_.recompiles);
  add_rank(tables_.cache_events);
  add_rank(tables_.symbols);
  add_rank(tables_.collectives);
  add_rank(tables_.artifacts);
  add_rank(tables_.metrics.keys);
}

std::shared_ptr<TraceTables> TraceTableBuilder::Finish() {
  tables_.metrics = metrics_.Take();
  PlaceEvents();
  Summarise();
  for (const auto& [name, kind] : kinds_) {
    const size_t end = name.find('\0');
    tables_.kinds.push_back({name.substr(0, end), name.substr(end + 1),
                             kind.known, kind.records, kind.payload_bytes});
  }
  kinds_.clear();
  return std::make_shared<TraceTables>(std::move(tables_));
}

}  // namespace pt2triage
