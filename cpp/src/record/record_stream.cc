#include "record/record_stream.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/simd.h"
#include "base/strings.h"
#include "line/line_cursor.h"
#include "record/log_header.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxRanks = 100000;
// Text is looked over in blocks of this size: small enough that a line that
// matters does not make many others be read.
constexpr size_t kBlock = 4096;

struct ByteKinds {
  bool high_bits = false;
  bool controls = false;  // below ' ', but for \n and \t
};
PT2TRIAGE_VECTORISED
ByteKinds KindsOf(const char* text, size_t size) {
  unsigned char all = 0;
  unsigned char odd = 0;
  for (size_t i = 0; i < size; ++i) {
    const auto u = static_cast<unsigned char>(text[i]);
    all |= u;
    odd |= static_cast<unsigned char>((u < ' ') & (u != '\n') & (u != '\t'));
  }
  return {(all & 0x80) != 0, odd != 0};
}
ByteKinds KindsOf(std::string_view text) {
  return KindsOf(text.data(), text.size());
}

size_t Byte(char c) { return static_cast<unsigned char>(c); }

bool HasHighBit(std::string_view text) { return KindsOf(text).high_bits; }

// True if nothing of `text` has to be counted or repaired.
bool IsClean(std::string_view text) {
  const ByteKinds kinds = KindsOf(text);
  return !kinds.controls && (!kinds.high_bits ||
                             simdjson::validate_utf8(text.data(), text.size()));
}

// The same for a line, whose carriage returns at the end go.
bool IsCleanLine(std::string_view* line) {
  while (line->ends_with('\r')) line->remove_suffix(1);
  return IsClean(*line);
}

// The whole lines at the front of `text` to look over next.
size_t BlockLength(std::string_view text) {
  const size_t whole = WholeLines(text.substr(0, kBlock));
  return whole > 0 ? whole : text.find('\n') + 1;
}

Evidence At(const PhysicalLine& line) {
  return {0, line.number, line.offset, line.length};
}

}  // namespace

RecordStream::RecordStream(RecordAssembler::Wanted wanted, bool verify,
                           ParseStats* stats, RecordSinks sinks)
    : stats_(stats),
      sinks_(std::move(sinks)),
      assembler_(0, wanted, [this](LogRecord& r) { sinks_.log(r); }),
      reader_(0, verify, stats, [this](TraceRecord& record) {
        AddRank(record.rank);
        sinks_.trace(record);
      }) {
  for (size_t c = 0; c < fronts_.size(); ++c) {
    if (LineCleaner::CanBeDecorated(static_cast<char>(c))) {
      fronts_[c] |= kDecorated;
    }
    if (sinks_.telling_first && (*sinks_.telling_first)[c]) {
      fronts_[c] |= kTelling;
    }
  }
  for (char c : {'V', 'I', '['}) fronts_[Byte(c)] |= kHeader;
  fronts_[Byte('\t')] |= kPayload;
}

void RecordStream::AddRank(int32_t rank) {
  if (rank < 0 || rank == last_rank_) return;
  last_rank_ = rank;
  auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if ((at == ranks_.end() || *at != rank) && ranks_.size() < kMaxRanks) {
    ranks_.insert(at, rank);
  }
}

void RecordStream::Feed(std::string_view chunk) {
  if (splitter_.carries()) {  // the line that the last chunk left open
    const size_t end = chunk.find('\n');
    FeedLines(chunk.substr(0, end == std::string_view::npos ? end : end + 1));
    if (end == std::string_view::npos) return;
    chunk.remove_prefix(end + 1);
  }
  const size_t whole = WholeLines(chunk);
  FeedWholeLines(chunk.substr(0, whole));
  if (whole < chunk.size()) FeedLines(chunk.substr(whole));
}

