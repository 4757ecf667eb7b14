#include "triage/triage.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/strings.h"
#include "event/recompile.h"
#include "event/test_command.h"
#include "triage/absorb.h"
#include "triage/classify.h"
#include "triage/dedupe.h"
#include "triage/fingerprint.h"
#include "triage/frame_owner.h"
#include "triage/ranks.h"
#include "triage/remedies.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxEvidence = 64;  // of one finding
constexpr size_t kMaxGuards = 64;

std::vector<SourceContext> ContextsOf(const std::vector<Event>& events) {
  std::vector<SourceContext> contexts;
  for (const Event& event : events) {
    size_t source = event.evidence.source;
    if (source >= contexts.size()) contexts.resize(source + 1);
    if (event.kind != EventKind::kDeviceAssert) continue;
    bool aten = IsAtenAssert(event);
    contexts[source].aten_assert = contexts[source].aten_assert || aten;
    bool bounds = Contains(event.reason, "index out of bounds");
    contexts[source].bounds_assert |= !aten && bounds;
    contexts[source].generated_assert =
        contexts[source].generated_assert || !aten;
  }
  return contexts;
}

// The warning about a break says nothing new where the source has records.
void DropAdvice(std::vector<Event>* events) {
  FlatSet<uint32_t> recorded;
  for (const Event& event : *events) {
    if (event.kind == EventKind::kGraphBreak && event.value != "advice") {
      recorded.insert(event.evidence.source);
    }
  }
  std::erase_if(*events, [&](const Event& event) {
    return event.value == "advice" && recorded.contains(event.evidence.source);
  });
}

// --- counts -----------------------------------------------------------------

std::string RecompileKey(const StackFrame& frame,
                         const std::vector<GuardFailure>& guards) {
  std::string key =
      frame.function + '|' + frame.file + '|' + std::to_string(frame.line);
  for (const GuardFailure& guard : guards) key += '|' + guard.guard;
  return key;
}

void CountKind(EventKind kind, uint64_t times, Counts* counts) {
  switch (kind) {
    case EventKind::kGraphBreak:
      counts->graph_breaks += times;
      return;
    case EventKind::kRecompile:
      counts->recompiles += times;
      return;
    case EventKind::kRecompileLimit:
      counts->recompile_limit_hits += times;
      return;
    case EventKind::kSkippedFrame:
      counts->skipped_frames += times;
      return;
    case EventKind::kDeviceAssert:
      counts->device_asserts += times;
      return;
    default:
      return;
  }
}

// An exception, also one that only a runner's summary prints.
bool IsRaised(const Event& event) {
  return event.kind == EventKind::kException ||
         (event.kind == EventKind::kTest && !event.blocks.empty());
}

Counts CountEvents(const std::vector<Event>& events,
                   const std::vector<Draft>& drafts) {
  Counts counts;
  for (const Event& event : events) {
    // torch's own counter leaves out the breaks that skip the whole frame.
    bool skip = event.kind == EventKind::kGraphBreak && event.name == "skip";
    CountKind(skip ? EventKind::kSkippedFrame : event.kind, 1 + event.repeats,
              &counts);
    if (event.kind != EventKind::kRecompile) continue;
    counts.guard_failures += (1 + event.repeats) * event.guards.size();
  }
  FlatSet<std::string> logged;
  for (const Draft& draft : drafts) {
    const Finding& finding = draft.finding;
    if (draft.event->kind == EventKind::kRecompile && finding.user_frame) {
      logged.insert(RecompileKey(*finding.user_frame, finding.guard_failures));
    }
  }
  // RecompileError is the record's text; without the log it stands for it.
  for (const Draft& draft : drafts) {
    const Finding& finding = draft.finding;
    bool raised = IsRaised(*draft.event) && !finding.guard_failures.empty() &&
                  finding.user_frame;
    if (raised &&
        logged.insert(RecompileKey(*finding.user_frame, finding.guard_failures))
            .second) {
      ++counts.recompiles;
      counts.guard_failures += finding.guard_failures.size();
    }
  }
  return counts;
}

