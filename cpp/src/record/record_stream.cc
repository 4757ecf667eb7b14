#include "record/record_stream.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "line/byte_kinds.h"
#include "line/line_cursor.h"
#include "record/log_header.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxRanks = 100000;
constexpr size_t kMaxStamp = 48;
bool HasHighBit(std::string_view text) { return KindsOf(text).high_bits; }

Evidence At(const PhysicalLine& line) {
  return {0, line.number, line.offset, line.length};
}

}  // namespace

RecordStream::RecordStream(RecordAssembler::Wanted wanted, bool verify,
                           ParseStats* stats, RecordSinks sinks)
    : stats_(stats),
      sinks_(std::move(sinks)),
      wrapped_([this](const WrappedLine& line) { OnWrapped(line); }),
      assembler_(0, wanted, [this](LogRecord& r) { sinks_.log(r); }),
      reader_(0, verify, stats, [this](TraceRecord& record) {
        AddRank(record.rank);
        sinks_.trace(record);
      }) {
  if (sinks_.rules != nullptr) dull_.emplace(*sinks_.rules);
  if (sinks_.tables) reader_.ReadForTables();
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
    if (taken == 0) taken = FeedDull(text);
    if (taken == 0) {
      taken = text.find('\n') + 1;
      FeedLines(text.substr(0, taken));
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
  tabs_ = kinds.tabs || (carried && last_tabs_);
  last_high_bits_ = high_bits_;
  last_controls_ = controls_;
  last_tabs_ = tabs_;
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

// Lines that cannot matter are only counted.
size_t RecordStream::FeedDull(std::string_view text) {
  if (!dull_ || wrapped_.holds() || cleaner_.learned()) return 0;
  const Attention attention = sinks_.attention();
  if (attention.all) return 0;
  if (assembler_.HasWanted()) {  // the run may be of no use
    text = text.substr(0, WholeLines(text.substr(0, DullLines::kBlock)));
  }
  run_.Clear();
  DullLines::Verdicts verdicts;
  if (attention.verdicts) verdicts.watched = &sinks_.watched;
  verdicts.blanks = attention.blanks;
  dull_->Take(text, trace_open_, verdicts, &run_);
  if (run_.bytes == 0 || !assembler_.OnDullRun(run_)) return 0;
  Count(run_);
  return run_.bytes;
}

bool RecordStream::TakeRun(const DullRun& run) {
  if (!dull_ || splitter_.carries() || trace_open_) return false;
  if (wrapped_.holds() || cleaner_.learned()) return false;
  const Attention attention = sinks_.attention();
  const bool matters = attention.all || (attention.verdicts && run.verdicts) ||
                       (attention.blanks && run.blank_first);
  if (matters || !assembler_.OnDullRun(run)) return false;
  Count(run);
  return true;
}

void RecordStream::Count(const DullRun& run) {
  splitter_.Skip(run.bytes, run.lines);
  accounts_.Add(LineFate::kPlain, run.plain);
  accounts_.Add(LineFate::kParsed, run.bytes - run.plain);
  if (run.plain != 0) reader_.NotePlain();
  if (run.text) sinks_.passed();
  NoteStamp(run.first_stamp);
  NoteStamp(run.last_stamp);
}

void RecordStream::NoteStamp(std::string_view stamp) {
  if (stamp.empty()) return;
  stamp = stamp.substr(0, kMaxStamp);
  if (first_stamp_.empty()) first_stamp_.assign(stamp);
  last_stamp_.assign(stamp);
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
  const bool ends = line.length > line.text.size();
  const bool piece =
      !before_cut_.empty() || line.text.size() >= LineSplitter::kMaxLine;
  if (!piece && wrapped_.OnLine(line)) return;
  if (!ends || piece) return OnPiece(line);
  accounts_.Add(ReadLine(line), line.length);
}

void RecordStream::OnWrapped(const WrappedLine& wrapped) {
  const ByteKinds kinds = KindsOf(wrapped.line.text);
  const bool high_bits = std::exchange(high_bits_, kinds.high_bits);
  const bool controls = std::exchange(controls_, kinds.controls);
  const bool tabs = std::exchange(tabs_, kinds.tabs);
  const LineFate fate =
      ReadText(wrapped.line, {wrapped.time, wrapped.stream, wrapped.channel});
  if (fate != LineFate::kPlain) wrapped_fate_ = fate;
  high_bits_ = high_bits;
  controls_ = controls;
  tabs_ = tabs;
  if (wrapped.bytes == 0) return;
  accounts_.Add(std::exchange(wrapped_fate_, LineFate::kPlain), wrapped.bytes);
}

// A line without its end: the last one, or a piece of one that is too long.
void RecordStream::OnPiece(const PhysicalLine& line) {
  if (!before_cut_.empty() && sinks_.cut) {
    const Evidence at{0, line.number, line.offset - before_cut_.size(),
                      before_cut_.size() + line.length};
    sinks_.cut(before_cut_, line.text.substr(0, kAfterCut), at);
  }
  const LineFate fate = ReadLine(line);
  accounts_.Add(fate, line.length);
  before_cut_.clear();
  if (fate == LineFate::kPlain && line.length == line.text.size()) {
    const size_t size = std::min(kBeforeCut, line.text.size());
    before_cut_.assign(line.text.substr(line.text.size() - size));
  }
}

LineFate RecordStream::ReadLine(const PhysicalLine& line) {
  if (trace_open_ && !line.text.empty() && line.text.front() == '\t' &&
      reader_.OnLine(line.text, At(line))) {
    if ((controls_ || high_bits_) && reader_.ReadsPayload()) {
      PhysicalLine cleaned;
      OnUncleanLine(line, &cleaned);
    }
    return LineFate::kParsed;
  }
  return ReadText(line, {});
}

// A line, or what a wrapped one says.
LineFate RecordStream::ReadText(const PhysicalLine& line,
                                const Outside& outside) {
  if (!controls_ && !high_bits_) {
    return OnLine(cleaner_.Clean(line, {false, tabs_}, outside));
  }
  PhysicalLine whole = line;
  if (OnUncleanLine(line, &whole)) return LineFate::kMalformed;
  // A progress bar rewrites its line: the pieces are lines of their own.
  LineFate fate = LineFate::kPlain;
  std::string_view rest = whole.text;
  while (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  do {
    size_t cut = rest.find('\r');
    PhysicalLine piece = whole;
    piece.text = rest.substr(0, cut);
    rest.remove_prefix(cut == std::string_view::npos ? rest.size() : cut + 1);
    if (OnLine(cleaner_.Clean(piece, {true, tabs_}, outside)) ==
        LineFate::kParsed) {
      fate = LineFate::kParsed;
    }
  } while (!rest.empty());
  return fate;
}

LineFate RecordStream::OnLine(Line line) {
  Evidence at = At(line.physical);
  NoteStamp(line.time);
  line.time = last_stamp_;
  places_.OnLine(line);
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
  if (envelope) {
    const size_t start = std::exchange(header->start, 0);
    if (reader_.OnLine(line.text.substr(start), at, line.stream, &*header)) {
      trace_open_ = true;
      return LineFate::kParsed;
    }
    header->start = start;
  }
  if (header->start > 0) {  // what another writer left on this line
    Line before = line;
    before.text = line.text.substr(0, header->start);
    if (!Trim(before.text).empty()) sinks_.plain(before);
  }
  AddRank(line.rank);
  assembler_.OnLine(line, *header);
  return LineFate::kParsed;
}

void RecordStream::Finish() {
  splitter_.Finish([this](const PhysicalLine& line) { OnPhysicalLine(line); });
  wrapped_.Finish();
  assembler_.Finish();
  reader_.Finish();
  accounts_.Spoil(reader_.malformed_bytes());
}

}  // namespace pt2triage
