// Which test a line belongs to, and how tests ended.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "pt2triage/event.h"

namespace pt2triage {

// Follows the output of pytest and unittest. `test_id()` is the failing test
// whose section is being printed, empty outside of one. Verdicts become kTest
// events: those of the summary by the runner's word (failed, error, xfail,
// rerun), with the blocks of the exception where the summary prints all of it;
// and `passed-again` or `failed-again` for a test that ran more than once. The
// command that PyTorch prints to run a test again is a kNotice `test-command`;
// what a crashed worker of xdist ran, a `worker-crash`.
// Bounded: kMaxWatched tests are watched. Not thread-safe; O(line).
class TestTracker {
 public:
  static constexpr size_t kMaxWatched = 10000;
  using Sink = std::function<void(Event)>;
  explicit TestTracker(Sink sink) : sink_(std::move(sink)) {}

  // True if the line was the runner's own.
  bool OnLine(std::string_view text, const Evidence& at);
  void Finish() { FlushSummary(); }
  // True if every line has to be offered; and if verdicts have to be.
  bool WantsAll() const;
  bool WantsVerdicts() const { return !watched_.empty(); }
  // True if one of the lines may be a verdict that WantsLine() wants where no
  // section is open; and if this one is of a test that failed before.
  static bool MayHoldVerdict(std::string_view lines);
  bool IsWatched(std::string_view text) const;
  // True if this line must be offered whatever it holds.
  bool WantsLine(std::string_view text) const;
  const std::string& test_id() const { return test_id_; }
  // True in the section that shows what passed tests, or those that were
  // expected to fail, printed.
  bool in_passes() const { return in_passes_; }

 private:
  enum class LastRun : uint8_t { kFailed, kPassed };

  bool OnUnittestHeading(std::string_view text);
  bool OnPytestHeading(std::string_view text);
  bool OnSummaryLine(std::string_view text, const Evidence& at);
  bool OnVerdict(std::string_view text, const Evidence& at);
  bool OnRetryList(std::string_view text, const Evidence& at);
  bool OnRunningOnly(std::string_view text);
  bool OnWorkerCrash(std::string_view text, const Evidence& at);
  void OnTestCommand(std::string_view text, const Evidence& at);
  void Emit(EventKind kind, std::string_view name, std::string_view test_id,
            const Evidence& at);
  void FlushSummary();

  Sink sink_;
  std::string test_id_;
  bool in_section_ = false;
  bool in_passes_ = false;
  bool in_summary_ = false;
  bool after_rule_ = false;
  bool want_command_ = false;     // the line above announced one
  std::optional<Event> summary_;  // its message may go on
  std::string summary_rest_;
  FlatMap<std::string, LastRun> watched_;  // tests that failed once
};

}  // namespace pt2triage