// What is counted once repeats are merged.
void CountFailures(const std::vector<Draft>& drafts, Counts* counts) {
  FlatSet<std::string> exceptions;
  for (const Draft& draft : drafts) {
    const Finding& finding = draft.finding;
    if (finding.category == Category::kAccuracy) ++counts->accuracy_failures;
    if (draft.event->kind == EventKind::kCrash)
      counts->crashes += finding.count;
    if (IsRaised(*draft.event) && !draft.event->logged &&
        !finding.exception_chain.empty()) {
      exceptions.insert(finding.fingerprint + finding.test_id.value_or(""));
    }
  }
  counts->exceptions = exceptions.size();
}

// --- merging ----------------------------------------------------------------

template <typename T>
void AppendNew(const std::vector<T>& from, size_t limit, std::vector<T>* to) {
  for (const T& item : from) {
    if (to->size() >= limit) return;
    if (std::find(to->begin(), to->end(), item) == to->end()) {
      to->push_back(item);
    }
  }
}

void MergeInto(Finding* into, Finding&& from) {
  into->count += from.count;
  for (Evidence& evidence : from.evidence) {
    if (into->evidence.size() < kMaxEvidence) {
      into->evidence.push_back(evidence);
    }
  }
  AppendNew(from.guard_failures, kMaxGuards, &into->guard_failures);
  AddRanks(from.ranks, &into->ranks);
  // Of a limit, the record whose first line was not lost.
  if (from.message && from.message->starts_with(kLimitHead) &&
      !into->message->starts_with(kLimitHead)) {
    into->message = from.message;
  }
  into->severity = std::max(into->severity, from.severity);
  if (from.exception_chain.size() > into->exception_chain.size()) {
    into->exception_chain = std::move(from.exception_chain);
  }
  if (!into->explanation) into->explanation = std::move(from.explanation);
  if (into->hints.empty()) into->hints = std::move(from.hints);
  if (!into->graph_break_id) into->graph_break_id = from.graph_break_id;
  if (!into->compile_id) into->compile_id = from.compile_id;
  if (!into->raised_at) into->raised_at = std::move(from.raised_at);
  if (into->phase == Phase::kUnknown) into->phase = from.phase;
  if (into->compile_mode == CompileMode::kUnknown) {
    into->compile_mode = from.compile_mode;
  }
  if (!into->job) {
    into->job = std::move(from.job);
    if (!into->step) into->step = std::move(from.step);
    if (!into->attempt) into->attempt = std::move(from.attempt);
  }
  if (from.last_time) into->last_time = std::move(from.last_time);
}

// How soon a finding should be looked at; lower is sooner.
int ImportanceOf(const Draft& draft) {
  const Finding& finding = draft.finding;
  if (finding.severity == Severity::kError) {
    if (finding.flaky) return 5;
    // What a test's report tells of its child did not end the run.
    bool ended_run =
        draft.event->kind == EventKind::kCrash && draft.pt2 && !finding.test_id;
    if (ended_run) return 0;
    if (!draft.pt2) return draft.collateral ? 4 : 3;
    return draft.collateral ? 2 : 1;
  }
  bool limit = draft.event->kind == EventKind::kRecompileLimit;
  bool suppressed = draft.event->kind == EventKind::kSkippedFrame ||
                    draft.event->kind == EventKind::kException;
  return suppressed ? 5 : limit ? 6 : 7;
}

// Findings are large, so they stay where they are: in the first of equal
// drafts.
struct Ranked {
  Finding* finding;
  int importance = 0;
  uint64_t order = 0;
  Program program;
};

std::string FunctionKey(const Finding& finding) {
  return finding.user_frame
             ? finding.user_frame->file + '|' + finding.user_frame->function
             : std::string();
}

