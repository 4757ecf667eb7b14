#include "triage/classify.h"

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/messages/cause_rules.h"
#include "triage/judge_exception.h"
#include "triage/ranks.h"
#include "triage/stack_facts.h"

namespace pt2triage {
namespace {

void JudgeGraphBreak(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.category = Category::kGraphBreak;
  finding.message = event.message;
  if (!event.reason.empty()) finding.reason = event.reason;
  if (!event.explanation.empty()) finding.explanation = event.explanation;
  finding.hints = event.hints;
  if (!event.graph_break_id.empty()) {
    finding.graph_break_id = event.graph_break_id;
  }
  finding.cause = BreakCause(event.reason, event.reason + "\n" + event.context);
  finding.phase = Phase::kTrace;
  finding.compile_mode = CompileMode::kCompile;
  const StackFrame* frame = InnermostUserFrame(event.frames, true);
  if (frame != nullptr) {
    finding.user_frame = *frame;
  } else if (event.user_frame) {
    std::vector<StackFrame> place = {*event.user_frame};
    SetUserFrame(InnermostUserFrame(place, true), &finding);
  }
}

void JudgeRecompile(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.category = Category::kRecompilation;
  finding.message = std::string(Trim(event.message));
  finding.user_frame = event.user_frame;
  finding.phase = Phase::kTrace;
  finding.compile_mode = CompileMode::kCompile;
  AppendGuardFailures(event.guards, &finding);
  bool limit = event.kind == EventKind::kRecompileLimit;
  if (limit) {
    finding.cause = "limit-reached";
  } else {
    finding.cause = finding.guard_failures.empty()
                        ? "other"
                        : finding.guard_failures.front().cause;
  }
}

void JudgeAccuracy(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.category = Category::kAccuracy;
  finding.severity = Severity::kError;
  finding.message = std::string(FirstLine(event.message));
  finding.cause = std::string(CauseOf(Category::kAccuracy, event.message));
  finding.phase = Phase::kRun;
  if (event.compile_id) finding.compile_mode = CompileMode::kCompile;
  if (event.blocks.empty()) return;
  // A check that did not run: what stopped it.
  std::vector<ChainMember> chain = BuildChain(event.blocks);
  FillChain(chain, &finding);
  finding.secondary_categories.clear();
  finding.severity = Severity::kWarning;  // the program went on
  StackFacts facts = FactsOf(event);
  finding.phase = PhaseOf(facts);
  SetUserFrame(UserFrameOf(event, 0), &finding);
}

// Aborts of a rank that waited in vain for another one.
constexpr std::string_view kEchoes[] = {
    "Watchdog caught collective operation timeout",
    "remote process exited or there was a network error",
    "NCCL communicator was aborted",
    "Connection closed by peer",
};
PT2TRIAGE_WATCH_TABLE(kEchoes, row);

bool IsEcho(const Event& event) {
  for (const std::string_view& text : kEchoes) {
    if (!Contains(event.reason, text)) continue;
    NoteRule(&text);
    return true;
  }
  return false;
}

void JudgeCrash(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.severity = Severity::kError;
  finding.category = Category::kRuntimeCrash;
  finding.message = event.message;
  if (IsEcho(event)) {  // another rank failed first
    finding.category = Category::kOther;
    finding.cause = "other";
    if (!event.reason.empty()) finding.message = event.reason;
    draft->pt2 = false;
    draft->collateral = true;
    return;
  }
  finding.cause = event.name == "SIGSEGV"   ? "segfault"
                  : event.name == "SIGABRT" ? "abort"
                  : event.name == "GPU"     ? "illegal-memory-access"
                                            : "other";
  if (Contains(event.reason, "index out of bounds")) {
    finding.category = Category::kTritonKernel;
    finding.cause = "index-out-of-bounds";
  } else if (Contains(event.reason, "illegal memory access")) {
    finding.cause = "illegal-memory-access";
  }
  if (!event.reason.empty()) finding.message = event.reason;
  StackFacts facts;
  AddStackFacts(event.frames, &facts);
  finding.phase = PhaseOf(facts);
  if (finding.category == Category::kTritonKernel) finding.phase = Phase::kRun;
  finding.compile_mode = ModeOf(facts);
  if (facts.Has(kInductorCompile | kGeneratedCode | kAotInductor)) {
    finding.backend = "inductor";
  }
  SetUserFrame(InnermostUserFrame(event.frames, true), &finding);
}

void JudgeAssert(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.severity = Severity::kError;
  finding.phase = Phase::kRun;
  finding.message = event.message;
  bool aten = IsAtenAssert(event);
  finding.category = aten ? Category::kRuntimeCrash : Category::kTritonKernel;
  bool bounds = Contains(event.reason, "index out of bounds");
  finding.cause = aten     ? "other"
                  : bounds ? "index-out-of-bounds"
                           : "device-assert";
  if (!aten) finding.backend = "inductor";
}

// What a draft export had to assume or could not trace.
void JudgeExportIssue(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.category = Category::kGraphBreak;
  finding.cause = event.name == "missing-fake-kernel" ? "missing-fake-kernel"
                  : event.name == "data-dependent"    ? "data-dependent-guard"
                  : event.name == "guard-added"       ? "constraint-violation"
                                                      : "fake-tensor-error";
  finding.message = event.message;
  finding.reason = event.reason.empty() ? event.message : event.reason;
  finding.phase = Phase::kTrace;
  finding.compile_mode = CompileMode::kExportDraft;
  SetUserFrame(InnermostUserFrame(event.frames, true), &finding);
}

// A job that ended badly for a reason that the log does not show.
void JudgeJob(const Event& event, Draft* draft) {
  Finding& finding = draft->finding;
  finding.category = Category::kOther;
  finding.cause = "other";
  finding.severity = Severity::kError;
  finding.message = event.message;
  draft->pt2 = false;
  draft->collateral = true;
}

// A failed test of which only the summary line says why.
void JudgeTest(const Event& event, const SourceContext& context, Draft* draft) {
  if (event.name != "failed" && event.name != "error") return;
  if (!event.blocks.empty()) {
    JudgeException(event, context, draft);
    return;
  }
  Finding& finding = draft->finding;
  finding.category = Category::kOther;
  finding.cause = "other";
  finding.severity = Severity::kError;
  finding.message = event.message.empty() ? event.test_id : event.message;
  draft->pt2 = false;
}

}  // namespace

bool IsAtenAssert(const Event& event) {
  return Contains(event.name, "aten/") || Contains(event.name, "ATen/") ||
         Contains(event.name, "ATen\\") || event.name.ends_with(".cu") ||
         event.name.ends_with(".cuh") || event.name.ends_with(".hip");
}

Draft Classify(const Event& event, const SourceContext& context) {
  Draft draft;
  draft.event = &event;
  Finding& finding = draft.finding;
  finding.count = 1 + event.repeats;
  finding.evidence.push_back(event.evidence);
  if (event.compile_id) finding.compile_id = event.compile_id->ToString();
  finding.ranks = event.repeat_ranks;
  if (event.rank >= 0) AddRanks({event.rank}, &finding.ranks);
  if (!event.test_id.empty()) finding.test_id = event.test_id;
  if (event.origin != nullptr) {
    const Origin& origin = *event.origin;
    if (!origin.job.empty()) finding.job = origin.job;
    if (!origin.step.empty()) finding.step = origin.step;
    if (!origin.attempt.empty()) finding.attempt = origin.attempt;
  }
  if (!event.time.empty()) finding.first_time = finding.last_time = event.time;
  switch (event.kind) {
    case EventKind::kGraphBreak:
      JudgeGraphBreak(event, &draft);
      break;
    case EventKind::kRecompile:
    case EventKind::kRecompileLimit:
      JudgeRecompile(event, &draft);
      break;
    case EventKind::kSkippedFrame:
    case EventKind::kException:
      JudgeException(event, context, &draft);
      if (event.kind == EventKind::kSkippedFrame) {
        finding.severity = Severity::kWarning;
        finding.compile_mode = CompileMode::kCompile;
        bool user_code = false;
        for (const ExceptionBlock& block : event.blocks) {
          user_code = user_code || !block.user_frames.empty();
        }
        if (!user_code && event.user_frame) {
          finding.user_frame = event.user_frame;
        }
      }
      break;
    case EventKind::kAccuracy:
      JudgeAccuracy(event, &draft);
      break;
    case EventKind::kCrash:
      JudgeCrash(event, &draft);
      break;
    case EventKind::kDeviceAssert:
      JudgeAssert(event, &draft);
      break;
    case EventKind::kTest:
      JudgeTest(event, context, &draft);
      break;
    case EventKind::kExportIssue:
      JudgeExportIssue(event, &draft);
      break;
    case EventKind::kJobFailure:
      JudgeJob(event, &draft);
      break;
    case EventKind::kNotice:
      break;
  }
  return draft;
}

}  // namespace pt2triage
