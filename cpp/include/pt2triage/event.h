// Typed facts read from one or more records. Events own their strings; they
// are made once by the event layer and then only read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pt2triage/compile_id.h"
#include "pt2triage/evidence.h"
#include "pt2triage/origin.h"

namespace pt2triage {

enum class EventKind : uint8_t {
  kGraphBreak,      // a graph-break record that was survived
  kRecompile,       // one recompile record with its guard failures
  kRecompileLimit,  // recompile_limit / cache_size_limit hit
  kException,       // a traceback or a bare exception line, with its chain
  kSkippedFrame,    // a frame that Dynamo gave up on
  kAccuracy,        // RMSE line, "Accuracy failed", fail_accuracy
  kCrash,           // signal, faulthandler dump, terminate, killed worker
  kDeviceAssert,    // assertion printed by a kernel
  kTest,            // a verdict of a test runner
  kExportIssue,     // an item of a draft-export report
  kJobFailure,      // a job that ended badly, and no word on why
  kNotice,          // minifier, checkpoint, repro notes
};

// How one exception of a chain relates to the one printed before it.
enum class LinkKind : uint8_t {
  kFirst,    // printed first
  kCause,    // "The above exception was the direct cause of ..."
  kContext,  // "During handling of the above exception ..."
};

// One traceback with the exception at its end.
struct ExceptionBlock {
  LinkKind link = LinkKind::kFirst;
  std::string type;                     // as printed
  std::string message;                  // without the suffixes torch appends
  std::vector<StackFrame> frames;       // outermost first
  std::vector<StackFrame> user_frames;  // `from user code:`, outermost first
  uint8_t suffixes = 0;                 // kSuppressAdvice | ...
  static constexpr uint8_t kSuppressAdvice = 1;  // "You can suppress ..."
  static constexpr uint8_t kDraftExportAdvice = 2;
  static constexpr uint8_t kListsCompile = 4;  // pytest's listing calls it
};

// One guard that failed, as printed.
struct GuardText {
  std::string compile_id;  // of the failed cache entry, empty if not printed
  std::string text;        // whole reason, with tails
};

// One event. Only the members of its kind are filled:
//   graph break:  reason (free text or first line of the gb message),
//                 explanation, hints, graph_break_id, context, frames
//                 (`User code traceback`), user_frame (location on first line)
//   recompile, limit: user_frame (recompiled function), guards, name (limit's
//                 config name), value
//   exception:    blocks in printed order, cause before effect
//   skipped frame: user_frame, blocks (why), reason
//   accuracy, crash, device assert, notice: message, frames, name (signal,
//                 kernel file), test_id; value "shell" where a shell tells
//                 of its child's crash
//   test:         test_id, name (verdict), message, blocks where the summary
//                 prints the whole exception
//   export issue: name (kind), message, reason, frames
//   job failure:  name (killed, lost, cancelled, failed), message
struct Event {
  EventKind kind = EventKind::kNotice;
  uint64_t repeats = 0;  // equal events after this one that were not kept
  std::vector<int32_t> repeat_ranks;  // theirs where they differ, sorted
  Evidence evidence;
  std::optional<CompileId> compile_id;
  int32_t rank = -1;    // -1: not printed
  std::string process;  // pid or thread id as printed, empty if none
  std::string stream;   // decoration that tells interleaved writers apart
  std::string time;     // torch's, with its date if known, else the CI's
  std::shared_ptr<const Origin> origin;  // null: not known
  bool from_trace = false;               // read from TORCH_TRACE, not from text
  bool logged = false;     // printed by a logger and survived, not raised
  bool duplicate = false;  // "details suppressed", counted but not explained
  char level = 0;          // V I W E C of the record that carried it
  std::string message;     // first line of the record, or the line itself
  std::string reason;
  std::string explanation;
  std::vector<std::string> hints;
  std::string graph_break_id;
  std::string context;
  std::string name;
  std::string value;
  std::string test_id;
  std::string backend;
  std::optional<StackFrame> user_frame;
  std::vector<StackFrame> frames;  // outermost first
  std::vector<ExceptionBlock> blocks;
  std::vector<GuardText> guards;
};

}  // namespace pt2triage