struct Tally {
  GuardFailure guard;
  uint64_t times = 0;
};
// How often each guard of a function failed, by FunctionKey().
using Tallies = FlatMap<std::string, std::vector<Tally>>;

// Of the recompiles that were logged; before their findings are merged.
Tallies TallyGuards(const std::vector<Draft>& drafts) {
  Tallies functions;
  for (const Draft& draft : drafts) {
    if (draft.event->kind != EventKind::kRecompile) continue;
    std::vector<Tally>& tallies = functions[FunctionKey(draft.finding)];
    for (const GuardFailure& guard : draft.finding.guard_failures) {
      auto same =
          std::find_if(tallies.begin(), tallies.end(), [&](const Tally& tally) {
            return tally.guard.cause == guard.cause &&
                   tally.guard.source == guard.source;
          });
      if (same != tallies.end()) {
        same->times += draft.finding.count;
      } else if (tallies.size() < kMaxGuards) {
        tallies.push_back({guard, draft.finding.count});
      }
    }
  }
  return functions;
}

// A limit's record names the last guard only. Of a function whose recompiles
// were logged, the guard that failed most often comes first.
void NameTheDrivingGuards(const Tallies& functions,
                          std::vector<Ranked>* ranked) {
  for (Ranked& item : *ranked) {
    Finding& finding = *item.finding;
    if (finding.cause != "limit-reached") continue;
    auto found = functions.find(FunctionKey(finding));
    if (found == functions.end() || found->second.empty()) continue;
    auto most = std::max_element(
        found->second.begin(), found->second.end(),
        [](const Tally& a, const Tally& b) { return a.times < b.times; });
    const bool first =
        !finding.guard_failures.empty() &&
        finding.guard_failures.front().cause == most->guard.cause &&
        finding.guard_failures.front().source == most->guard.source;
    if (!first) {
      finding.guard_failures.insert(finding.guard_failures.begin(),
                                    most->guard);
    }
  }
}

// The program that was run: the outermost frame of a module that is the
// user's, empty if the traceback has none.
std::string ScriptOf(const Event& event) {
  for (const ExceptionBlock& block : event.blocks) {
    for (const StackFrame& frame : block.frames) {
      if (frame.function != "<module>") continue;
      bool script = OwnerOf(frame.file) == FrameOwner::kUser &&
                    frame.file.ends_with(".py") &&
                    !Contains(frame.file, "ipykernel_");
      if (script) return frame.file;
    }
  }
  return {};
}

