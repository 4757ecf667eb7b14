// Drives one source through io -> line -> record -> event.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/strings.h"
#include "event/text_events.h"
#include "event/trace_events.h"
#include "io/encoding.h"
#include "line/decorations.h"
#include "line/line_splitter.h"
#include "pt2triage/parse_stats.h"
#include "pt2triage/scanner.h"
#include "record/log_header.h"
#include "record/log_record.h"
#include "record/trace_reader.h"
#include "scan/line_accounts.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

constexpr size_t kSniffBytes = 4096;
constexpr size_t kMaxEvents = 200000;  // of one source; later ones are dropped

bool HasHighBit(std::string_view text) {
  unsigned char all = 0;
  for (char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x80) != 0;
}

}  // namespace

// The state of one source's scan. Everything here is owned; events wait in
// `result` until Finish() sorts them by place.
struct SourceScanner::Impl {
  Impl(std::string name, const ScanOptions& options)
      : assembler(0, RecordMatters,
                  [this](LogRecord& record) { text.OnRecord(record); }),
        text(0, [this](Event event) { Keep(std::move(event)); }),
        traces([this](Event event) { Keep(std::move(event)); }),
        reader(0, options.verify, &stats,
               [this](TraceRecord& record) { OnTraceRecord(record); }) {
    result.info.name = std::move(name);
  }

  void Keep(Event event) {
    if (result.events.size() < kMaxEvents) {
      result.events.push_back(std::move(event));
    }
  }

  void OnTraceRecord(TraceRecord& record) {
    AddRank(record.rank);
    traces.OnRecord(record);
  }

  void AddRank(int32_t rank) {
    if (rank < 0 || rank == last_rank) return;
    last_rank = rank;
    std::vector<int32_t>& ranks = result.info.ranks;
    auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if ((at == ranks.end() || *at != rank) && ranks.size() < 100000) {
      ranks.insert(at, rank);
    }
  }

  void Bytes(std::string_view chunk);
  void Begin();
  void Text(std::string_view chunk);
  void OnPhysicalLine(const PhysicalLine& line);
  LineFate OnLine(const Line& line);
  void Repair(const PhysicalLine& line);
  void Finish();

  SourceResult result;
  ParseStats stats;
  LineSplitter splitter;
  LineCleaner cleaner;
  RecordAssembler assembler;
  TextEventBuilder text;
  TraceEventBuilder traces;
  TraceReader reader;
  LineAccounts accounts;
  std::string head;  // bytes that wait to be sniffed
  std::string decoded;
  std::string without_nuls;
  std::optional<Utf16Decoder> utf16;
  bool begun = false;
  bool binary = false;
  bool high_bits = false;
  bool trace_open = false;
  int32_t last_rank = -1;
};

void SourceScanner::Impl::Bytes(std::string_view chunk) {
  if (!begun) {
    head.append(chunk);
    if (head.size() < kSniffBytes) return;
    Begin();
    return;
  }
  if (binary) {
    result.info.bytes += chunk.size();
    return;
  }
  if (utf16) {
    decoded.clear();
    utf16->Decode(chunk, &decoded);
    chunk = decoded;
  }
  Text(chunk);
}

void SourceScanner::Impl::Begin() {
  begun = true;
  std::string first = std::exchange(head, {});
  Encoding encoding =
      SniffEncoding(std::string_view(first).substr(0, kSniffBytes));
  Evidence at{0, 1, 0, first.size()};
  if (encoding == Encoding::kBinary) {
    binary = true;
    std::string_view compression = CompressionName(first);
    stats.Add(ParseIssue::kBinary, at,
              compression.empty()
                  ? std::string()
                  : "it is " + std::string(compression) +
                        " data, so decompress it first");
  } else if (encoding != Encoding::kUtf8) {
    utf16.emplace(encoding == Encoding::kUtf16Be);
    stats.Add(ParseIssue::kUtf16, at);
    Bytes(std::string_view(first).substr(2));
    return;
  }
  Bytes(first);
}

void SourceScanner::Impl::Text(std::string_view chunk) {
  high_bits = high_bits || HasHighBit(chunk);
  splitter.Feed(chunk,
                [this](const PhysicalLine& line) { OnPhysicalLine(line); });
}

