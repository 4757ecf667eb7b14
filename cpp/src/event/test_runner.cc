#include "event/test_runner.h"

#include <array>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/test_command.h"
#include "event/traceback.h"

namespace pt2triage {
namespace {

bool IsRule(std::string_view text, char c, size_t least) {
  return text.size() >= least &&
         text.find_first_not_of(c) == std::string_view::npos;
}

// The words between two runs of `c`: `==== FAILURES ====`.
std::string_view Heading(std::string_view text, char c) {
  size_t begin = text.find_first_not_of(c);
  if (begin == std::string_view::npos || begin < 3 || text[begin] != ' ' ||
      text.back() != c) {
    return {};
  }
  size_t end = text.find_last_not_of(c);
  if (end <= begin || text[end] != ' ') return {};
  return Trim(text.substr(begin, end - begin));
}

struct Verdict {
  std::string_view head;
  std::string_view name;
};
// What run_test.py prints below a summary that has no closing rule, and a
// verdict of the next run.
bool EndsSummary(std::string_view text) {
  return text.starts_with("Got exit code ") || text.starts_with("!!!!") ||
         text.starts_with("Retrying ") ||
         text.starts_with("The following tests failed") ||
         (Contains(text, "::") &&
          (Contains(text, " PASSED") || Contains(text, " FAILED")));
}

// What pytest prints behind a test: `path::test PASSED [ 12%]`.
constexpr std::string_view kPassed = "PASSED";
// What PyTorch's run_test.py prints above the tests that passed when it ran
// them again.
constexpr std::string_view kRetryHead = "The following tests";

struct TestVerdict {
  std::string_view id;
  bool passed = false;
};

std::optional<TestVerdict> ReadVerdict(std::string_view text) {
  struct Word {
    std::string_view text;
    bool passed;
  };
  constexpr std::array<Word, 4> kWords = {
      {{kPassed, true}, {"FAILED", false}, {"RERUN", false}, {"ERROR", false}}};
  for (const Word& word : kWords) {
    size_t found = text.find(word.text);
    if (found == std::string_view::npos || found == 0) continue;
    std::string_view before = Trim(text.substr(0, found));
    std::string_view after = Trim(text.substr(found + word.text.size()));
    bool worker = before.starts_with("[gw");
    std::string_view id = worker ? after : before;
    bool cell = worker || after.empty() || after[0] == '[' || after[0] == '(';
    if (cell && Contains(id, "::")) return TestVerdict{id, word.passed};
  }
  return std::nullopt;
}

constexpr size_t kMaxSummary = size_t{16} << 10;

constexpr std::array<Verdict, 4> kVerdicts = {{
    {"FAILED ", "failed"},
    {"ERROR ", "error"},
    {"XFAIL ", "xfail"},
    {"RERUN ", "rerun"},
}};
PT2TRIAGE_WATCH_TABLE(kVerdicts, row.head);

}  // namespace

// `ERROR: test_b (module.Class)` of unittest, `ERROR [1.234s]: …` of xmlrunner.
bool TestTracker::OnUnittestHeading(std::string_view text) {
  for (std::string_view head : {"ERROR", "FAIL", "UNEXPECTED SUCCESS"}) {
    std::string_view rest = text;
    if (!Consume(&rest, head)) continue;
    if (Consume(&rest, " [")) {
      const size_t close = rest.find("s]");
      if (close == std::string_view::npos) return false;
      rest.remove_prefix(close + 2);
    }
    if (!Consume(&rest, ": ")) return false;
    test_id_.assign(rest);
    in_section_ = true;
    return true;
  }
  return false;
}

bool TestTracker::OnPytestHeading(std::string_view text) {
  if (std::string_view heading = Heading(text, '='); !heading.empty()) {
    in_summary_ = heading == "short test summary info";
    in_passes_ =
        heading == "PASSES" || heading == "XFAILURES" || heading == "XPASSES";
    in_section_ = heading == "FAILURES" || in_passes_ || heading == "ERRORS" ||
                  heading.starts_with("RERUNS");
    test_id_.clear();
    return true;
  }
  if (std::string_view heading = Heading(text, '_'); !heading.empty()) {
    if (heading.starts_with("_ ")) return true;  // between two entries
    Consume(&heading, "ERROR at setup of ");
    Consume(&heading, "ERROR at teardown of ");
    Consume(&heading, "ERROR collecting ");
    test_id_.assign(heading);
    in_section_ = true;
    return true;
  }
  return false;
}

// FAILED path/test_x.py::Class::test[param] - torch...Error: text
bool TestTracker::OnSummaryLine(std::string_view text, const Evidence& at) {
  for (const Verdict& verdict : kVerdicts) {
    std::string_view s = text;
    if (!Consume(&s, verdict.head)) continue;
    NoteRule(&verdict);
    if (Consume(&s, "[")) {  // FAILED [0.1s] path::test
      size_t close = s.find("] ");
      if (close == std::string_view::npos) return false;
      s.remove_prefix(close + 2);
    }
    // PyTorch's run_test.py names the file from the checkout's root here.
    if (Consume(&s, "CONSISTENTLY: ")) Consume(&s, "test/");
    if (s.find("::") == std::string_view::npos) return false;
    size_t dash = s.find(" - ");
    FlushSummary();
    summary_.emplace();
    summary_->kind = EventKind::kTest;
    summary_->evidence = at;
    summary_->name.assign(verdict.name);
    summary_->test_id.assign(Trim(s.substr(0, dash)));
    if (dash != std::string_view::npos) {
      summary_->message.assign(Trim(s.substr(dash + 3)));
    }
    if (!in_summary_) FlushSummary();
    return true;
  }
  return false;
}

// Hands out the summary's line; where it printed more lines than one, with the
// exception that they hold.
void TestTracker::FlushSummary() {
  if (!summary_) return;
  Event event = *std::exchange(summary_, std::nullopt);
  std::string rest = std::exchange(summary_rest_, {});
  if (!Trim(rest).empty()) {
    event.blocks = ParseTracebackText(event.message + rest);
  }
  std::optional<ExceptionLine> line = ParseExceptionLine(event.message);
  if (event.blocks.empty() && line && LooksLikeType(line->type)) {
    event.blocks.emplace_back();
    event.blocks.back().type.assign(line->type);
    event.blocks.back().message.assign(line->message);
  }
  sink_(std::move(event));
}

void TestTracker::Emit(EventKind kind, std::string_view name,
                       std::string_view test_id, const Evidence& at) {
  Event event;
  event.kind = kind;
  event.evidence = at;
  event.name.assign(name);
  event.test_id.assign(test_id);
  sink_(std::move(event));
}

// `path::test VERDICT [50%]` and, of xdist, `[gw0] [ 50%] VERDICT path::test`.
bool TestTracker::OnVerdict(std::string_view text, const Evidence& at) {
  const std::optional<TestVerdict> verdict = ReadVerdict(text);
  if (!verdict) return false;
  auto watched = watched_.find(verdict->id);
  if (watched == watched_.end()) {
    if (!verdict->passed && watched_.size() < kMaxWatched) {
      watched_.emplace(std::string(verdict->id), LastRun::kFailed);
    }
    return true;
  }
  LastRun run = verdict->passed ? LastRun::kPassed : LastRun::kFailed;
  if (std::exchange(watched->second, run) == run) return true;
  Emit(EventKind::kTest, verdict->passed ? "passed-again" : "failed-again",
       watched->first, at);
  return true;
}

// The following tests failed and then succeeded when run in a new
// process['test/a.py::T::t', ...]
bool TestTracker::OnRetryList(std::string_view text, const Evidence& at) {
  constexpr std::string_view kHead =
      "The following tests failed and then succeeded when run in a new process";
  if (!Consume(&text, kHead)) return false;
  for (size_t open; (open = text.find('\'')) != std::string_view::npos;) {
    size_t close = text.find('\'', open + 1);
    if (close == std::string_view::npos) break;
    std::string_view id = text.substr(open + 1, close - open - 1);
    Consume(&id, "test/");
    Emit(EventKind::kTest, "passed-again", id, at);
    text.remove_prefix(close + 1);
  }
  return true;
}

// stepcurrent: skipping 16 already run items. Running only test/a.py::T::t
bool TestTracker::OnRunningOnly(std::string_view text) {
  constexpr std::string_view kOnly = "Running only ";
  size_t at = text.find(kOnly);
  if (!text.starts_with("stepcurrent: ") || at == std::string_view::npos) {
    return false;
  }
  std::string_view id = Trim(text.substr(at + kOnly.size()));
  if (id.find("::") == std::string_view::npos) return false;
  test_id_.assign(id);
  return true;
}

// worker 'gw4' crashed while running 'test/a.py::T::t'
bool TestTracker::OnWorkerCrash(std::string_view text, const Evidence& at) {
  constexpr std::string_view kCrashed = "' crashed while running '";
  if (!Consume(&text, "worker '")) return false;
  const size_t crashed = text.find(kCrashed);
  if (crashed == std::string_view::npos || !text.ends_with('\'')) return false;
  text.remove_prefix(crashed + kCrashed.size());
  text.remove_suffix(1);
  Emit(EventKind::kNotice, "worker-crash", text, at);
  return true;
}

void TestTracker::OnTestCommand(std::string_view text, const Evidence& at) {
  if (text.starts_with("To execute this test, run the following")) {
    want_command_ = true;
    return;
  }
  if (!want_command_ || Trim(text).empty()) return;
  want_command_ = false;
  std::optional<TestCommand> found = ParseTestCommand(text);
  if (!found) return;
  Event event;
  event.kind = EventKind::kNotice;
  event.evidence = at;
  event.name = "test-command";
  event.test_id = std::move(found->test);
  event.value = std::move(found->command);
  sink_(std::move(event));
}

bool TestTracker::WantsAll() const {
  return in_section_ || want_command_ || summary_.has_value();
}

bool TestTracker::MayHoldVerdict(std::string_view lines) {
  return Contains(lines, kPassed) || Contains(lines, kRetryHead);
}

bool TestTracker::IsWatched(std::string_view text) const {
  if (after_rule_ || text.starts_with(kRetryHead)) return true;
  const std::optional<TestVerdict> verdict = ReadVerdict(TrimRight(text));
  return verdict && watched_.contains(verdict->id);
}

bool TestTracker::WantsLine(std::string_view text) const {
  return WantsAll() || (!watched_.empty() && (Contains(text, kPassed) ||
                                              text.starts_with(kRetryHead)));
}

bool TestTracker::OnLine(std::string_view text, const Evidence& at) {
  std::string_view whole = text;
  text = TrimRight(text);
  OnTestCommand(text, at);
  if (summary_) {
    bool heading = text.starts_with("====") || OnSummaryLine(text, at);
    if (!heading && EndsSummary(text)) {
      in_summary_ = false;
      FlushSummary();
      return OnVerdict(text, at) || OnRetryList(text, at);
    }
    if (!heading && in_summary_ && summary_rest_.size() < kMaxSummary) {
      summary_rest_.append("\n").append(whole.substr(0, kMaxSummary));
      return true;
    }
    if (!text.starts_with("====")) return heading;
    FlushSummary();
  }
  if (text.empty() || OnWorkerCrash(text, at)) return false;
  bool after_rule = std::exchange(after_rule_, false);
  switch (text[0]) {
    case '=':
      if (IsRule(text, '=', 60)) {
        after_rule_ = true;
        test_id_.clear();
        return true;
      }
      return OnPytestHeading(text);
    case '_':
      return OnPytestHeading(text);
    case 'E':
    case 'F':
    case 'U':
    case 'X':
    case 'R':
      if (after_rule && OnUnittestHeading(text)) return true;
      if (text.starts_with("Ran ")) {
        test_id_.clear();
        in_section_ = false;
        return false;
      }
      return OnSummaryLine(text, at);
    case 's':
      if (OnRunningOnly(text)) return true;
      return OnVerdict(text, at);
    case 'T':
      if (OnRetryList(text, at)) return true;
      return OnVerdict(text, at);
    default:
      return OnVerdict(text, at);
  }
}

}  // namespace pt2triage
