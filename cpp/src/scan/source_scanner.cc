// Drives one source through io -> line -> record -> event.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "event/text_events.h"
#include "event/trace_events.h"
#include "io/encoding.h"
#include "pt2triage/parse_stats.h"
#include "pt2triage/scanner.h"
#include "record/record_stream.h"
#include "scan/compile_links.h"
#include "scan/run_context.h"
#include "scan/source_result.h"
#include "trace/trace_builder.h"

namespace pt2triage {
namespace {

constexpr size_t kSniffBytes = 4096;

SourceKind KindOf(const SourceInfo& info) {
  if (info.bytes == 0) return SourceKind::kEmpty;
  if (info.trace_records > info.log_records) return SourceKind::kTorchTrace;
  return info.log_records > 0 ? SourceKind::kTorchLogs : SourceKind::kText;
}

}  // namespace

// The state of one source's scan. Everything here is owned.
struct SourceScanner::Impl {
  Impl(std::string name, const ScanOptions& options)
      : text(
            0, [this](Event event) { events.Add(std::move(event)); },
            [this](const LogRecord& record) {
              stats.Add(ParseIssue::kUnrecognisedRecord, record.evidence,
                        record.text.substr(0, record.text.find('\n')));
            }),
        traces([this](Event event) {
          if (tables) tables->OnEvent(event);
          events.Add(std::move(event));
        }),
        records(
            RecordMatters, options.verify, &stats,
            {[this](LogRecord& record) {
               links.OnLog(record);
               text.OnRecord(record);
             },
             [this](TraceRecord& record) {
               links.OnTrace(record);
               if (tables) tables->OnRecord(record);
               traces.OnRecord(record);
             },
             [this](const Line& line) { text.OnPlainLine(line); },
             [this](std::string_view before, std::string_view after,
                    const Evidence& at) { text.OnCut(before, after, at); },
             &TextEventBuilder::Rules(), [this] { return text.attention(); },
             [this](std::string_view line) { return text.IsWatched(line); },
             [this] { text.PassedText(); }, options.tables}) {
    if (options.tables) tables.emplace(name);
    result.info.name = std::move(name);
    origin = options.origin;
  }

  void Bytes(std::string_view chunk);
  void Begin();
  void Finish();

  SourceResult result;
  Origin origin;
  ParseStats stats;
  EventStore events;
  TextEventBuilder text;
  TraceEventBuilder traces;
  CompileLinks links;
  std::optional<TraceTableBuilder> tables;
  RecordStream records;
  std::string head;  // bytes that wait to be sniffed
  std::string decoded;
  std::optional<Utf16Decoder> utf16;
  bool begun = false;
  bool binary = false;
};

void SourceScanner::Impl::Bytes(std::string_view chunk) {
  if (!begun) {
    head.append(chunk);
    if (head.size() >= kSniffBytes) Begin();
    return;
  }
  if (binary) {
    result.info.bytes += chunk.size();
  } else if (utf16) {
    decoded.clear();
    utf16->Decode(chunk, &decoded);
    records.Feed(decoded);
  } else {
    records.Feed(chunk);
  }
}

void SourceScanner::Impl::Begin() {
  begun = true;
  std::string first = std::exchange(head, {});
  std::string_view sniffed = std::string_view(first).substr(0, kSniffBytes);
  Encoding encoding = SniffEncoding(sniffed);
  Evidence at{0, 1, 0, sniffed.size()};
  std::string_view rest = first;
  if (encoding == Encoding::kBinary) {
    binary = true;
    std::string_view compression = CompressionName(sniffed);
    std::string detail;
    if (!compression.empty()) {
      detail =
          "it is " + std::string(compression) + " data, so decompress it first";
    }
    stats.Add(ParseIssue::kBinary, at, std::move(detail));
  } else if (encoding != Encoding::kUtf8) {
    utf16.emplace(encoding == Encoding::kUtf16Be);
    stats.Add(ParseIssue::kUtf16, at);
    rest.remove_prefix(2);
  }
  Bytes(rest);
}

void SourceScanner::Impl::Finish() {
  if (!begun) Begin();
  if (utf16) {
    decoded.clear();
    utf16->Finish(&decoded);
    records.Feed(decoded);
  }
  records.Finish();
  // One that ends earlier is a warning's stack.
  std::optional<Evidence> open = text.OpenTraceback();
  if (open && open->offset + open->length >= records.bytes()) {
    stats.Add(ParseIssue::kTruncatedTraceback, *open);
  }
  text.Finish();
  traces.Finish();

  SourceInfo& info = result.info;
  LineAccounts accounts = records.accounts();
  info.log_records = records.log_records();
  info.trace_records = records.trace().records();
  info.malformed = stats.places();
  info.unrecognised = stats.unrecognised();
  info.torch_version = records.trace().torch_version();
  info.ranks = records.ranks();
  if (binary) {
    info.kind = SourceKind::kBinary;
    accounts.malformed = info.bytes;
  } else {
    info.bytes = records.bytes();
    info.lines = records.lines();
    info.kind = KindOf(info);
  }
  info.bytes_parsed = accounts.parsed;
  info.bytes_plain = accounts.plain;
  info.bytes_malformed = accounts.malformed;
  result.diagnostics = stats.kept();
  result.dropped = events.dropped();
  result.links = links.Take();
  if (tables) result.tables = tables->Finish();
  result.events = events.Take();
  AddRunContext(records.places(), origin, records.first_stamp(),
                &result.events);
}

SourceScanner::SourceScanner(std::string name, const ScanOptions& options)
    : impl_(std::make_unique<Impl>(std::move(name), options)) {}
SourceScanner::~SourceScanner() = default;
SourceScanner::SourceScanner(SourceScanner&&) noexcept = default;

void SourceScanner::Feed(std::string_view chunk) { impl_->Bytes(chunk); }

bool SourceScanner::TakeRun(const DullRun& run) {
  return impl_->begun && !impl_->binary && !impl_->utf16 &&
         impl_->records.TakeRun(run);
}

bool SourceScanner::in_trace() const { return impl_->records.in_trace(); }

std::shared_ptr<TraceTables> TakeTables(SourceResult* result) {
  return std::exchange(result->tables, nullptr);
}

std::shared_ptr<SourceResult> SourceScanner::Finish() {
  impl_->Finish();
  return std::make_shared<SourceResult>(std::move(impl_->result));
}

}  // namespace pt2triage