void SourceScanner::Impl::OnPhysicalLine(const PhysicalLine& line) {
  if (trace_open && !line.text.empty() && line.text.front() == '\t') {
    Evidence at{0, line.number, line.offset, line.length};
    if (reader.OnLine(line.text, at)) {
      accounts.Add(LineFate::kParsed, line.length);
      return;
    }
  }
  bool nul = !line.text.empty() &&
             std::memchr(line.text.data(), 0, line.text.size()) != nullptr;
  if (nul || (high_bits && HasHighBit(line.text) &&
              !simdjson::validate_utf8(line.text.data(), line.text.size()))) {
    Evidence at{0, line.number, line.offset, line.length};
    stats.Add(nul ? ParseIssue::kNulBytes : ParseIssue::kInvalidUtf8, at);
  }
  PhysicalLine whole = line;
  if (nul) {
    without_nuls.assign(line.text);
    std::erase(without_nuls, '\0');
    whole.text = without_nuls;
  }
  // A progress bar rewrites its line: the pieces are lines of their own.
  LineFate fate = LineFate::kPlain;
  std::string_view rest = whole.text;
  while (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  do {
    size_t cut = rest.find('\r');
    PhysicalLine piece = whole;
    piece.text = rest.substr(0, cut);
    rest.remove_prefix(cut == std::string_view::npos ? rest.size() : cut + 1);
    LineFate one = OnLine(cleaner.Clean(piece));
    if (one == LineFate::kParsed) fate = one;
  } while (!rest.empty());
  bool all_nul = nul && without_nuls.empty();
  accounts.Add(all_nul ? LineFate::kMalformed : fate, line.length);
}

LineFate SourceScanner::Impl::OnLine(const Line& line) {
  Evidence at{0, line.physical.number, line.physical.offset,
              line.physical.length};
  if (trace_open && !line.text.empty() && line.text.front() == '\t' &&
      reader.OnLine(line.text, at, line.stream)) {
    return LineFate::kParsed;
  }
  std::optional<LogHeader> header = FindLogHeader(line.text);
  if (!header) {
    if (reader.OnLine(line.text, at, line.stream)) return LineFate::kParsed;
    text.OnPlainLine(line);
    return LineFate::kPlain;
  }
  if (header->level == 'V' && header->body.starts_with("{") &&
      reader.OnLine(line.text.substr(header->start), at, line.stream)) {
    trace_open = true;
    return LineFate::kParsed;
  }
  if (header->start > 0) {  // what another writer left on this line
    Line before = line;
    before.text = line.text.substr(0, header->start);
    if (!Trim(before.text).empty()) text.OnPlainLine(before);
  }
  AddRank(line.rank);
  assembler.OnLine(line, *header);
  return LineFate::kParsed;
}

void SourceScanner::Impl::Finish() {
  if (!begun) Begin();
  if (utf16) {
    decoded.clear();
    utf16->Finish(&decoded);
    if (!decoded.empty()) Text(decoded);
  }
  splitter.Finish([this](const PhysicalLine& line) { OnPhysicalLine(line); });
  assembler.Finish();
  text.Finish();
  reader.Finish();
  traces.Finish();
  accounts.Spoil(reader.malformed_bytes());

  SourceInfo& info = result.info;
  info.log_records = assembler.records();
  info.trace_records = reader.records();
  info.malformed = stats.places();
  info.torch_version = reader.torch_version();
  if (binary) {
    info.kind = SourceKind::kBinary;
    accounts.malformed = info.bytes;
  } else {
    info.bytes = splitter.bytes();
    info.lines = splitter.lines();
    info.kind = info.bytes == 0              ? SourceKind::kEmpty
                : info.trace_records > info.log_records
                    ? SourceKind::kTorchTrace
                : info.log_records > 0 ? SourceKind::kTorchLogs
                                       : SourceKind::kText;
  }
  info.bytes_parsed = accounts.parsed;
  info.bytes_plain = accounts.plain;
  info.bytes_malformed = accounts.malformed;
  result.diagnostics = stats.kept();
  std::stable_sort(result.events.begin(), result.events.end(),
                   [](const Event& a, const Event& b) {
                     return a.evidence.offset < b.evidence.offset;
                   });
}

SourceScanner::SourceScanner(std::string name, const ScanOptions& options)
    : impl_(std::make_unique<Impl>(std::move(name), options)) {}
SourceScanner::~SourceScanner() = default;
SourceScanner::SourceScanner(SourceScanner&&) noexcept = default;

void SourceScanner::Feed(std::string_view chunk) { impl_->Bytes(chunk); }

std::shared_ptr<SourceResult> SourceScanner::Finish() {
  impl_->Finish();
  return std::make_shared<SourceResult>(std::move(impl_->result));
}

absl::StatusOr<std::shared_ptr<SourceResult>> ScanSource(
    Source& source, const ScanOptions& options) {
  try {
    SourceScanner scanner(source.name(), options);
    std::string buffer(std::max<size_t>(options.chunk_size, 1), '\0');
    uint64_t done = 0;
    while (true) {
      absl::StatusOr<size_t> n = source.Read(buffer.data(), buffer.size());
      if (!n.ok()) return n.status();
      if (*n == 0) break;
      scanner.Feed(std::string_view(buffer.data(), *n));
      done += *n;
      if (options.progress && !options.progress(done)) {
        return absl::CancelledError(source.name() + ": the scan was stopped");
      }
    }
    return scanner.Finish();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(source.name() + ": out of memory");
  }
}

}  // namespace pt2triage
