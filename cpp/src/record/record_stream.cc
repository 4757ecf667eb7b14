#include "record/record_stream.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "record/log_header.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxRanks = 100000;
// Text is looked over in blocks of this size: small enough that a line that
// matters does not make many others be read.
constexpr size_t kBlock = 4096;

// One pass that compilers turn into vector code.
struct ByteKinds {
  bool high_bits = false;
  bool controls = false;  // below ' ', but for \n and \t
};
ByteKinds KindsOf(std::string_view text) {
  unsigned char all = 0;
  unsigned char odd = 0;
  for (char c : text) {
    unsigned char u = static_cast<unsigned char>(c);
    all |= u;
    odd |= static_cast<unsigned char>((u < ' ') & (u != '\n') & (u != '\t'));
  }
  return {(all & 0x80) != 0, odd != 0};
}

bool HasHighBit(std::string_view text) { return KindsOf(text).high_bits; }

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
      }) {}

void RecordStream::AddRank(int32_t rank) {
  if (rank < 0 || rank == last_rank_) return;
  last_rank_ = rank;
  auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if ((at == ranks_.end() || *at != rank) && ranks_.size() < kMaxRanks) {
    ranks_.insert(at, rank);
  }
}

void RecordStream::Feed(std::string_view chunk) {
  while (!chunk.empty()) {
    // The line that the last chunk left open, then whole lines, then a rest.
    size_t end = splitter_.carries() ? chunk.find('\n')
                                     : chunk.substr(0, kBlock).rfind('\n');
    if (end == std::string_view::npos) end = chunk.find('\n');
    if (end == std::string_view::npos) {
      FeedLines(chunk);
      return;
    }
    std::string_view block = chunk.substr(0, end + 1);
    if (splitter_.carries()) {
      FeedLines(block);
    } else if (size_t taken = FeedPayload(block); taken > 0) {
      block = block.substr(0, taken);
    } else if (!FeedDull(block)) {
      FeedLines(block);
    }
    chunk.remove_prefix(block.size());
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

// True if decorations or a telling word may stand at the front of `line`, so
// that it has to be read.
bool RecordStream::MayTell(std::string_view line) const {
  std::string_view text = LineCleaner::WithoutTime(line);
  if (text.empty()) return false;
  return LineCleaner::IsDecorated(text) || sinks_.telling(text);
}

// Whole lines of which almost none matters: they are only counted. False if the
// block has to be read line by line.
bool RecordStream::FeedDull(std::string_view block) {
  if (!sinks_.dull || trace_open_) return false;
  const ByteKinds kinds = KindsOf(block);
  const bool text =
      !kinds.controls &&
      (!kinds.high_bits || simdjson::validate_utf8(block.data(), block.size()));
  if (!text || MayHoldLogHeader(block) || !sinks_.dull(block)) return false;
  reader_.NotePlain();
  size_t begin = 0;  // of the lines that are not counted yet
  uint64_t lines = 0;
  for (size_t at = 0; at < block.size();) {
    const size_t end = block.find('\n', at) + 1;
    if (MayTell(block.substr(at, end - 1 - at))) {
      splitter_.Skip(at - begin, lines);
      accounts_.Add(LineFate::kPlain, at - begin);
      FeedLines(block.substr(at, end - at));
      begin = end;
      lines = 0;
      if (trace_open_ ||
          !sinks_.dull(block.substr(end))) {  // it opened something
        FeedLines(block.substr(end));
        return true;
      }
    } else {
      ++lines;
    }
    at = end;
  }
  splitter_.Skip(block.size() - begin, lines);
  accounts_.Add(LineFate::kPlain, block.size() - begin);
  return true;
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
  if (!dull_prefix_.empty() && !controls_ && !high_bits_ &&
      line.text.starts_with(dull_prefix_)) {
    accounts_.Add(LineFate::kParsed, line.length);
    return;
  }
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
  dull_prefix_.clear();
  // Without an artifact a first line may look like any other.
  const bool same = !header->artifact.empty() && header->start == 0 &&
                    line.text.data() == line.physical.text.data();
  if (same && !assembler_.wants_more()) dull_prefix_.assign(header->identity);
  return LineFate::kParsed;
}

void RecordStream::Finish() {
  splitter_.Finish([this](const PhysicalLine& line) { OnPhysicalLine(line); });
  assembler_.Finish();
  reader_.Finish();
  accounts_.Spoil(reader_.malformed_bytes());
}

}  // namespace pt2triage
