#include "event/trace_process.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "event/frames.h"
#include "event/graph_break.h"
#include "event/recompile.h"
#include "event/trace_facts.h"
#include "event/trace_recompile.h"
#include "event/traceback.h"
#include "record/log_record.h"

namespace pt2triage {
namespace {

// Longer names than any file system or program has.
constexpr size_t kMaxFile = 4096;
constexpr size_t kMaxFunction = 1024;

// What an entry of the names costs, about.
size_t NameBytes(const StackFrame& named) {
  return 2 * sizeof(StackFrame) + named.file.size() + named.function.size();
}

// What is kept of a stack, which every process has one of.
std::vector<StackFrame> Innermost(const std::vector<StackFrame>& stack) {
  constexpr size_t kMaxBytes = size_t{64} << 10;
  size_t bytes = 0;
  auto first = stack.end();
  while (first != stack.begin()) {
    const StackFrame& frame = *std::prev(first);
    bytes += sizeof(StackFrame) + frame.file.size() + frame.function.size() +
             frame.code.size();
    if (bytes > kMaxBytes) break;
    --first;
  }
  return {first, stack.end()};
}

bool IsSoft(const Event& event) {
  return !event.blocks.empty() && IsSoftFailure(event.blocks.back().type);
}

// `# File: /home/me/model.py:104 in forward, code: ...`, the last one in a
// printed graph: where tracing had got to.
std::optional<StackFrame> LastFileComment(std::string_view graph) {
  constexpr std::string_view kHead = "# File: ";
  const size_t at = graph.rfind(kHead);
  if (at == graph.npos) return std::nullopt;
  std::string_view line = graph.substr(at + kHead.size());
  line = line.substr(0, line.find('\n'));
  StackFrame frame;
  if (const size_t code = line.find(", code: "); code != line.npos) {
    frame.code = Trim(line.substr(code + 8));
    line = line.substr(0, code);
  }
  const size_t in = line.rfind(" in ");
  if (in == line.npos) return std::nullopt;
  frame.function = Trim(line.substr(in + 4));
  line = line.substr(0, in);
  const size_t colon = line.rfind(':');
  if (colon == line.npos) return std::nullopt;
  frame.file = line.substr(0, colon);
  frame.line = ToInt(line.substr(colon + 1)).value_or(0);
  return frame;
}

}  // namespace

bool TraceProcess::RecentIds::Contains(const CompileId& id) const {
  const auto end =
      ids_.begin() + static_cast<ptrdiff_t>(std::min(next_, kSize));
  return std::find(ids_.begin(), end, id) != end;
}

void TraceProcess::OnRecord(const TraceRecord& record, JsonParser* parser) {
  if (record.name == "dynamo_start") {
    OnStart(record);
  } else if (record.name == "compilation_metrics" ||
             record.name == "bwd_compilation_metrics") {
    OnMetrics(record, parser);
  } else if (record.artifact_name == "dynamo_graph_break_reason") {
    OnGraphBreak(record);
  } else if (record.artifact_name == "recompile_reasons") {
    OnRecompileReasons(record, parser);
  } else if (record.artifact_name == "dynamo_error") {
    OnError(record);
  } else if (record.artifact_name == "eager_compile_backwards_failure") {
    OnBackwardFailure(record);
  } else if (record.artifact_name == "fx_interpreter_error") {
    OnInterpreterError(record);
  } else if (record.artifact_name == "make_fx_fail_partial") {
    OnExportFailure(record);
  }
}

void TraceProcess::Finish() {
  EndFailure(/*process_goes_on=*/false);
  PlaceRecompiles(/*all=*/true);
  for (Event& event : std::exchange(breaks_to_place_, {})) {
    Emit(std::move(event));
  }
  EmitOnce(&interpreter_);
  EmitOnce(&observed_);
}

void TraceProcess::EmitOnce(std::optional<Event>* event) {
  if (*event) Emit(*std::move(*event));
  event->reset();
}

void TraceProcess::OnStart(const TraceRecord& record) {
  EndFailure(/*process_goes_on=*/true);
  observed_.reset();
  EmitOnce(&interpreter_);
  started_ = WithoutAttempt(record.compile_id.value_or(CompileId()));
  callers_ = Innermost(record.stack);
  if (const StackFrame* function = CompiledFunction(record.stack)) {
    NameFunction(started_, *function);
  }
  PlaceRecompiles(/*all=*/false);
}

void TraceProcess::OnGraphBreak(const TraceRecord& record) {
  Event event = EventFrom(record, EventKind::kGraphBreak, 'V');
  if (!ParseGraphBreakRecord(record.payload, &event)) {
    FillBreak(record.payload, &event);
    event.blocks = ParseTracebackText(record.payload);
    if (record.payload.starts_with(kWontConvert)) {
      event.kind = EventKind::kSkippedFrame;
      event.level = 'W';
      if (const StackFrame* function = FunctionOf(record.compile_id)) {
        event.user_frame = *function;
      }
    }
  }
  if (event.name == "skip") event.value = "frame";
  if (record.compile_id) breaks_.Add(*record.compile_id);
  // Up to 2.10 a skipped frame is told after its failure.
  if (failure_ && record.compile_id && IsSoft(failure_->event) &&
      SameCompile(failure_->event.compile_id.value_or(CompileId()),
                  *record.compile_id)) {
    if (event.reason.empty()) FillBreak(failure_->reason, &event);
    failure_.reset();
  }
  observed_.reset();
  if (auto block = ObservedException(event)) {
    Event observed = EventFrom(record, EventKind::kException, 0);
    observed.name = "observed_exception";
    observed.message = block->message;
    observed.blocks.push_back(*std::move(block));
    observed_ = std::move(observed);
  }
  Emit(std::move(event));
}

void TraceProcess::OnRecompileReasons(const TraceRecord& record,
                                      JsonParser* parser) {
  Waiting waiting = {EventFrom(record, EventKind::kRecompile, 'V'),
                     ReadRecompileReasons(record.payload, parser)};
  if (!waiting.reasons.empty()) last_reason_ = waiting.reasons.back();
  if (record.compile_id) recompiles_.Add(WithoutAttempt(*record.compile_id));
  recompiles_to_place_.push_back(std::move(waiting));
  PlaceRecompiles(recompiles_to_place_.size() > kMaxWaiting);
}

void TraceProcess::OnError(const TraceRecord& record) {
  EndFailure(/*process_goes_on=*/false);
  interpreter_.reset();
  Failure failure;
  failure.event = EventFrom(record, EventKind::kException, 0);
  failure.event.blocks = ParseTracebackText(record.payload);
  if (failure.event.blocks.empty()) {
    failure.event.blocks.emplace_back();
    failure.event.blocks.back().message = record.payload.substr(0, 4096);
  }
  WrapForeign(/*keeps_type=*/true, &failure.event.blocks.back());
  failure_ = std::move(failure);
}

// A backward that was compiled ahead of time, and is tried again when needed.
void TraceProcess::OnBackwardFailure(const TraceRecord& record) {
  Event event = EventFrom(record, EventKind::kException, 'W');
  event.logged = true;
  event.name = "eager_compile_backwards_failure";
  event.blocks = ParseTracebackText(record.payload);
  if (!event.blocks.empty()) Emit(std::move(event));
}

// Says which node failed, not with what; whoever ran the graph may catch it.
void TraceProcess::OnInterpreterError(const TraceRecord& record) {
  Event event = EventFrom(record, EventKind::kNotice, 0);
  event.name = "fx_interpreter_error";
  event.message = record.payload.substr(0, record.payload.find('\n'));
  constexpr std::string_view kStack = "\nOriginal traceback:\n";
  if (const size_t at = record.payload.find(kStack); at != std::string::npos) {
    event.frames =
        ParseStack(std::string_view(record.payload).substr(at + kStack.size()));
  }
  interpreter_ = std::move(event);
}

// make_fx gave up. Inside a compile the failure of that compile tells more;
// outside it is an export, of which the trace keeps how far it got.
void TraceProcess::OnExportFailure(const TraceRecord& record) {
  if (record.compile_id) return;
  Event event = EventFrom(record, EventKind::kException, 0);
  event.name = "make_fx_fail_partial";
  event.message = "make_fx could not trace the model";
  event.user_frame = LastFileComment(record.payload);
  ExceptionBlock block;
  block.frames = record.stack;
  if (event.user_frame) block.user_frames.push_back(*event.user_frame);
  event.blocks.push_back(std::move(block));
  Emit(std::move(event));
}

void TraceProcess::NameFunction(const CompileId& id,
                                const StackFrame& function) {
  if (id.frame < 0 || function.function.empty()) return;
  const auto [at, is_new] = functions_.try_emplace(id.frame);
  StackFrame& named = at->second;
  if (!is_new) name_bytes_ -= NameBytes(named);
  named.file = function.file.substr(0, kMaxFile);
  named.line = function.line;
  named.function = function.function.substr(0, kMaxFunction);
  name_bytes_ += NameBytes(named);
}

void TraceProcess::ForgetNames() {
  functions_ = {};
  name_bytes_ = 0;
}

const StackFrame* TraceProcess::FunctionOf(
    const std::optional<CompileId>& id) const {
  if (!id || id->frame < 0) return nullptr;
  const auto it = functions_.find(id->frame);
  return it == functions_.end() ? nullptr : &it->second;
}

// Hands out the recompiles whose function is known by now, in order.
void TraceProcess::PlaceRecompiles(bool all) {
  std::vector<Waiting> still;
  for (Waiting& waiting : recompiles_to_place_) {
    const StackFrame* function = FunctionOf(waiting.event.compile_id);
    if (function == nullptr && !all) {
      still.push_back(std::move(waiting));
      continue;
    }
    FillRecompile(function == nullptr ? StackFrame() : *function,
                  waiting.reasons, &waiting.event);
    Emit(std::move(waiting.event));
  }
  recompiles_to_place_ = std::move(still);
}

void TraceProcess::EndFailure(bool process_goes_on) {
  if (!failure_) return;
  Failure failure = *std::move(failure_);
  failure_.reset();
  if (IsControlFlow(failure.event.blocks.back().type)) return;
  if (failure.old) {
    EndOldFailure(std::move(failure), process_goes_on);
    return;
  }
  Event& event = failure.event;
  if (failure.suppressed) {
    event.kind = EventKind::kSkippedFrame;
    event.level = 'W';
    event.logged = true;
  }
  Emit(std::move(event));
}

void TraceProcess::EndOldFailure(Failure failure, bool process_goes_on) {
  Event& event = failure.event;
  Event graph_break = event;
  graph_break.kind = EventKind::kGraphBreak;
  graph_break.level = 'V';
  graph_break.logged = true;
  graph_break.name = "skip";
  graph_break.value = "frame";
  graph_break.blocks.clear();
  graph_break.frames = event.blocks.back().user_frames;
  if (!graph_break.frames.empty()) graph_break.user_frame.reset();
  FillBreak(failure.reason, &graph_break);
  std::optional<ExceptionBlock> observed = ObservedException(graph_break);
  // With fullgraph=True nothing is resumed.
  const bool survived = process_goes_on || failure.resumed || observed;
  if (!IsSoft(event) || !survived) {
    Emit(std::move(event));
    return;
  }
  Emit(std::move(graph_break));
  if (process_goes_on || !observed) return;
  event.name = "observed_exception";
  event.blocks.assign(1, *std::move(observed));
  Emit(std::move(event));
}

}  // namespace pt2triage
