#include "event/text_events.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/rule_watch.h"
#include "base/simd.h"
#include "base/strings.h"
#include "event/entities.h"
#include "event/escaped.h"
#include "event/frames.h"
#include "event/graph_break.h"
#include "event/job_lines.h"
#include "event/messages/tails.h"
#include "event/plain_lines.h"
#include "event/recompile.h"
#include "line/literal_filter.h"
#include "line/stamps.h"

namespace pt2triage {
namespace {

// What a line must hold to begin a crash report: a literal of each text in
// fault_handler.cc.
constexpr std::string_view kCrashLiterals[] = {
    "Fatal Python",
    "Segmentation fault",
    "segmentation fault",
    "(core dumped)",
    "Bus error",
    "bus error",
    "SIGSEGV",
    "SIGABRT",
    "(SIGBUS) received",
    "(0xC0000005)",
    "(0xC0000409)",
    " -1073741819",
    " -1073740791",
    "'-1073741819'",
    "Windows fatal",
    "Memory access fault",
    "terminate called",
    "Aborted",
    " abort ",
    "IOT instruction",
    "Floating point exception",
    "Floating-point exception",
    "floating point exception",
    "Illegal instruction",
    "illegal hardware instruction",
    "trace trap",
};

// What a line of plain text must hold to matter where nothing is open, crash
// reports apart.
constexpr std::string_view kPlainLiterals[] = {
    "Traceback (most",
    "CUDA error: ",
    "HIP error: ",
    "Triton Error [",
    "AssertionError: expected size",
    "Assertion `",
    "RMSE (res",
    "Accuracy failed",
    "accuracy failed",
    "fail_accuracy",
    "torch._",
    "torch.fx.",
    "<class 'torch",
    "CompilerFailed:",
    "InductorError:",
    "LoweringException:",
    "Unsupported:",
    "UserError:",
    "RuntimeError:",
    "RecompileError:",
    "LimitHit:",
    "LimitExceeded:",
    "DynamoError:",
    "AccuracyError:",
    "Exception Type",
    "ViolationError:",
    "SymNode:",
    "OpError:",
    "Exception:",
    "CompileError:",
    "ERROR:common",
    "FAILED ",
    "triton.",
    "function: '",
    "Writing minified",
    "Writing checkpoint",
    "Writing m",
    "Errors from strategy",
    kLimitHead,
    "issue(s) found during export",
    " (local_rank: ",
    " raised:",
    "Root Cause",
    "ExportError: ",
    "\", line ",
    "out of memory",
    "Running only ",
    "PyTorch version: ",
    "To execute this test",
    " RERUN ",
    " Killed ",
    "OOMKilled",
    "##[error]",
    "Job failed",
    "job failed",
    "exit status ",
    "exited with status ",
    "returned exit code ",
    "Finished: FAILURE",
    "Exited with code ",
    "Too long with no output",
    "Detected 1 oom",
};

const LiteralFilter& CrashFilter() {
  static const LiteralFilter& filter = *new LiteralFilter({kCrashLiterals});
  return filter;
}

const LiteralFilter& PlainFilter() {
  static const LiteralFilter& filter =
      *new LiteralFilter({kCrashLiterals, kPlainLiterals});
  return filter;
}

// A frame as pytest prints it: `path.py:12:`.
PT2TRIAGE_VECTORISED
bool MayHoldPytestFrame(const char* text, size_t size) {
  unsigned char frame = 0;
  for (size_t i = 2; i < size; ++i) {
    frame |= static_cast<unsigned char>(
        (text[i - 2] == 'y') & (text[i - 1] == ':') &
        (static_cast<unsigned char>(text[i] - '0') < 10));
  }
  return frame != 0;
}

// A test runner's rule, a verdict, a shell's word.
constexpr std::string_view kTellingHeads[] = {
    "====", "____", "ERROR ", "ERROR: ", "RERUN ", "FAIL: ", "Killed"};
constexpr std::array<bool, 256> kTellingFirst = [] {
  std::array<bool, 256> first{};
  for (std::string_view head : kTellingHeads) {
    first[static_cast<unsigned char>(head[0])] = true;
  }
  return first;
}();

bool HasTellingHead(std::string_view text) {
  if (text.empty() || !kTellingFirst[static_cast<unsigned char>(text[0])]) {
    return false;
  }
  for (std::string_view head : kTellingHeads) {
    if (text.starts_with(head)) return true;
  }
  return false;
}

// True if a literal begins in `before` and ends in `after`.
bool IsCutThrough(std::string_view before, std::string_view after) {
  auto is_cut = [&](std::string_view literal) {
    for (size_t i = 1; i < literal.size(); ++i) {
      if (before.ends_with(literal.substr(0, i)) &&
          after.starts_with(literal.substr(i))) {
        return true;
      }
    }
    return false;
  };
  return std::any_of(std::begin(kCrashLiterals), std::end(kCrashLiterals),
                     is_cut) ||
         std::any_of(std::begin(kPlainLiterals), std::end(kPlainLiterals),
                     is_cut);
}

// A telling head, a frame as pytest prints it, or one of the literals.
bool MayMatter(std::string_view text) {
  if (text.empty()) return false;
  if (HasTellingHead(text) || PlainFilter().MayContain(text)) return true;
  if (text[0] == ' ') return false;
  size_t py = text.substr(0, 300).find(".py:");
  return py != std::string_view::npos && py + 4 < text.size() &&
         IsDigit(text[py + 4]);
}

StackFrame ReadWontConvert(std::string_view first) {
  StackFrame frame;
  Consume(&first, kWontConvert);
  first = Trim(first);
  size_t blank = first.find(' ');
  size_t line = first.rfind(" line ");
  if (blank == std::string_view::npos || line == std::string_view::npos ||
      line < blank) {
    return frame;
  }
  frame.function.assign(PlainFunctionName(first.substr(0, blank)));
  frame.file.assign(first.substr(blank + 1, line - blank - 1));
  frame.line = ToInt(first.substr(line + 6)).value_or(0);
  return frame;
}

// What a row of torchrun's table begins with that says how a rank died.
constexpr std::string_view kTableRow = "traceback :";

//   rank      : 1 (local_rank: 1)
int32_t TableRank(std::string_view text) {
  std::string_view s = Trim(text);
  if (!Consume(&s, "rank ") || !Contains(s, " (local_rank: ")) return -1;
  s = TrimLeft(s);
  if (!Consume(&s, ": ")) return -1;
  return ToInt<int32_t>(ConsumeDigits(&s)).value_or(-1);
}

// Records of those artifacts that tell of nothing: 2.2 restored a saved config.
constexpr std::string_view kNoEvents[] = {
    "Current config does not match config saved when compiling"};
PT2TRIAGE_WATCH_TABLE(kNoEvents, row);

bool TellsOfNothing(std::string_view text) {
  for (const std::string_view& head : kNoEvents) {
    if (!text.starts_with(head)) continue;
    NoteRule(&head);
    return true;
  }
  return false;
}

// Of these artifacts every record is read.
bool IsReadArtifact(std::string_view artifact) {
  return artifact == "graph_breaks" || artifact == "recompiles" ||
         artifact == "recompiles_verbose";
}

Event FromRecord(const LogRecord& record) {
  Event event;
  event.evidence = record.evidence;
  event.compile_id = record.compile_id;
  event.rank = record.rank;
  event.process = record.process;
  event.stream = record.stream;
  if (!record.stamp.empty()) {
    event.time = DatedTorchTime(record.time, record.stamp);
  }
  if (event.time.empty()) event.time = record.time;
  event.level = record.level;
  event.logged = true;
  return event;
}

// Takes what `parsed` read, keeps where `event` came from.
void Merge(Event parsed, Event* event) {
  event->kind = parsed.kind;
  event->name = std::move(parsed.name);
  event->message = std::move(parsed.message);
  event->reason = std::move(parsed.reason);
}

}  // namespace

struct TextEventBuilder::Writer {
  std::string stream;
  std::string channel;
  int32_t rank = -1;
  int32_t table_rank = -1;  // of the row of a launcher's table
  bool root_cause = false;  // the next row is of who failed first
  std::string time;
  std::string heading;  // of a report that prints several attempts
  bool in_passes = false;
  std::string test_id;  // whose section its open traceback stands in
  std::unique_ptr<TracebackParser> traceback;
  std::unique_ptr<CrashParser> crash;
  std::unique_ptr<DraftReportParser> draft;
  std::unique_ptr<LimitLines> limit;

