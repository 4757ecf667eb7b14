// From bytes to records: the line and record layers put together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "line/decorations.h"
#include "line/line_splitter.h"
#include "line/places.h"
#include "line/wrapped_lines.h"
#include "pt2triage/parse_stats.h"
#include "record/dull_lines.h"
#include "record/line_accounts.h"
#include "record/log_record.h"
#include "record/trace_reader.h"

namespace pt2triage {

// Which plain lines without decorations a reader waits for, besides those that
// matter by themselves.
struct Attention {
  bool all = false;       // something of theirs is open
  bool verdicts = false;  // verdicts of tests
  bool blanks = false;    // empty lines, up to one that is not
};

// Where records go. Objects are good during the call only.
struct RecordSinks {
  std::function<void(LogRecord&)> log;
  std::function<void(TraceRecord&)> trace;
  std::function<void(const Line&)> plain;
  // Where a plain line that is too long to come whole is cut: its end before
  // the cut, and its beginning after it. Before the line that begins there.
  // Null: nobody looks across.
  std::function<void(std::string_view before, std::string_view after,
                     const Evidence& at)>
      cut = nullptr;
  // Which lines matter by themselves. Null: all do, and the rest is not asked.
  const DullRules* rules = nullptr;
  std::function<Attention()> attention = nullptr;
  // True if a plain line that looks like a verdict is one to read.
  std::function<bool(std::string_view)> watched = nullptr;
  // Plain lines, not all empty, were passed over.
  std::function<void()> passed = nullptr;
  // Whether `trace` makes tables, which read more of a record.
  bool tables = false;
};

// Splits UTF-8 text into lines, rebuilds those that are wrapped, peels their
// decorations, and sends each line
// to the log records, to the trace, or on as plain text. Accounts for every
// byte. Chunks may be cut anywhere. Owns its buffers; borrows `stats`. Not
// thread-safe. Cost: lines that cannot matter (payload that nobody keeps,
// records that nobody wants, text without a telling word) are recognised from
// the chunk itself and only counted; the others are read one by one.
class RecordStream {
 public:
  // `wanted` filters log records (nullptr: all); `verify` checks payloads.
  RecordStream(RecordAssembler::Wanted wanted, bool verify, ParseStats* stats,
               RecordSinks sinks);

  void Feed(std::string_view chunk);
  // Takes lines that are dull by the same rules, found elsewhere. False, and
  // nothing is done, if they matter now.
  bool TakeRun(const DullRun& run);
  void Finish();

  // True once a record of a trace was seen.
  bool in_trace() const { return trace_open_; }
  // To be set up before the first bytes.
  TraceReader& trace() { return reader_; }
  uint64_t bytes() const { return splitter_.bytes(); }
  uint64_t lines() const { return splitter_.lines(); }
  uint64_t log_records() const { return assembler_.records(); }
  const TraceReader& trace() const { return reader_; }
  const LineAccounts& accounts() const { return accounts_; }
  const std::vector<int32_t>& ranks() const { return ranks_; }
  // Jobs and steps, by the place of a line.
  const Places& places() const { return places_; }
  // The first time that a CI printed, an IsoTime; empty if there is none.
  const std::string& first_stamp() const { return first_stamp_; }

 private:
  // How much of a line is shown of each side of a cut.
  static constexpr size_t kBeforeCut = 256;
  static constexpr size_t kAfterCut = 1024;

  void FeedLines(std::string_view text);
  void FeedWholeLines(std::string_view text);
  size_t FeedPayload(std::string_view text);
  size_t FeedDull(std::string_view text);
  void Count(const DullRun& run);
  void OnPhysicalLine(const PhysicalLine& line);
  void OnPiece(const PhysicalLine& line);
  LineFate ReadLine(const PhysicalLine& line);
  LineFate ReadText(const PhysicalLine& line, const Outside& outside);
  void OnWrapped(const WrappedLine& wrapped);
  void NoteStamp(std::string_view stamp);
  bool OnUncleanLine(const PhysicalLine& line, PhysicalLine* cleaned);
  LineFate OnLine(Line line);
  void AddRank(int32_t rank);

  ParseStats* stats_;
  RecordSinks sinks_;
  LineSplitter splitter_;
  LineCleaner cleaner_;
  WrappedLines wrapped_;
  LineFate wrapped_fate_ = LineFate::kPlain;  // of the one that is read
  Places places_;
  std::string first_stamp_;
  std::string last_stamp_;  // lines without one have that of the line before
  RecordAssembler assembler_;
  TraceReader reader_;
  LineAccounts accounts_;
  std::vector<int32_t> ranks_;  // sorted
  int32_t last_rank_ = -1;
  std::string without_nuls_;
  std::string before_cut_;  // the end of the last piece of a plain line
  bool high_bits_ = false;  // this chunk or the one before has bytes > 127
  bool controls_ = false;   // ... or control characters but \n and \t
  bool tabs_ = false;
  bool last_high_bits_ = false;
  bool last_controls_ = false;
  bool last_tabs_ = false;
  std::optional<DullLines> dull_;
  DullRun run_;
  bool trace_open_ = false;  // an envelope was seen, so tabs may be payload
};

}  // namespace pt2triage
