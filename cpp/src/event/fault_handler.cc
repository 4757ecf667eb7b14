#include "event/fault_handler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/frames.h"
#include "event/traceback_text.h"

namespace pt2triage {
namespace {

constexpr std::string_view kFatal = "Fatal Python error: ";
constexpr std::string_view kTerminate =
    "terminate called after throwing an instance of '";
constexpr int kMaxLines = 4000;
constexpr size_t kMaxPrefix = 256;

struct SignalText {
  std::string_view text;
  std::string_view signal;
};
// What Python and shells call a signal.
constexpr std::array<SignalText, 6> kFatalNames = {{
    {"Segmentation fault", "SIGSEGV"},
    {"Aborted", "SIGABRT"},
    {"Bus error", "SIGBUS"},
    {"Floating point exception", "SIGFPE"},
    {"Floating-point exception", "SIGFPE"},
    {"Illegal instruction", "SIGILL"},
}};

// Single lines in which a shell, a launcher, a debugger or a runtime says how
// its child died.
constexpr std::array<SignalText, 17> kDeathNotices = {{
    {"exit code -1073741819", "SIGSEGV"},  // 0xC0000005
    {"exited with code '-1073741819'", "SIGSEGV"},
    {"exit code -1073740791", "SIGABRT"},  // 0xC0000409, a fast fail
    {"(0xC0000409)", "SIGABRT"},
    {"terminated by signal SIGSEGV", "SIGSEGV"},
    {"terminated with signal SIGSEGV", "SIGSEGV"},
    {"interrupted by signal 11: SIGSEGV", "SIGSEGV"},
    {"(0xC0000005)", "SIGSEGV"},
    {"received signal SIGSEGV", "SIGSEGV"},
    {"*** SIGSEGV received at", "SIGSEGV"},
    {"Signal: Segmentation fault (11)", "SIGSEGV"},
    {"Signal 11 (SIGSEGV) received by PID", "SIGSEGV"},
    {"Signal 6 (SIGABRT) received by PID", "SIGABRT"},
    {"Signal 7 (SIGBUS) received by PID", "SIGBUS"},
    {"Fatal signal 11 (SIGSEGV)", "SIGSEGV"},  // Android's logcat
    {"Fatal signal 6 (SIGABRT)", "SIGABRT"},
    {"Memory access fault by GPU", "GPU"},
}};

// zsh's names: `[1]    22817 abort (core dumped)  python train.py`, and
// `zsh: abort  python train.py`.
constexpr std::array<SignalText, 7> kZshNames = {{
    {"segmentation fault", "SIGSEGV"},
    {"abort", "SIGABRT"},
    {"IOT instruction", "SIGABRT"},
    {"bus error", "SIGBUS"},
    {"floating point exception", "SIGFPE"},
    {"illegal hardware instruction", "SIGILL"},
    {"trace trap", "SIGTRAP"},
}};

PT2TRIAGE_WATCH_TABLE(kZshNames, row.text);
PT2TRIAGE_WATCH_TABLE(kFatalNames, row.text);
PT2TRIAGE_WATCH_TABLE(kDeathNotices, row.text);

std::string_view SignalOf(std::string_view text) {
  for (const SignalText& entry : kFatalNames) {
    if (!text.starts_with(entry.text)) continue;
    NoteRule(&entry);
    return entry.signal;
  }
  return {};
}

// What a shell prints before the name of a signal: nothing, or its own place
// and the child's pid or task. Anything else is prose or quoted source.
bool IsShellPlace(std::string_view before) {
  before = TrimRight(before);
  if (before.empty()) return true;
  char last = before.back();
  return (IsDigit(last) || last == ':' || last == ']') &&
         !Contains(before, "#") && !Contains(before, "\"");
}

// The signal of zsh's word on a job, empty if the text is none.
std::string_view ZshSignal(std::string_view text) {
  size_t shell = text.find("zsh: ");  // perhaps after a progress bar
  if (shell != std::string_view::npos) {
    text.remove_prefix(shell + 5);
  } else {
    if (!Consume(&text, "[") || ConsumeDigits(&text).empty() ||
        !Consume(&text, "]")) {
      return {};
    }
    text = TrimLeft(text);
    if (Consume(&text, "+ ") || Consume(&text, "- ")) text = TrimLeft(text);
    if (ConsumeDigits(&text).empty() || !Consume(&text, " ")) return {};
    text = TrimLeft(text);
  }
  for (const SignalText& entry : kZshNames) {
    if (!text.starts_with(entry.text)) continue;
    std::string_view rest = text.substr(entry.text.size());
    if (!rest.empty() && rest[0] != ' ') continue;
    NoteRule(&entry);
    return entry.signal;
  }
  return {};
}

bool EndsDump(std::string_view text) {
  return text.starts_with("Extension modules:") ||
         text.starts_with("Got exit code") || text.starts_with("Traceback (");
}

}  // namespace

void CrashParser::Begin(const TextLine& line, std::string_view signal,
                        std::string_view prefix) {
  Finish();
  prefix_.assign(prefix.size() > kMaxPrefix ? std::string_view() : prefix);
  open_.emplace();
  open_->kind = EventKind::kCrash;
  open_->evidence = line.at;
  open_->name.assign(signal);
  current_thread_ = dump_ = false;
  lines_ = 0;
}

bool CrashParser::Start(const TextLine& line) {
  std::string_view text = TrimRight(line.text);
  size_t fatal = text.find(kFatal);
  if (fatal != std::string_view::npos) {
    std::string_view name = text.substr(fatal + kFatal.size());
    std::string_view signal = SignalOf(name);
    if (signal.empty()) return false;  // an interpreter's own fatal error
    Begin(line, signal, text.substr(0, fatal));
    open_->message.assign(text.substr(fatal));
    dump_ = true;
    return true;
  }
  size_t terminate = text.find(kTerminate);
  if (terminate != std::string_view::npos) {
    Begin(line, "SIGABRT", text.substr(0, terminate));
    open_->message.assign(text.substr(terminate));
    std::string_view type = text.substr(terminate + kTerminate.size());
    open_->value.assign(type.substr(0, type.find('\'')));
    return true;
  }
  if (text.starts_with("Windows fatal exception: access violation")) {
    Begin(line, "SIGSEGV");
    open_->message.assign(text);
    dump_ = true;
    return true;
  }
  if (std::string_view signal = ZshSignal(text); !signal.empty()) {
    Begin(line, signal);
    open_->message.assign(text);
    open_->value = "shell";
    Finish();
    return true;
  }
  for (const SignalText& notice : kDeathNotices) {
    if (!Contains(text, notice.text)) continue;
    NoteRule(&notice);
    Begin(line, notice.signal);
    open_->message.assign(Trim(text));
    open_->value = notice.signal == "GPU" ? "" : "shell";
    Finish();
    return true;
  }
  // A shell's word on a child: `Segmentation fault (core dumped)`, with the
  // script's place and the command around it.
  size_t core = text.find("(core dumped)");
  for (const SignalText& entry : kFatalNames) {
    size_t at = text.find(entry.text);
    bool shell = core != std::string_view::npos &&
                 at != std::string_view::npos &&
                 IsShellPlace(text.substr(0, at));
    if (text == entry.text || shell) {
      if (text == "Aborted") return false;  // says too little alone
      NoteRule(&entry);
      Begin(line, entry.signal);
      open_->message.assign(text.substr(at));
      open_->value = "shell";
      Finish();
      return true;
    }
  }
  return false;
}

bool CrashParser::OnLine(const TextLine& line) {
  if (!open_) return Start(line);
  std::string_view text = TrimRight(line.text);
  if (!prefix_.empty()) text = WithoutPrefix(text, prefix_).value_or(text);
  if (Contains(text, kTerminate)) {  // another process died, too
    Finish();
    return Start(line);
  }
  if (++lines_ > kMaxLines || EndsDump(text)) {
    bool mine = text.starts_with("Extension modules:");
    Finish();
    return mine || Start(line);
  }
  if (!dump_) {  // after "terminate called": what(), then C++ frames
    if (std::string_view s = TrimLeft(text); Consume(&s, "what():")) {
      open_->reason.assign(Trim(s));
      return true;
    }
    if (text.starts_with("Fatal Python error: ")) {  // same death, more said
      dump_ = true;
      return true;
    }
    if (lines_ > 60 || text.starts_with("Aborted")) Finish();
    return false;
  }
  if (text.starts_with("Current thread ") || text.starts_with("Thread 0x")) {
    current_thread_ = text.starts_with("Current thread ");
    return true;
  }
  if (text.empty()) return true;
  std::optional<FrameMatch> match = ParseFrame(text);
  if (!match) {
    if (text.starts_with("  <")) return true;  // "<no Python frame>"
    if (!Contains(text, "most recent call first")) {
      if (open_->frames.empty() && lines_ < 12) return false;
      Finish();
      return Start(line);
    }
    current_thread_ = true;  // Python 3.12: "Stack (most recent call first):"
    return true;
  }
  if (current_thread_ && open_->frames.size() < 200) {
    open_->frames.push_back(std::move(match->frame));
  }
  open_->evidence.length =
      line.at.offset + line.at.length - open_->evidence.offset;
  return true;
}

void CrashParser::Finish() {
  if (!open_) return;
  Event event = *std::exchange(open_, std::nullopt);
  std::reverse(event.frames.begin(), event.frames.end());
  sink_(std::move(event));
}

}  // namespace pt2triage