// Which of the kept findings gives way to a more important one: the least
// important, of several the last. Cost: the logarithm of their number.
class LeastImportant {
 public:
  // Borrows the findings.
  explicit LeastImportant(const std::vector<Ranked>& kept) : kept_(kept) {
    for (size_t i = 0; i < kept.size(); ++i) {
      queue_.emplace(kept[i].importance, i);
    }
  }
  // Its index if it is less important than `importance`; its place is taken.
  std::optional<size_t> GiveWayTo(int importance) {
    while (queue_.top().first > importance) {
      const auto [known, index] = queue_.top();
      queue_.pop();
      const bool grown = kept_[index].importance != known;  // by a merge
      queue_.emplace(grown ? kept_[index].importance : importance, index);
      if (!grown) return index;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Ranked>& kept_;
  std::priority_queue<std::pair<int, size_t>>
      queue_;  // higher is less important
};

std::vector<Ranked> MergeEqual(std::vector<Draft>* drafts, uint64_t* omitted) {
  std::vector<Ranked> merged;
  std::vector<size_t*> places;  // of each in `seen`, which does not move them
  std::optional<LeastImportant> least;
  FlatMap<std::string, size_t> seen;
  for (Draft& draft : *drafts) {
    Finding& finding = draft.finding;
    std::string key = finding.fingerprint + '|' + finding.test_id.value_or("");
    auto [found, inserted] = seen.emplace(std::move(key), merged.size());
    int importance = ImportanceOf(draft);
    if (!inserted) {
      if (found->second >= merged.size()) continue;  // omitted
      Ranked& ranked = merged[found->second];
      ranked.importance = std::min(ranked.importance, importance);
      MergeInto(ranked.finding, std::move(finding));
      continue;
    }
    Ranked ranked = {
        &finding, importance, draft.order, {ScriptOf(*draft.event), {}}};
    if (merged.size() < kMaxFindings) {
      merged.push_back(std::move(ranked));
      places.push_back(&found->second);
      continue;
    }
    ++*omitted;
    if (!least) least.emplace(merged);
    const std::optional<size_t> index = least->GiveWayTo(importance);
    found->second = index.value_or(SIZE_MAX);
    if (!index) continue;
    *std::exchange(places[*index], &found->second) = SIZE_MAX;
    merged[*index] = std::move(ranked);
  }
  return merged;
}

void Order(std::vector<Ranked>* ranked) {
  std::stable_sort(
      ranked->begin(), ranked->end(), [](const Ranked& a, const Ranked& b) {
        if (a.importance != b.importance) {
          return a.importance < b.importance;
        }
        if (a.importance == 7 && a.finding->count != b.finding->count)
          return a.finding->count > b.finding->count;
        // A record whose head is cut off names no place.
        if (a.importance == 7 && a.finding->user_frame.has_value() !=
                                     b.finding->user_frame.has_value())
          return a.finding->user_frame.has_value();
        return a.order < b.order;
      });
}

// `Class.test` of a heading as the node id that the summary prints.
void UseNodeIds(const std::vector<Event>& events, std::vector<Draft>* drafts) {
  FlatMap<std::string, const Event*> by_name;  // Class::test -> summary line
  for (const Event& event : events) {
    if (event.kind != EventKind::kTest) continue;
    size_t file = event.test_id.find("::");
    if (file == std::string::npos) continue;
    by_name.emplace(event.test_id.substr(file + 2), &event);
  }
  if (by_name.empty()) return;
  for (Draft& draft : *drafts) {
    if (!draft.finding.test_id) continue;
    std::string name = *draft.finding.test_id;
    for (size_t at;
         (at = name.find('.')) != std::string::npos && at < name.find('[');) {
      name.replace(at, 1, "::");
    }
    auto found = by_name.find(name);
    if (found != by_name.end()) draft.finding.test_id = found->second->test_id;
  }
}

// PyTorch's own command for a test that failed.
void UseTestCommands(const std::vector<Event>& events,
                     std::vector<Ranked>* ranked) {
  FlatMap<std::string_view, std::string_view> commands;
  for (const Event& event : events) {
    if (event.name == "test-command") {
      commands.emplace(event.test_id, event.value);
    }
  }
  if (commands.empty()) return;
  for (Ranked& item : *ranked) {
    if (!item.finding->test_id) continue;
    auto found = commands.find(ClassAndName(*item.finding->test_id));
    if (found != commands.end()) item.program.command = found->second;
  }
}

// The rank that a launcher's table names as the first to fail, for the first
// failure of its source where that prints none.
void UseLaunchersRanks(const std::vector<Event>& events,
                       std::vector<Draft>* drafts) {
  for (const Event& event : events) {
    if (event.name != "root-cause-rank") continue;
    auto failure =
        std::find_if(drafts->begin(), drafts->end(), [&](const Draft& draft) {
          return !draft.collateral && draft.pt2 &&
                 draft.finding.severity == Severity::kError &&
                 draft.event->evidence.source == event.evidence.source;
        });
    if (failure != drafts->end() && failure->finding.ranks.empty()) {
      failure->finding.ranks.push_back(event.rank);
    }
  }
}

// The test that a crashed worker ran, for the first crash without one: the
// dump itself names none.
void UseWorkerCrashes(const std::vector<Event>& events,
                      std::vector<Draft>* drafts) {
  for (const Event& event : events) {
    if (event.name != "worker-crash") continue;
    for (Draft& draft : *drafts) {
      if (draft.event->kind != EventKind::kCrash || draft.finding.test_id ||
          draft.event->evidence.source != event.evidence.source) {
        continue;
      }
      draft.finding.test_id = event.test_id;
      break;
    }
  }
}

// A failure of a test that passed when it was run again is flaky.
void MarkFlaky(const std::vector<Event>& events, std::vector<Draft>* drafts) {
  FlatSet<std::string> passed;
  for (const Event& event : events) {
    if (event.kind != EventKind::kTest) continue;
    if (event.name == "passed-again") passed.insert(event.test_id);
    if (event.name == "failed-again") passed.erase(event.test_id);
  }
  if (passed.empty()) return;
  for (Draft& draft : *drafts) {
    if (!draft.finding.test_id) continue;
    draft.finding.flaky = passed.contains(*draft.finding.test_id);
  }
}

// A summary line says nothing new of a test whose failure was printed.
void DropExplainedTests(std::vector<Draft>* drafts) {
  FlatSet<std::string> explained;
  for (const Draft& draft : *drafts) {
    if (draft.event->kind != EventKind::kTest && draft.finding.test_id &&
        draft.finding.severity == Severity::kError) {
      explained.insert(*draft.finding.test_id);
    }
  }
  std::erase_if(*drafts, [&](const Draft& draft) {
    return draft.event->kind == EventKind::kTest &&
           !explained.insert(*draft.finding.test_id).second;
  });
}

}  // namespace

Judgement Judge(std::vector<Event> events, const DroppedEvents& dropped) {
  DropSeenTwice(&events);
  DropAdvice(&events);
  std::vector<SourceContext> contexts = ContextsOf(events);
  Judgement judgement;
  std::vector<Draft> drafts;
  drafts.reserve(events.size());  // findings are large: no room to grow into
  uint64_t order = 0;
  for (const Event& event : events) {
    Draft draft = Classify(event, contexts[event.evidence.source]);
    draft.order = order++;
    if (draft.finding.category != Category::kNone) {
      drafts.push_back(std::move(draft));
    }
  }
  judgement.counts = CountEvents(events, drafts);
  AbsorbDetails(&drafts);
  UseLaunchersRanks(events, &drafts);
  UseWorkerCrashes(events, &drafts);
  UseNodeIds(events, &drafts);
  MarkFlaky(events, &drafts);
  DropExplainedTests(&drafts);
  for (Draft& draft : drafts) {
    draft.finding.fingerprint = FingerprintOf(draft.finding);
  }
  // A launcher's summary says nothing once the failure itself is known.
  bool real = std::any_of(drafts.begin(), drafts.end(), [](const Draft& draft) {
    return draft.finding.severity == Severity::kError && !draft.collateral;
  });
  if (real) {
    std::erase_if(drafts, [](const Draft& draft) {
      return draft.collateral && draft.finding.exception_chain.empty();
    });
  }
  CountFailures(drafts, &judgement.counts);
  for (size_t kind = 0; kind < dropped.size(); ++kind) {
    CountKind(static_cast<EventKind>(kind), dropped[kind], &judgement.counts);
    judgement.omitted += dropped[kind];
  }
  const Tallies tallies = TallyGuards(drafts);
  std::vector<Ranked> ranked = MergeEqual(&drafts, &judgement.omitted);
  NameTheDrivingGuards(tallies, &ranked);
  UseTestCommands(events, &ranked);
  Order(&ranked);
  std::vector<Event>().swap(events);  // whose memory the findings need
  judgement.findings.reserve(ranked.size());
  for (Ranked& item : ranked) {
    Finding& finding = *item.finding;
    AddRemedies(&finding, item.program);
    judgement.findings.push_back(std::move(finding));
  }
  return judgement;
}

}  // namespace pt2triage
