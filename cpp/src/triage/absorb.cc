#include "triage/absorb.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/job_lines.h"
#include "triage/frame_owner.h"
#include "triage/normal_forms.h"
#include "triage/ranks.h"
#include "triage/run_time_rules.h"

namespace pt2triage {
namespace {

// Logged tracebacks that say that torch went on without the thing that failed.
constexpr std::string_view kSurvived[] = {
    "failed to eagerly compile backwards",
    "CUDA compilation error during autotuning",
    "failed while attempting to run meta",
    "fake tensor raised ",
};

PT2TRIAGE_WATCH_TABLE(kSurvived, row);

std::string LinkKey(uint32_t source, const ChainLink& link) {
  return std::to_string(source) + '|' + std::string(AfterLast(link.type, '.')) +
         '|' + NormaliseText(Trim(FirstLine(link.message)).substr(0, 160));
}

uint32_t SourceOf(const Draft& draft) { return draft.event->evidence.source; }

void Take(Draft* into, Draft* from) {
  Finding& a = into->finding;
  Finding& b = from->finding;
  a.evidence.insert(a.evidence.end(), b.evidence.begin(), b.evidence.end());
  AddRanks(b.ranks, &a.ranks);
  if (!a.user_frame) a.user_frame = b.user_frame;
  if (a.compile_mode == CompileMode::kUnknown) a.compile_mode = b.compile_mode;
  if (!a.test_id) a.test_id = b.test_id;
  b.category = Category::kNone;  // gone
}

bool IsGone(const Draft& draft) {
  return draft.finding.category == Category::kNone;
}

bool IsRaised(const Draft& draft) {
  return draft.event->kind == EventKind::kException && !draft.event->logged;
}

bool IsBare(const Draft& draft) {
  return IsRaised(draft) && draft.event->name == "bare";
}

// Of a graph break that happens again PyTorch prints the place without the
// stack, so without the function's name: it is that of the first time.
void NameRepeatedBreaks(std::vector<Draft>* drafts) {
  FlatMap<std::string, std::string> functions;  // by place
  for (Draft& draft : *drafts) {
    Finding& finding = draft.finding;
    if (draft.event->kind != EventKind::kGraphBreak || !finding.user_frame) {
      continue;
    }
    StackFrame& frame = *finding.user_frame;
    std::string key = std::to_string(SourceOf(draft)) + '|' + frame.file + ':' +
                      std::to_string(frame.line);
    if (!frame.function.empty()) {
      functions.emplace(std::move(key), frame.function);
    } else if (draft.event->duplicate) {
      const auto first = functions.find(key);
      if (first != functions.end()) frame.function = first->second;
    }
  }
}

// Bare lines and logged tracebacks that a full traceback says better.
void AbsorbRepeats(std::vector<Draft>* drafts) {
  FlatMap<std::string, size_t> full;
  for (size_t i = 0; i < drafts->size(); ++i) {
    Draft& draft = (*drafts)[i];
    if (!IsRaised(draft) || IsBare(draft)) continue;
    for (const ChainLink& link : draft.finding.exception_chain) {
      full.emplace(LinkKey(SourceOf(draft), link), i);
    }
  }
  FlatMap<std::string, size_t> bare;
  for (size_t i = 0; i < drafts->size(); ++i) {
    Draft& draft = (*drafts)[i];
    bool logged =
        draft.event->kind == EventKind::kException && draft.event->logged;
    if (IsGone(draft) || (!IsBare(draft) && !logged)) continue;
    for (const std::string_view& survived : kSurvived) {
      if (logged && Contains(draft.event->message, survived)) {
        NoteRule(&survived);
        draft.finding.category = Category::kNone;
      }
    }
    if (IsGone(draft) || draft.finding.exception_chain.empty()) continue;
    std::string key =
        LinkKey(SourceOf(draft), draft.finding.exception_chain.front());
    auto found = full.find(key);
    if (found != full.end()) {
      Take(&(*drafts)[found->second], &draft);
    } else if (IsBare(draft)) {
      auto [first, inserted] = bare.emplace(std::move(key), i);
      if (!inserted) Take(&(*drafts)[first->second], &draft);
    }
  }
}

bool IsUsers(const std::optional<StackFrame>& frame) {
  return frame && OwnerOf(frame->file) == FrameOwner::kUser;
}

bool MayBeSame(const Finding& a, const Finding& b) {
  if (a.test_id && b.test_id && *a.test_id != *b.test_id) return false;
  if (!IsUsers(a.user_frame) || !IsUsers(b.user_frame)) return true;
  return BaseName(a.user_frame->file) == BaseName(b.user_frame->file) &&
         a.user_frame->function == b.user_frame->function;
}

// One failure that several loggers or processes of a source print, each with
// the frames that it has. Two places in the user's code are two failures.
void AbsorbReprints(std::vector<Draft>* drafts) {
  FlatMap<std::string, size_t> first;
  for (size_t i = 0; i < drafts->size(); ++i) {
    Draft& draft = (*drafts)[i];
    if (!IsRaised(draft) || IsGone(draft) || !draft.pt2 ||
        !draft.finding.exception) {
      continue;
    }
    std::string key = LinkKey(
        SourceOf(draft), {*draft.finding.exception, *draft.finding.message});
    // What the message announces is what tells failures apart.
    size_t line = draft.finding.message->find('\n');
    if (draft.finding.message->substr(0, line).ends_with(':') &&
        line != std::string::npos) {
      key += NormaliseText(
          Trim(FirstLine(draft.finding.message->substr(line + 1))));
    }
    auto [found, inserted] = first.emplace(std::move(key), i);
    if (inserted) continue;
    Draft& before = (*drafts)[found->second];
    if (!MayBeSame(before.finding, draft.finding)) continue;
    if (!IsUsers(before.finding.user_frame) &&
        (IsUsers(draft.finding.user_frame) || !before.finding.user_frame)) {
      before.finding.user_frame = draft.finding.user_frame;
    }
    if (before.finding.exception_chain.size() <
        draft.finding.exception_chain.size()) {
      before.finding.exception_chain = draft.finding.exception_chain;
    }
    Take(&before, &draft);
  }
}

// TorchExportError and the like, printed without their cause.
void AbsorbReraises(std::vector<Draft>* drafts) {
  Draft* before = nullptr;
  Draft* waiting = nullptr;  // a re-raise printed before what it re-raises
  for (Draft& draft : *drafts) {
    if (IsGone(draft)) continue;
    bool bare_cause = waiting != nullptr && IsBare(draft) && draft.pt2 &&
                      SourceOf(*waiting) == SourceOf(draft);
    if (bare_cause) {
      std::vector<ChainLink>& chain = draft.finding.exception_chain;
      chain.insert(chain.begin(), waiting->finding.exception_chain.front());
      Take(&draft, waiting);
      waiting = nullptr;
    }
    if (draft.collateral && !draft.finding.exception_chain.empty() &&
        before == nullptr) {
      waiting = &draft;
    }
    if (draft.collateral && !draft.finding.exception_chain.empty() &&
        before != nullptr && SourceOf(*before) == SourceOf(draft)) {
      std::vector<ChainLink>& chain = before->finding.exception_chain;
      chain.insert(chain.begin(), draft.finding.exception_chain.front());
      Take(before, &draft);
    } else if (IsRaised(draft) && draft.pt2) {
      before = &draft;
    }
  }
}

bool IsDeviceError(const Finding& finding) {
  for (const ChainLink& link : finding.exception_chain) {
    if (LostDevice(link.message)) return true;
  }
  return false;
}

void AbsorbAsserts(std::vector<Draft>* drafts) {
  FlatMap<uint32_t, size_t> errors;
  for (size_t i = 0; i < drafts->size(); ++i) {
    if (IsDeviceError((*drafts)[i].finding)) {
      errors.emplace(SourceOf((*drafts)[i]), i);
    }
  }
  for (Draft& draft : *drafts) {
    if (draft.event->kind != EventKind::kDeviceAssert) continue;
    auto found = errors.find(SourceOf(draft));
    if (found == errors.end()) continue;
    Draft& error = (*drafts)[found->second];
    if (error.finding.evidence.size() < 16) {
      Take(&error, &draft);
    } else {
      draft.finding.category = Category::kNone;
    }
  }
}

// RMSE line, `Accuracy failed ...`, verdict and AccuracyError of one check.
void AbsorbAccuracy(std::vector<Draft>* drafts) {
  FlatMap<uint32_t, size_t> raised;
  for (size_t i = 0; i < drafts->size(); ++i) {
    const Draft& draft = (*drafts)[i];
    if (IsRaised(draft) && draft.finding.category == Category::kAccuracy) {
      raised.emplace(SourceOf(draft), i);
    }
  }
  Draft* before = nullptr;
  for (Draft& draft : *drafts) {
    if (draft.event->kind != EventKind::kAccuracy || IsGone(draft)) continue;
    auto found = raised.find(SourceOf(draft));
    if (found != raised.end()) {
      Take(&(*drafts)[found->second], &draft);
      continue;
    }
    bool detail =
        before != nullptr && SourceOf(*before) == SourceOf(draft) &&
        draft.event->name != "rmse" &&
        draft.event->name != "check-did-not-run" &&
        draft.event->evidence.line <= before->event->evidence.line + 4;
    if (detail) {
      Take(before, &draft);
    } else {
      before = &draft;
    }
  }
}

// A shell's word on the death that a process itself reported; each report
// takes one such word.
void AbsorbShellCrashes(std::vector<Draft>* drafts) {
  std::vector<Draft*> reports;
  FlatMap<const Draft*, uint64_t> deaths;  // equal reports are one draft
  FlatMap<const Draft*, uint64_t> spoken;
  FlatSet<const Draft*> told_by_shell;
  for (Draft& draft : *drafts) {
    if (draft.event->kind != EventKind::kCrash || IsGone(draft)) continue;
    if (draft.event->value != "shell") {
      reports.push_back(&draft);
      deaths[&draft] = draft.finding.count;
      continue;
    }
    auto report = std::find_if(
        reports.rbegin(), reports.rend(), [&](const Draft* earlier) {
          return SourceOf(*earlier) == SourceOf(draft) &&
                 (earlier->event->name == draft.event->name ||
                  earlier->event->name == "GPU");
        });
    if (report == reports.rend()) {
      // A launcher's row tells of a death of which a shell's word came before.
      if (!draft.finding.message.value_or("").starts_with("traceback :")) {
        reports.push_back(&draft);
        deaths[&draft] = draft.finding.count;
        spoken[&draft] = 0;
        told_by_shell.insert(&draft);
      }
      continue;
    }
    // Two shells' words are two deaths.
    if (told_by_shell.contains(*report) &&
        !draft.finding.message.value_or("").starts_with("traceback :")) {
      continue;
    }
    uint64_t& words = spoken[*report];
    Take(*report, &draft);
    if (++words >= deaths[*report]) reports.erase(std::next(report).base());
  }
}

// The abort in which a device's fault ends once Python has raised it.
void AbsorbAborts(std::vector<Draft>* drafts) {
  FlatMap<uint32_t, Draft*> faults;
  for (Draft& draft : *drafts) {
    if (IsGone(draft) || draft.finding.category != Category::kRuntimeCrash) {
      continue;
    }
    if (IsRaised(draft)) {
      faults[SourceOf(draft)] = &draft;
    } else if (draft.event->kind == EventKind::kCrash) {
      auto raised = faults.find(SourceOf(draft));
      bool same = raised != faults.end() &&
                  raised->second->finding.cause == draft.finding.cause;
      if (same) Take(raised->second, &draft);
    }
  }
}

// Of the lines that say only that a job failed, the one that tells most.
void AbsorbJobLines(std::vector<Draft>* drafts) {
  FlatMap<uint32_t, Draft*> best;
  for (Draft& draft : *drafts) {
    if (draft.event->kind != EventKind::kJobFailure || IsGone(draft)) continue;
    auto [found, first] = best.emplace(SourceOf(draft), &draft);
    if (first) continue;
    if (JobLineRank(*draft.event) > JobLineRank(*found->second->event)) {
      std::swap(draft.finding.message, found->second->finding.message);
      found->second->event = draft.event;
    }
    Take(found->second, &draft);
  }
}

// A limit's warning, or a recompile's record, goes into the exception that the
// same rank raised for it.
void AbsorbRecompiles(std::vector<Draft>* drafts) {
  FlatMap<std::string, Draft*> records;  // the newest, by source, rank and kind
  for (Draft& draft : *drafts) {
    if (IsGone(draft)) continue;
    bool limit = draft.event->kind == EventKind::kRecompileLimit ||
                 draft.finding.cause == "limit-reached";
    std::string key = std::to_string(SourceOf(draft)) + '|' +
                      std::to_string(draft.event->rank) + (limit ? "l" : "r");
    if (draft.event->kind == EventKind::kRecompileLimit ||
        draft.event->kind == EventKind::kRecompile) {
      records[key] = &draft;
      continue;
    }
    if (!IsRaised(draft) ||
        draft.finding.category != Category::kRecompilation) {
      continue;
    }
    auto found = records.find(key);
    if (found == records.end()) continue;
    Finding& from = found->second->finding;
    Finding& to = draft.finding;
    if (!limit && to.user_frame && from.user_frame != to.user_frame) continue;
    if (from.user_frame) to.user_frame = from.user_frame;
    if (to.guard_failures.empty()) to.guard_failures = from.guard_failures;
    if (to.cause == "other") to.cause = from.cause;
    if (!to.compile_id) to.compile_id = from.compile_id;
    Take(&draft, found->second);
    records.erase(found);
  }
}

// A limit's warning that pytest shows below the exception of the same test.
void AbsorbCapturedLimits(std::vector<Draft>* drafts) {
  Draft* raised = nullptr;
  for (Draft& draft : *drafts) {
    if (IsGone(draft)) continue;
    if (IsRaised(draft) && draft.finding.test_id &&
        draft.finding.cause == "limit-reached") {
      raised = &draft;
      continue;
    }
    bool captured = draft.event->kind == EventKind::kRecompileLimit &&
                    raised != nullptr && SourceOf(*raised) == SourceOf(draft) &&
                    raised->finding.test_id == draft.finding.test_id;
    if (!captured) continue;
    Finding& from = draft.finding;
    Finding& to = raised->finding;
    if (from.user_frame) to.user_frame = from.user_frame;
    if (to.guard_failures.empty()) to.guard_failures = from.guard_failures;
    Take(raised, &draft);
  }
}

bool SamePlace(const Finding& a, const Finding& b) {
  if (!a.user_frame || !b.user_frame) return true;
  return BaseName(a.user_frame->file) == BaseName(b.user_frame->file) &&
         a.user_frame->line == b.user_frame->line;
}

// A trace that names no exception, where the log does.
void AbsorbUnnamed(std::vector<Draft>* drafts) {
  for (Draft& draft : *drafts) {
    const bool unnamed = draft.event->from_trace && IsRaised(draft) &&
                         !IsGone(draft) && !draft.finding.exception &&
                         draft.finding.category == Category::kGraphBreak;
    if (!unnamed) continue;
    auto named =
        std::find_if(drafts->begin(), drafts->end(), [&](const Draft& other) {
          return IsRaised(other) && !IsGone(other) && other.finding.exception &&
                 other.finding.category == Category::kGraphBreak &&
                 SamePlace(other.finding, draft.finding);
        });
    if (named != drafts->end()) Take(&*named, &draft);
  }
}

}  // namespace

void AbsorbDetails(std::vector<Draft>* drafts) {
  NameRepeatedBreaks(drafts);
  AbsorbRecompiles(drafts);  // by rank, so before ranks are merged
  AbsorbCapturedLimits(drafts);
  AbsorbRepeats(drafts);
  AbsorbReprints(drafts);
  AbsorbReraises(drafts);
  AbsorbAsserts(drafts);
  AbsorbAccuracy(drafts);
  AbsorbUnnamed(drafts);
  AbsorbShellCrashes(drafts);
  AbsorbAborts(drafts);
  AbsorbJobLines(drafts);
  std::erase_if(*drafts, IsGone);
}

}  // namespace pt2triage
