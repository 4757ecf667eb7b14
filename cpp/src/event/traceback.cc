#include "event/traceback.h"

#include <algorithm>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/messages/exception_table.h"
#include "event/messages/tails.h"
#include "event/traceback_text.h"

namespace pt2triage {
namespace {

PT2TRIAGE_WATCH_TABLE(kEmbeddingEnds, row);
PT2TRIAGE_WATCH_TABLE(kMessageTails, row.head);
PT2TRIAGE_WATCH_TABLE(kMessageContinues, row);

constexpr int kMaxForeignLines = 60;  // of a message that is not torch's

std::string_view WithoutBox(std::string_view text) {
  std::string_view s = TrimRight(text);
  constexpr std::string_view kSide = "│";
  Consume(&s, kSide);
  if (s.ends_with(kSide)) s.remove_suffix(kSide.size());
  return TrimRight(s);
}

// Lines that a logger, a progress bar or a shell wrote, not the exception.
bool IsOthersLine(std::string_view s) {
  for (std::string_view head : {"INFO", "WARNING", "WARN ", "DEBUG", "[INFO]",
                                "[WARN", "[DEBUG]", "ERROR:torch", "wandb: ",
                                "srun: ", "make: ", "Exception ignored in: "}) {
    if (s.starts_with(head)) return true;
  }
  bool date = s.size() > 10 && IsDigit(s[0]) && IsDigit(s[3]) && s[4] == '-' &&
              IsDigit(s[5]) && s[7] == '-';
  return date || Contains(s, "it/s]") || Contains(s, "%|");
}

// `(venv) me@host:~/model$ ls`: a shell that waits for the next command.
bool IsPrompt(std::string_view text) {
  if (text.starts_with('(')) {
    const size_t close = text.find(") ");
    if (close == std::string_view::npos) return false;
    text.remove_prefix(close + 2);
  }
  const size_t end = text.find_first_of("$#");
  if (end == std::string_view::npos) return false;
  const std::string_view place = text.substr(0, end);
  const size_t host = place.find('@');
  return host != 0 && host != std::string_view::npos &&
         Contains(place.substr(host), ":") && !Contains(place, " ") &&
         (end + 1 == text.size() || text[end + 1] == ' ');
}

// What ends a paste: the fence of Markdown that was opened before the log, or a
// runner's section. A fence of the message itself follows a head.
bool EndsPaste(std::string_view text, std::string_view message) {
  text = Trim(text);
  if (text == "```" || text == "~~~") {
    return !Contains(message, text) && !message.ends_with(':') &&
           !message.ends_with("dynamic.");
  }
  return text == "</details>" || text.starts_with("</code>") ||
         text.starts_with("</pre>") || text.starts_with("section_end:") ||
         text.starts_with("travis_time:end:") || IsPrompt(text);
}

bool EmbedsTraceback(const ExceptionBlock& block) {
  const ExceptionClass* known = FindExceptionClass(block.type);
  if (known != nullptr && (known->flags & ExceptionClass::kEmbeds)) {
    NoteRule(known);
    return true;
  }
  for (const std::string_view& end : kEmbeddingEnds) {
    if (!Contains(block.message, end)) continue;
    NoteRule(&end);
    return true;
  }
  return false;
}

}  // namespace

std::string_view TracebackParser::Undecorated(std::string_view text) const {
  if (style_ == Style::kRich) return WithoutBox(text);
  if (!prefix_.empty()) {
    text = WithoutPrefix(TrimRight(text), prefix_).value_or(text);
  }
  size_t n = std::min(Indent(text), base_indent_);
  return TrimRight(text.substr(n));
}

bool TracebackParser::OnLine(const TextLine& line) {
  if (state_ == State::kIdle) return OnIdle(line);
  std::string_view text = Undecorated(line.text);
  if (Contains(text, kTracebackHead)) return OnTracebackHead(line);
  if (OnSeparator(text)) return true;
  if (OnPytestFrame(text, line)) return true;
  bool taken = false;
  switch (state_) {
    case State::kIdle:
      break;
    case State::kFrames:
      taken = OnFrames(text, line);
      break;
    case State::kMessage:
      taken = OnMessage(text, line);
      break;
    case State::kUserCode:
      taken = OnUserCode(text, line);
      break;
    case State::kTail:
      taken = OnTail(text, line);
      break;
  }
  if (taken) {
    current_.evidence.length =
        line.at.offset + line.at.length - current_.evidence.offset;
  }
  return taken;
}

bool TracebackParser::OnIdle(const TextLine& line) {
  std::string_view text = line.text;
  size_t at = text.find(kTracebackHead);
  if (at != std::string_view::npos) return StartBlock(line);
  text = TrimRight(text);
  if (line.pytest_error) {
    size_t indent = Indent(text);  // the long style keeps the code's
    text.remove_prefix(indent);
    std::optional<ExceptionLine> exception = ParseExceptionLine(text);
    if (!exception || !LooksLikeType(exception->type)) return false;
    current_ = {};
    current_.evidence = line.at;
    current_.blocks.emplace_back();
    Block().frames = std::exchange(pytest_frames_, {});
    if (std::exchange(listed_compile_, false)) {
      Block().suffixes |= ExceptionBlock::kListsCompile;
    }
    state_ = State::kFrames;
    base_indent_ = indent;
    style_ = Style::kPlain;
    return TakeException(text, false);
  }
  if (OnPytestFrame(text, line)) return true;
  if (IsSection(text)) {
    pytest_frames_.clear();
    listed_compile_ = false;
  }
  // An exception's line on its own, known by its class.
  std::string_view rest = text;
  bool logged = Consume(&rest, "ERROR:common:");
  const size_t indent = Indent(text);
  if (logged || IsWordStart(text.empty() ? ' ' : text[0]) ||
      text.starts_with("<class '") || text.starts_with("**Exception Type") ||
      text.starts_with("- **Exception Type")) {
    BeginBare(line, /*indent=*/0);
    const bool unnamed =
        text.starts_with("backend=") && text.ends_with("raised:");
    if (unnamed || (logged && rest.starts_with("backend="))) {
      Block().type = "torch._dynamo.exc.BackendCompilerFailed";
      Block().message.assign(rest);
      state_ = State::kMessage;
      after_blank_ = false;
      return true;
    }
    Block().frames = std::exchange(loose_frames_, {});
    if (TakeException(text, /*must_be_known=*/true)) return true;
    current_ = {};
  } else if (indent > 0 && OnIndentedException(line, indent)) {
    return true;
  }
  if (OnPrefixedException(line)) return true;
  OnLooseFrame(text);
  return false;
}

// Starts a chain of one exception without a traceback above it.
void TracebackParser::BeginBare(const TextLine& line, size_t indent) {
  current_ = {};
  current_.evidence = line.at;
  current_.bare = true;
  current_.blocks.emplace_back();
  base_indent_ = indent;
  style_ = Style::kPlain;
}

// A paste's last lines, each under the same prefix of a program that we do not
// know; then only torch's own classes count, with their module.
bool TracebackParser::OnPrefixedException(const TextLine& line) {
  const std::string_view text = TrimRight(line.text);
  size_t at = text.find("torch._dynamo.exc.");
  if (at == std::string_view::npos) at = text.find("torch._inductor.exc.");
  if (at == std::string_view::npos || !IsPrefix(text.substr(0, at))) {
    return false;
  }
  std::optional<ExceptionLine> exception = ParseExceptionLine(text.substr(at));
  if (!exception || exception->message.empty()) return false;
  BeginBare(line, /*indent=*/0);
  if (TakeException(text.substr(at), /*must_be_known=*/true)) {
    prefix_.assign(text.substr(0, at));
    return true;
  }
  current_ = {};
  return false;
}

// A whole paste may be indented; then only an exception with its message
// counts.
bool TracebackParser::OnIndentedException(const TextLine& line, size_t indent) {
  std::string_view text = TrimRight(line.text).substr(indent);
  std::optional<ExceptionLine> exception = ParseExceptionLine(text);
  if (!exception || exception->message.empty()) return false;
  BeginBare(line, indent);
  Block().frames = loose_frames_;
  if (TakeException(text, /*must_be_known=*/true)) {
    loose_frames_.clear();
    return true;
  }
  current_ = {};
  base_indent_ = 0;
  return false;
}

bool TracebackParser::OnTracebackHead(const TextLine& line) {
  if (state_ == State::kMessage || state_ == State::kTail) {
    // torch/_export/serde/serialize.py
    constexpr std::string_view kOriginal = "Original exception ";
    const std::string_view before =
        line.text.substr(0, line.text.find(kTracebackHead));
    bool embeds = before.ends_with(kOriginal) || EmbedsTraceback(Block());
    if (embeds && !pending_link_ && outer_.size() < 4) {
      outer_.push_back(std::move(Block()));
      current_.blocks.pop_back();
      pending_link_ = LinkKind::kFirst;
    }
  }
  if (state_ == State::kFrames && Block().frames.empty() && !pending_link_) {
    return true;  // the head printed twice (notebook, rich)
  }
  if (!pending_link_ || current_.blocks.size() >= kMaxBlocks) Finish();
  return StartBlock(line);
}

bool TracebackParser::StartBlock(const TextLine& line) {
  held_.clear();
  size_t at = line.text.find(kTracebackHead);
  std::string_view before = line.text.substr(0, at);
  if (!pending_link_) {
    current_ = {};
    current_.evidence = line.at;
    current_.intro.assign(Trim(before).substr(0, 400));
    outer_.clear();
  }
  ExceptionBlock block;
  block.link = pending_link_.value_or(LinkKind::kFirst);
  pending_link_.reset();
  current_.blocks.push_back(std::move(block));
  bool blank = Trim(before).empty();
  prefix_.clear();
  base_indent_ = blank ? before.size() : 0;
  constexpr std::string_view kTableRow = "traceback : ";  // of torchrun
  const bool row = before.ends_with(kTableRow);
  if (row) base_indent_ = before.size() - kTableRow.size();
  style_ = Style::kPlain;
  if (Contains(before, "╭") || Contains(before, "┌")) {
    style_ = Style::kRich;
  } else if (!blank && ParseExceptionLine(Trim(before)) &&
             before.ends_with("  ")) {
    style_ = Style::kNotebook;
  } else if (before.ends_with("+ Exception Group ")) {
    prefix_.assign(before.substr(0, before.rfind('+')));
    prefix_ += "| ";
  } else if (!row && before.size() < 200 &&
             (!blank || Contains(before, "\t"))) {
    prefix_.assign(before);
    base_indent_ = 0;
  }
  state_ = State::kFrames;
  last_frame_ = FrameStyle::kPython;
  unknown_ = 0;
  want_code_ = after_blank_ = false;
  pytest_frames_.clear();
  return true;
}

bool TracebackParser::OnSeparator(std::string_view text) {
  std::string_view s = TrimLeft(text);
  if (s.starts_with(kCauseSeparator)) {
    pending_link_ = LinkKind::kCause;
  } else if (s.starts_with(kContextSeparator)) {
    pending_link_ = LinkKind::kContext;
  } else {
    return false;
  }
  state_ = State::kTail;
  unknown_ = 0;
  pytest_frames_.clear();
  return true;
}

bool TracebackParser::TakeException(std::string_view text, bool must_be_known) {
  std::optional<ExceptionLine> line = ParseExceptionLine(text);
  if (!line || !(LooksLikeType(line->type) || Contains(line->type, "."))) {
    return false;
  }
  if (must_be_known) {
    const ExceptionClass* known = FindExceptionClass(line->type);
    bool named =
        known != nullptr &&
        (IsTorchQualified(line->type) ||
         (known->flags & ExceptionClass::kBareOk && !line->message.empty()));
    bool builtin = AfterLast(line->type, '.') == "RuntimeError" ||
                   AfterLast(line->type, '.') == "AcceleratorError" ||
                   AfterLast(line->type, '.') == "AssertionError" ||
                   AfterLast(line->type, '.') == "TorchExportError";
    if (!named && !(builtin && IsTellingMessage(line->message))) return false;
  } else if (line->message.empty() && !Contains(line->type, ".") &&
             !IsExceptionName(line->type)) {
    return false;  // a word on a line of its own
  }
  // Ray's own line stands in front of the worker's frames.
  if (line->message.starts_with("ray::")) return !must_be_known;
  Block().type.assign(line->type);
  Block().message.assign(line->message.substr(0, kMaxMessage));
  state_ = State::kMessage;
  after_blank_ = false;
  unknown_ = 0;
  message_lines_ = 0;
  return true;
}

// A line that torch appends after the message; true if it is one.
bool TracebackParser::OnSuffix(std::string_view text) {
  std::string_view s = TrimLeft(text);
  if (s.starts_with("from user code:")) {
    state_ = State::kUserCode;
    want_code_ = false;
    Block().user_frames.clear();
    return true;
  }
  for (const MessageTail& tail : kMessageTails) {
    if (s.starts_with(TrimLeft(tail.head))) {
      NoteRule(&tail);
      Block().suffixes |= tail.suffix;
      state_ = State::kTail;
      return true;
    }
  }
  return false;
}

// True for a line that cannot belong to the message above it.
bool TracebackParser::IsForeign(std::string_view text) const {
  const ExceptionBlock& block = current_.blocks.back();
  if (in_record_ || after_blank_ || text.empty() || Indent(text) > 0) {
    return false;
  }
  if (IsOthersLine(text)) return true;
  // These say all in one line, or indent what follows.
  static constexpr std::string_view kOneLine[] = {
      "Unsupported", "FailOnRecompileLimitHit", "AccuracyError",
      "RecompileError", "InternalTorchDynamoError"};
  if (block.message.ends_with(':') || block.message.empty()) return false;
  for (std::string_view name : kOneLine) {
    if (AfterLast(block.type, '.') == name) return true;
  }
  return false;
}

bool TracebackParser::OnMessage(std::string_view text, const TextLine& line) {
  if (OnSuffix(text)) return true;
  if (current_.bare && text.starts_with("## Stack Trace")) {
    state_ = State::kTail;
    return true;
  }
  if (!in_record_ && (IsSection(text) || EndsPaste(text, Block().message))) {
    Finish();
    return false;
  }
  if (IsForeign(text)) {
    state_ = State::kTail;
    return OnTail(text, line);
  }
  std::string& message = Block().message;
  if (message.empty() && current_.bare) {
    Consume(&text, "- ");
    Consume(&text, "**Exception Message:** ");
  }
  if (Trim(text).empty()) {
    after_blank_ = true;
    return true;
  }
  if (after_blank_ && !in_record_ && !line.pytest_error) {
    bool goes_on = Indent(text) > 0 || message.ends_with(':');
    for (const std::string_view& head : kMessageContinues) {
      if (!TrimLeft(text).starts_with(head)) continue;
      NoteRule(&head);
      goes_on = true;
    }
    if (!goes_on) {
      state_ = State::kTail;
      return OnTail(text, line);
    }
  }
  // What no class of torch's says in so many lines is another's output.
  if (!in_record_ && ++message_lines_ > kMaxForeignLines &&
      FindExceptionClass(Block().type) == nullptr) {
    Finish();
    return false;
  }
  if (message.size() < kMaxMessage) {
    if (!message.empty()) message += after_blank_ ? "\n\n" : "\n";
    message.append(text.substr(0, kMaxMessage));
  }
  after_blank_ = false;
  return true;
}

bool TracebackParser::OnTail(std::string_view text, const TextLine& line) {
  if (OnSuffix(text)) return true;
  if (OnTrailingFrame(text)) return true;
  if (Trim(text).empty()) return true;
  if (text == "\"\"\"") return true;  // end of a RemoteTraceback
  if (pending_link_ && ParseExceptionLine(text) && Indent(text) == 0) {
    LinkKind link = *pending_link_;
    pending_link_.reset();
    current_.blocks.emplace_back();
    Block().link = link;
    Block().frames = std::exchange(pytest_frames_, {});
    if (TakeException(text, !line.pytest_error)) return true;
    current_.blocks.pop_back();
    pending_link_ = link;
  }
  if (line.pytest_error) {
    if (Indent(text) > 0) return true;
  }
  if (pending_link_ && ++unknown_ <= 200) return false;
  if (in_record_ || ++unknown_ > kMaxUnknown || IsSection(text)) {
    Finish();
    return OnIdle(line);
  }
  if (std::optional<ExceptionLine> next = ParseExceptionLine(text)) {
    if (FindExceptionClass(next->type) != nullptr) {
      Finish();
      return OnIdle(line);
    }
  }
  return false;
}

void TracebackParser::Finish() {
  if (state_ == State::kIdle) return;
  state_ = State::kIdle;
  pending_link_.reset();
  prefix_.clear();
  base_indent_ = 0;
  style_ = Style::kPlain;
  while (!outer_.empty()) {
    outer_.back().link = LinkKind::kCause;
    current_.blocks.push_back(std::move(outer_.back()));
    outer_.pop_back();
  }
  // A stack that no exception ends is a warning's, or cut off.
  std::erase_if(current_.blocks,
                [](const ExceptionBlock& block) { return block.type.empty(); });
  Traceback done = std::exchange(current_, {});
  for (ExceptionBlock& block : done.blocks) {
    block.message = std::string(TrimRight(block.message));
  }
  if (!done.blocks.empty()) sink_(done);
}

std::optional<Evidence> TracebackParser::open_traceback() const {
  const bool open = state_ == State::kFrames && outer_.empty() &&
                    unknown_ == 0 && !current_.blocks.empty() &&
                    current_.blocks.back().type.empty() &&
                    !current_.blocks.back().frames.empty();
  return open ? std::optional(current_.evidence) : std::nullopt;
}

std::vector<Traceback> ParseTracebacks(std::string_view text) {
  std::vector<Traceback> all;
  TracebackParser parser(
      [&](Traceback& traceback) { all.push_back(std::move(traceback)); },
      /*in_record=*/true);
  Evidence at;
  while (!text.empty()) {
    std::string_view line = NextLine(&text);
    at.length = line.size() + 1;
    parser.OnLine({line, at, false});
    at.offset += at.length;
    ++at.line;
  }
  parser.Finish();
  return all;
}

std::vector<ExceptionBlock> ParseTracebackText(std::string_view text) {
  std::vector<ExceptionBlock> blocks;
  for (Traceback& traceback : ParseTracebacks(text)) {
    for (ExceptionBlock& block : traceback.blocks) {
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace pt2triage