  // A parser waits for more lines.
  bool open() const {
    return traceback->WantsAll() || crash->active() || draft->active() ||
           limit->active();
  }
  void Finish() {
    limit->Finish();
    crash->Finish();
    traceback->Finish();
    draft->Finish();
  }
};

bool RecordMatters(const LogHeader& header) {
  if (IsReadArtifact(header.artifact)) return true;
  if (header.level != 'V' && header.level != 'I') return true;
  return header.body.starts_with(kWontConvert);  // at INFO: a soft failure
}

TextEventBuilder::TextEventBuilder(uint32_t source, Sink sink,
                                   Unrecognised unrecognised)
    : source_(source),
      sink_(std::move(sink)),
      unrecognised_(std::move(unrecognised)),
      tests_([this](Event event) { sink_(std::move(event)); }) {}

TextEventBuilder::~TextEventBuilder() = default;

TextEventBuilder::Writer& TextEventBuilder::WriterOf(const Line& line) {
  for (auto it = writers_.begin(); it != writers_.end(); ++it) {
    if (it->stream != line.stream || it->channel != line.channel) continue;
    if (it != writers_.begin()) {
      writers_.splice(writers_.begin(), writers_, it);
    }
    return writers_.front();
  }
  if (writers_.size() >= kMaxWriters) {
    writers_.back().Finish();
    writers_.pop_back();
  }
  writers_.emplace_front();
  Writer& writer = writers_.front();
  writer.stream.assign(line.stream);
  writer.channel.assign(line.channel);
  writer.rank = line.rank;
  writer.traceback = std::make_unique<TracebackParser>(
      [this, &writer](Traceback& t) { EmitTraceback(t, writer); });
  writer.crash = std::make_unique<CrashParser>(
      [this, &writer](Event event) { Emit(std::move(event), writer); });
  writer.draft = std::make_unique<DraftReportParser>(
      [this, &writer](Event event) { Emit(std::move(event), writer); });
  writer.limit = std::make_unique<LimitLines>(
      [this, &writer](Event event) { Emit(std::move(event), writer); });
  return writer;
}

void TextEventBuilder::Emit(Event event, const Writer& writer) {
  // torchrun's table names the rank above the signal.
  const bool row =
      event.kind == EventKind::kCrash && event.message.starts_with(kTableRow);
  if (row) event.rank = writer.table_rank;
  if (event.rank < 0) event.rank = writer.rank;
  event.stream = writer.stream;
  event.time = writer.time;
  if (writer.in_passes) return;  // captured output of tests that passed
  if (event.test_id.empty()) event.test_id = writer.test_id;
  sink_(std::move(event));
}

void TextEventBuilder::EmitTraceback(Traceback& traceback,
                                     const Writer& writer) {
  Event event;
  event.kind = EventKind::kException;
  event.evidence = traceback.evidence;
  event.blocks = std::move(traceback.blocks);
  event.message = event.blocks.back().message;
  const bool table = traceback.intro == kTableRow;
  event.context = traceback.intro.empty() ? writer.heading : traceback.intro;
  event.name = traceback.bare ? "bare" : "";
  if (table) event.rank = writer.table_rank;
  Emit(std::move(event), writer);
}

const DullRules& TextEventBuilder::Rules() {
  static constexpr DullRules kRules = {
      .wanted = RecordMatters,
      .quiet =
          [](std::string_view lines) {
            return !PlainFilter().MayContain(lines) &&
                   !MayHoldEntities(lines) &&
                   !MayHoldPytestFrame(lines.data(), lines.size());
          },
      .quiet_line =
          [](std::string_view text) {
            return !MayHoldEntities(text) && !MayMatter(text);
          },
      .telling = HasTellingHead,
      .telling_first = &kTellingFirst,
      .verdicts = TestTracker::MayHoldVerdict,
  };
  return kRules;
}

Attention TextEventBuilder::attention() const {
  Attention attention;
  attention.all =
      tests_.WantsAll() || IsOpen({}) || IsOpen("stdout") || IsOpen("stderr");
  attention.verdicts = tests_.WantsVerdicts();
  attention.blanks = !idle_last_ && writers_.front().open();
  return attention;
}

const TextEventBuilder::Writer* TextEventBuilder::FindWriter(
    std::string_view stream, std::string_view channel) const {
  for (const Writer& writer : writers_) {
    if (writer.stream == stream && writer.channel == channel) return &writer;
  }
  return nullptr;
}

// Of lines that a run of dull ones may hold: those of CRI, which tells the
// channel, and of nobody in particular.
bool TextEventBuilder::IsOpen(std::string_view channel) const {
  const Writer* writer = FindWriter({}, channel);
  return writer != nullptr && writer->open();
}

void TextEventBuilder::OnCut(std::string_view before, std::string_view after,
                             const Evidence& at) {
  if (!IsCutThrough(before, after)) return;
  before.remove_prefix(before.rfind('\r') + 1);  // a progress bar's last text
  after = after.substr(0, after.find('\r'));
  std::string text = WithoutEscapes(std::string(before).append(after));
  std::erase(text, '\0');
  Line line;
  line.text = text;
  line.physical = {text, at.line, at.offset, at.length};
  OnPlainLine(line);
}

// A page's source: entities stand for quotes and brackets.
void TextEventBuilder::OnPlainLine(const Line& line) {
  if (!MayHoldEntities(line.text)) return OnPlainText(line);
  std::string text = WithoutEntities(line.text);
  Line unescaped = line;
  unescaped.text = text;
  OnPlainText(unescaped);
}

void TextEventBuilder::OnPlainText(const Line& line) {
  // An empty line without its rank's prefix belongs to whoever wrote last.
  const bool blank =
      line.stream.empty() && line.channel.empty() && Trim(line.text).empty();
  const Writer* known = nullptr;
  if (!blank) {
    known = FindWriter(line.stream, line.channel);
  } else if (!idle_last_) {
    known = &writers_.front();
  }
  const bool open = line.pytest_error || tests_.WantsLine(line.text) ||
                    (known != nullptr && known->open());
  const bool hit = MayMatter(line.text);
  if (!open && !hit) {
    idle_last_ = idle_last_ || !blank;
    return;
  }
  Writer& writer =
      blank && known != nullptr ? writers_.front() : WriterOf(line);
  idle_last_ = false;
  writer.time.assign(line.time);
  Evidence at{source_, line.physical.number, line.physical.offset,
              line.physical.length};
  TextLine text{line.text, at, line.pytest_error, line.quoted};
  if (writer.limit->OnLine(line.text, at)) return;
  if (hit && OnEscapedTraceback(line, at, writer)) return;
  if (hit) {
    if (std::optional<Event> event = ParsePlainLine(line.text)) {
      event->evidence = at;
      Emit(*std::move(event), writer);
      return;
    }
  }
  if (hit) OnLauncherRow(line.text, at, writer);
  writer.test_id = tests_.test_id();
  writer.in_passes = tests_.in_passes();
  if (tests_.OnLine(line.text, at)) {
    writer.traceback->Finish();
    return;
  }
  writer.test_id = tests_.test_id();
  writer.in_passes = tests_.in_passes();
  bool crash =
      writer.crash->active() || (hit && CrashFilter().MayContain(line.text));
  if (crash && writer.crash->OnLine(text)) return;
  if (writer.draft->OnLine(text)) return;
  if (writer.traceback->OnLine(text)) return;
  if (hit) {
    if (std::optional<Event> event = ParseJobLine(line.text)) {
      event->evidence = at;
      Emit(*std::move(event), writer);
      return;
    }
  }
  if (Contains(line.text, "Errors from strategy '")) {
    writer.heading.assign(Trim(line.text).substr(0, 200));
    return;
  }
  Event event;
  if (ParseLimitRecord(line.text, &event) && event.user_frame.has_value()) {
    event.evidence = at;
    event.logged = true;
    headless_limit_ = std::move(event);
    if (!headless_limit_->name.empty()) {
      Emit(*std::exchange(headless_limit_, std::nullopt), writer);
    }
  }
}

// torchrun's table: the rank of a row, and the one that failed first.
void TextEventBuilder::OnLauncherRow(std::string_view text, const Evidence& at,
                                     Writer& writer) {
  if (text.starts_with("Root Cause")) writer.root_cause = true;
  const int32_t rank = TableRank(text);
  if (rank < 0) return;
  writer.table_rank = rank;
  if (!std::exchange(writer.root_cause, false)) return;
  Event event;
  event.kind = EventKind::kNotice;
  event.name = "root-cause-rank";
  event.rank = rank;
  event.evidence = at;
  Emit(std::move(event), writer);
}

// One line with a whole traceback in it, as loggers of JSON write it.
bool TextEventBuilder::OnEscapedTraceback(const Line& line, const Evidence& at,
                                          Writer& writer) {
  if (!Contains(line.text, kTracebackHead)) return false;
  std::string text = UnescapedTraceback(line.text);
  if (text.empty()) return false;
  for (Traceback& traceback : ParseTracebacks(text)) {
    traceback.evidence = at;
    EmitTraceback(traceback, writer);
  }
  return true;
}

// A limit's record; a paste may have cut it after its `function:` line, which
// then came before as plain text.
bool TextEventBuilder::OnLimit(std::string_view text, Event* event) {
  if (!ParseLimitRecord(text, event)) return false;
  bool before = headless_limit_ &&
                headless_limit_->evidence.offset < event->evidence.offset;
  if (!event->user_frame && before) {
    event->user_frame = headless_limit_->user_frame;
    event->evidence.length +=
        event->evidence.offset - headless_limit_->evidence.offset;
    event->evidence.offset = headless_limit_->evidence.offset;
    event->evidence.line = headless_limit_->evidence.line;
    event->message = headless_limit_->message;
    headless_limit_.reset();
  }
  return true;
}

void TextEventBuilder::OnRecord(LogRecord& record) {
  if (ReadRecord(record) || !unrecognised_) return;
  // What is indented goes on from lines that are lost, and so may the first
  // line of a source.
  const bool cut = record.text.empty() || record.text.front() == ' ' ||
                   record.evidence.offset == 0;
  if (!IsReadArtifact(record.artifact) || cut) return;
  if (!TellsOfNothing(record.text)) unrecognised_(record);
}

bool TextEventBuilder::ReadRecord(LogRecord& record) {
  Event event = FromRecord(record);
  event.test_id = tests_.test_id();
  std::string_view text = record.text;
  if (ParseGraphBreakRecord(text, &event) && record.artifact.empty()) {
    event.value = "advice";  // the record of the artifact says more
  }
  if (record.artifact == "graph_breaks" &&
      event.kind != EventKind::kGraphBreak &&
      ParseBreakTraceback(text, &event)) {
    sink_(std::move(event));  // its first lines were cut off
    return true;
  }
  const bool recompiles = record.artifact == "recompiles" ||
                          record.artifact == "recompiles_verbose";
  const bool first = recompiles && !std::exchange(seen_recompiles_, true);
  if (first && text.starts_with(' ') && ParseCutRecompile(text, &event)) {
    sink_(std::move(event));  // the paste begins inside the record
    return true;
  }
  if (event.kind == EventKind::kGraphBreak ||
      ParseRecompileRecord(text, &event) || OnLimit(text, &event)) {
    if (event.kind == EventKind::kGraphBreak && event.name == "skip") {
      event.value = "frame";
    }
    sink_(std::move(event));
    return true;
  }
  if (std::optional<Event> plain = ParsePlainLine(text)) {
    Merge(*std::move(plain), &event);
    if (event.kind == EventKind::kAccuracy) {
      event.blocks = ParseTracebackText(text);
    } else if (event.name == "minifier") {
      event.value.assign(Trim(text.substr(text.find('\n') + 1)));
    }
    sink_(std::move(event));
    return true;
  }
  bool wont_convert = text.starts_with(kWontConvert);
  size_t head = text.find(kTracebackHead);
  if (head == std::string_view::npos && !wont_convert) return false;
  event.message.assign(text.substr(0, text.find('\n')));
  for (Traceback& traceback : ParseTracebacks(text)) {
    event.blocks = std::move(traceback.blocks);
    break;  // logging prints the same traceback again below
  }
  event.kind = EventKind::kException;
  if (wont_convert) {
    event.kind = EventKind::kSkippedFrame;
    event.user_frame = ReadWontConvert(event.message);
  }
  if (!event.blocks.empty()) sink_(std::move(event));
  return true;
}

std::optional<Evidence> TextEventBuilder::OpenTraceback() const {
  for (const Writer& writer : writers_) {
    if (auto open = writer.traceback->open_traceback()) return open;
  }
  return std::nullopt;
}

void TextEventBuilder::Finish() {
  tests_.Finish();
  for (Writer& writer : writers_) writer.Finish();
  if (headless_limit_) sink_(*std::exchange(headless_limit_, std::nullopt));
}

}  // namespace pt2triage