void RecordStream::FeedWholeLines(std::string_view text) {
  while (!text.empty()) {
    size_t taken = FeedPayload(text);
    if (taken == 0) {
      // A record of the trace is followed by payload, a block of its own.
      const bool record =
          trace_open_ && (text.front() == 'V' || text.front() == '\t');
      taken = FeedBlock(
          text.substr(0, record ? text.find('\n') + 1 : BlockLength(text)));
    }
    text.remove_prefix(taken);
  }
}

void RecordStream::FeedLines(std::string_view text) {
  // A line may have begun in the text before.
  ByteKinds kinds = KindsOf(text);
  bool carried = splitter_.carries();
  high_bits_ = kinds.high_bits || (carried && last_high_bits_);
  controls_ = kinds.controls || (carried && last_controls_);
  last_high_bits_ = high_bits_;
  last_controls_ = controls_;
  splitter_.Feed(text,
                 [this](const PhysicalLine& line) { OnPhysicalLine(line); });
}

// Payload lines that nobody keeps, many at once.
size_t RecordStream::FeedPayload(std::string_view text) {
  if (!trace_open_ || text.front() != '\t') return 0;
  Evidence at{0, splitter_.lines() + 1, splitter_.bytes(), 0};
  SkippedLines skipped = reader_.SkipPayload(text, at);
  splitter_.Skip(skipped.bytes, skipped.lines);
  accounts_.Add(LineFate::kParsed, skipped.bytes);
  return skipped.bytes;
}

// Whole lines, of which those that cannot matter are only counted. Returns how
// much was taken: up to a record of the trace, whose payload may follow.
size_t RecordStream::FeedBlock(std::string_view block) {
  const bool clean = IsClean(block);
  Quiet quiet = Quiet::kUnknown;
  LineCursor cursor(block);
  size_t begin = 0;  // of the lines that are not counted yet
  uint64_t lines = 0;
  uint64_t plain = 0;  // bytes of them
  size_t at = 0;
  auto count = [&] {
    splitter_.Skip(at - begin, lines);
    accounts_.Add(LineFate::kPlain, plain);
    accounts_.Add(LineFate::kParsed, at - begin - plain);
    if (plain != 0) reader_.NotePlain();
    lines = plain = 0;
  };
  while (at < block.size()) {
    const size_t end = cursor.NextEnd();
    std::string_view line = block.substr(at, end - 1 - at);
    std::optional<LineFate> fate;
    if (clean || IsCleanLine(&line)) {
      const size_t time = LineCleaner::TimeLength(line);
      line.remove_prefix(time);
      const uint8_t front = line.empty() ? 0 : fronts_[Byte(line[0])];
      fate = front == 0 && quiet == Quiet::kYes
                 ? LineFate::kPlain
                 : FateOfDull(line, block.substr(at), &quiet);
    }
    if (fate) {
      ++lines;
      if (*fate == LineFate::kPlain) plain += end - at;
      at = end;
      continue;
    }
    count();
    FeedLines(block.substr(at, end - at));
    begin = at = end;
    quiet = Quiet::kUnknown;  // it may have opened something
    if (trace_open_) return end;
  }
  count();
  return at;
}

// What becomes of a line, its time taken off, that cannot matter; nullopt if it
// has to be read. `rest` are the lines of the block from this one on.
std::optional<LineFate> RecordStream::FateOfDull(std::string_view text,
                                                 std::string_view rest,
                                                 Quiet* quiet) {
  if (!sinks_.dull) return std::nullopt;
  const uint8_t front = text.empty() ? 0 : fronts_[Byte(text[0])];
  if ((front & kHeader) != 0 && DullTimeLength(text) > 0) {
    const DullHeaders::Known known = dull_headers_.Find(text);
    if (known.identity.empty() ||
        !assembler_.OnDullLine(known.identity, known.process)) {
      return std::nullopt;
    }
    return LineFate::kParsed;
  }
  if ((front & kPayload) != 0 && trace_open_) return std::nullopt;
  if ((front & kDecorated) != 0 && LineCleaner::IsDecorated(text)) {
    return std::nullopt;
  }
  if (!IsDullPlain(text, rest, quiet)) return std::nullopt;
  return LineFate::kPlain;
}

