#include "trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "base/strings.h"
#include "event/trace_facts.h"
#include "record/trace_reader.h"
#include "trace/cache_rows.h"
#include "trace/event_rows.h"
#include "trace/row_texts.h"
#include "trace/summary.h"
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

// Without the tab of each line and the newline of the last one. What stands in
// front of the lines in a log is counted too.
uint64_t PayloadBytes(const TraceRecord& record) {
  const uint64_t marks = record.payload_lines + 1;
  return record.payload_length > marks ? record.payload_length - marks : 0;
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
    std::optional<std::string> version;
    ReadTorchVersion(record.payload, &version);
    tables_.processes[last_process_].torch_version =
        version.value_or("").substr(0, kMaxName);
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
    BreakRow row = BreakFrom(event);
    if (HasRoom(CostOf(row))) tables_.graph_breaks.push_back(std::move(row));
  } else if (event.kind == EventKind::kRecompile) {
    for (RecompileRow& row : RecompilesFrom(event)) {
      if (HasRoom(CostOf(row))) tables_.recompiles.push_back(std::move(row));
    }
  }
}

std::shared_ptr<TraceTables> TraceTableBuilder::Finish() {
  tables_.metrics = metrics_.Take();
  PlaceEvents(&tables_);
  Summarise(&compiles_, &tables_);
  for (const auto& [name, kind] : kinds_) {
    const size_t end = name.find('\0');
    tables_.kinds.push_back({name.substr(0, end), name.substr(end + 1),
                             kind.known, kind.records, kind.payload_bytes});
  }
  kinds_.clear();
  return std::make_shared<TraceTables>(std::move(tables_));
}

}  // namespace pt2triage
