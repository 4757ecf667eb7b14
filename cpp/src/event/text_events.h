// Turns records and plain text into events.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "event/draft_report.h"
#include "event/fault_handler.h"
#include "event/limit_lines.h"
#include "event/test_runner.h"
#include "event/traceback.h"
#include "line/decorations.h"
#include "pt2triage/event.h"
#include "record/log_record.h"
#include "record/record_stream.h"

namespace pt2triage {

// True if a record with this header can say something that we report; the
// filter of RecordAssembler.
bool RecordMatters(const LogHeader& header);

// The text side's event builder. Each writer (rank, worker, logger prefix) has
// parsers of its own, so interleaved tracebacks do not mix; the kMaxWriters
// used last are kept. Not thread-safe. A plain line in which no literal of the
// table occurs costs one pass of LiteralFilter.
class TextEventBuilder {
 public:
  static constexpr size_t kMaxWriters = 64;
  using Sink = std::function<void(Event)>;
  // Gets records of artifacts that are read here, in words that are not known.
  using Unrecognised = std::function<void(const LogRecord&)>;

  TextEventBuilder(uint32_t source, Sink sink,
                   Unrecognised unrecognised = nullptr);
  ~TextEventBuilder();

  void OnRecord(LogRecord& record);
  void OnPlainLine(const Line& line);
  // A plain line that comes in pieces is cut between `before` and `after`:
  // reads what a literal says that neither side holds.
  void OnCut(std::string_view before, std::string_view after,
             const Evidence& at);
  // Which plain lines matter while nothing is open. One pass.
  static const DullRules& Rules();
  // Which plain lines OnPlainLine() needs now.
  Attention attention() const;
  // Lines that it does not need were passed over; not all are empty.
  void PassedText() { idle_last_ = true; }
  // True if it needs this one, which may be a test's verdict.
  bool IsWatched(std::string_view text) const { return tests_.IsWatched(text); }
  void Finish();
  // Where a traceback begins that the text so far does not end.
  std::optional<Evidence> OpenTraceback() const;

 private:
  struct Writer;
  bool ReadRecord(LogRecord& record);
  void OnPlainText(const Line& line);
  const Writer* FindWriter(std::string_view stream,
                           std::string_view channel) const;
  bool IsOpen(std::string_view channel) const;
  Writer& WriterOf(const Line& line);
  void EmitTraceback(Traceback& traceback, const Writer& writer);
  void Emit(Event event, const Writer& writer);
  bool OnLimit(std::string_view text, Event* event);
  void OnLauncherRow(std::string_view text, const Evidence& at, Writer& writer);
  bool OnEscapedTraceback(const Line& line, const Evidence& at, Writer& writer);

  uint32_t source_;
  Sink sink_;
  Unrecognised unrecognised_;
  TestTracker tests_;
  std::list<Writer> writers_;  // most recently used first
  bool idle_last_ = true;  // whoever wrote last, if anything, has nothing open
  bool seen_recompiles_ = false;         // a record of that artifact
  std::optional<Event> headless_limit_;  // `function: ...` without its record
};

}  // namespace pt2triage