bool RecordStream::IsDullPlain(std::string_view text, std::string_view rest,
                               Quiet* quiet) const {
  if (*quiet == Quiet::kUnknown) {
    const bool yes = !MayHoldLogHeader(rest) && sinks_.dull(rest);
    *quiet = yes ? Quiet::kYes : Quiet::kNo;
  }
  if (*quiet == Quiet::kNo) {
    return !MayHoldLogHeader(text) && sinks_.dull_line(text);
  }
  const uint8_t front = text.empty() ? 0 : fronts_[Byte(text[0])];
  return (front & kTelling) == 0 || !sinks_.telling(text);
}

// Counts NULs and broken UTF-8; true if the line is nothing but NULs. NULs are
// left out of what is read.
bool RecordStream::OnUncleanLine(const PhysicalLine& line,
                                 PhysicalLine* cleaned) {
  bool nul = !line.text.empty() &&
             std::memchr(line.text.data(), 0, line.text.size()) != nullptr;
  bool broken = high_bits_ && HasHighBit(line.text) &&
                !simdjson::validate_utf8(line.text.data(), line.text.size());
  if (broken) stats_->Add(ParseIssue::kInvalidUtf8, At(line));
  if (!nul) return false;
  stats_->Add(ParseIssue::kNulBytes, At(line));
  without_nuls_.assign(line.text);
  std::erase(without_nuls_, '\0');
  cleaned->text = without_nuls_;
  return without_nuls_.empty();
}

void RecordStream::OnPhysicalLine(const PhysicalLine& line) {
  if (trace_open_ && !line.text.empty() && line.text.front() == '\t' &&
      reader_.OnLine(line.text, At(line))) {
    accounts_.Add(LineFate::kParsed, line.length);
    return;
  }
  if (!controls_ && !high_bits_) {
    accounts_.Add(OnLine(cleaner_.Clean(line, false)), line.length);
    return;
  }
  PhysicalLine whole = line;
  if (OnUncleanLine(line, &whole)) {
    accounts_.Add(LineFate::kMalformed, line.length);
    return;
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
    if (OnLine(cleaner_.Clean(piece)) == LineFate::kParsed) {
      fate = LineFate::kParsed;
    }
  } while (!rest.empty());
  accounts_.Add(fate, line.length);
}

LineFate RecordStream::OnLine(const Line& line) {
  Evidence at = At(line.physical);
  bool tab = !line.text.empty() && line.text.front() == '\t';
  if (trace_open_ && tab && reader_.OnLine(line.text, at, line.stream)) {
    return LineFate::kParsed;
  }
  std::optional<LogHeader> header = FindLogHeader(line.text);
  if (!header) {
    if (reader_.OnLine(line.text, at, line.stream)) return LineFate::kParsed;
    sinks_.plain(line);
    return LineFate::kPlain;
  }
  bool envelope = header->level == 'V' && header->body.starts_with('{');
  if (envelope &&
      reader_.OnLine(line.text.substr(header->start), at, line.stream)) {
    trace_open_ = true;
    return LineFate::kParsed;
  }
  if (header->start > 0) {  // what another writer left on this line
    Line before = line;
    before.text = line.text.substr(0, header->start);
    if (!Trim(before.text).empty()) sinks_.plain(before);
  }
  AddRank(line.rank);
  assembler_.OnLine(line, *header);
  if (header->start == 0 && !assembler_.wants_more()) {
    dull_headers_.Add(line.text, *header);
  }
  return LineFate::kParsed;
}

void RecordStream::Finish() {
  splitter_.Finish([this](const PhysicalLine& line) { OnPhysicalLine(line); });
  assembler_.Finish();
  reader_.Finish();
  accounts_.Spoil(reader_.malformed_bytes());
}

}  // namespace pt2triage
