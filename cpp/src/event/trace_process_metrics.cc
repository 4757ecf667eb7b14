// The part of TraceProcess that reads compilation_metrics.

#include <utility>

#include "base/strings.h"
#include "event/frames.h"
#include "event/recompile.h"
#include "event/trace_facts.h"
#include "event/trace_process.h"
#include "event/trace_recompile.h"

namespace pt2triage {
namespace {

constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";

// 9 of `torch_dynamo_resume_in_f_at_9`, the line where a break was; 0 if it is
// no resume function.
int64_t ResumeLine(std::string_view function) {
  if (!function.starts_with(kResumePrefix)) return 0;
  return ToInt(AfterLast(function, '_')).value_or(0);
}

}  // namespace

void TraceProcess::OnMetrics(const TraceRecord& record, JsonParser* parser) {
  const CompileMetrics metrics =
      ReadCompileMetrics(record.metadata_json, parser);
  const CompileId id = record.compile_id
                           ? *record.compile_id
                           : metrics.compile_id.value_or(CompileId());
  if (limits_.empty()) limits_ = FindLimitSettings(record.metadata_json);
  NameFunction(id, metrics.function);
  PlaceRecompiles(/*all=*/false);
  PlaceBreaks(metrics.function);
  InferRecompile(record, metrics, id);
  InferBreaks(record, metrics, id);
  if (metrics.failed()) {
    OnFailedCompile(record, metrics, id);
  } else {
    EmitOnce(&interpreter_);
  }
}

// A compile that found cache entries, none of which fitted, is a recompile.
// Since 2.5 it has a record of its own, which also tells why.
void TraceProcess::InferRecompile(const TraceRecord& record,
                                  const CompileMetrics& metrics,
                                  const CompileId& id) {
  if (metrics.cache_size < 1 || metrics.function.function.empty() ||
      recompiles_.Contains(WithoutAttempt(id))) {
    return;
  }
  Event event = EventFrom(record, EventKind::kRecompile, 'V');
  std::vector<std::string> reasons;
  if (!metrics.recompile_reason.empty()) {
    reasons.push_back(metrics.recompile_reason);
  }
  FillRecompile(metrics.function, reasons, &event);
  Emit(std::move(event));
}

// Before 2.6 the restarts of a compile are all that is left of its breaks.
void TraceProcess::InferBreaks(const TraceRecord& record,
                               const CompileMetrics& metrics,
                               const CompileId& id) {
  if (metrics.suppress_errors || breaks_.Contains(id)) return;
  for (const std::string& reason : metrics.restart_reasons) {
    if (reason.starts_with("<class '")) continue;  // restarted for itself
    Event event = EventFrom(record, EventKind::kGraphBreak, 'V');
    FillBreak(reason, &event);
    StackFrame frame = metrics.function;
    frame.line = 0;
    frame.function = PlainFunctionName(metrics.function.function);
    event.user_frame = std::move(frame);
    if (breaks_to_place_.size() >= kMaxWaiting) {
      Emit(std::move(breaks_to_place_.front()));
      breaks_to_place_.erase(breaks_to_place_.begin());
    }
    breaks_to_place_.push_back(std::move(event));
  }
}

// A break has no line of its own, but the function that goes on behind it has
// that line in its name.
void TraceProcess::PlaceBreaks(const StackFrame& resume_function) {
  const int64_t line = ResumeLine(resume_function.function);
  if (line == 0) return;
  const std::string_view name = PlainFunctionName(resume_function.function);
  for (auto it = breaks_to_place_.begin(); it != breaks_to_place_.end(); ++it) {
    if (!it->user_frame || it->user_frame->file != resume_function.file ||
        it->user_frame->function != name) {
      continue;
    }
    it->user_frame->line = line;
    Emit(std::move(*it));
    breaks_to_place_.erase(it);
    return;
  }
}

void TraceProcess::OnFailedCompile(const TraceRecord& record,
                                   const CompileMetrics& metrics,
                                   const CompileId& id) {
  interpreter_.reset();
  std::optional<Failure> told;  // by its `dynamo_error`
  if (failure_ && failure_->event.compile_id == record.compile_id) {
    told.swap(failure_);
  }
  if (IsLimit(metrics)) {
    OnLimit(record, metrics, id);
    if (!IsHardLimit(metrics)) return;
  }
  if (AfterLast(metrics.fail_type, '.') == "RecompileError") {
    Event recompile = EventFrom(record, EventKind::kRecompile, 'V');
    if (ParseRecompileRecord(metrics.fail_reason, &recompile)) {
      Emit(std::move(recompile));
    }
  }
  EndFailure(/*process_goes_on=*/false);
  Failure failure = told ? *std::move(told) : FailureFrom(record, metrics);
  AddMetrics(metrics, id, &failure);
  const bool soft = IsSoftFailure(failure.event.blocks.back().type);
  if (soft && breaks_.Contains(id)) return;  // 2.13: the break was told before
  const bool over = failure.suppressed && !soft;
  failure_ = std::move(failure);
  if (over) EndFailure(/*process_goes_on=*/true);
}

TraceProcess::Failure TraceProcess::FailureFrom(const TraceRecord& record,
                                                const CompileMetrics& metrics) {
  Failure failure;
  failure.event = EventFrom(record, EventKind::kException, 0);
  failure.event.blocks = BlocksFromMetrics(metrics);
  if (!metrics.function.function.empty()) {  // a compile of Dynamo's
    WrapForeign(metrics.suppress_errors.has_value(),
                &failure.event.blocks.back());
  }
  return failure;
}

void TraceProcess::AddMetrics(const CompileMetrics& metrics,
                              const CompileId& id, Failure* failure) {
  Event& event = failure->event;
  // Lazily compiled backwards have the id of their forward, but no function.
  if (!metrics.function.function.empty() && SameCompile(started_, id)) {
    AddCallers(callers_, &event.blocks);
  }
  const StackFrame* function = FunctionOf(id);
  if (function != nullptr) event.user_frame = *function;
  event.message = metrics.fail_reason.substr(0, metrics.fail_reason.find('\n'));
  failure->reason = metrics.fail_reason;
  failure->suppressed = metrics.suppress_errors.value_or(false);
  failure->old = !metrics.suppress_errors;
  failure->resumed = ResumeLine(metrics.function.function) != 0;
}

void TraceProcess::OnLimit(const TraceRecord& record,
                           const CompileMetrics& metrics, const CompileId& id) {
  Event event = EventFrom(record, EventKind::kRecompileLimit, 'W');
  const StackFrame* function = FunctionOf(id);
  const std::string& last_reason = metrics.recompile_reason.empty()
                                       ? last_reason_
                                       : metrics.recompile_reason;
  FillLimit(metrics, limits_, function == nullptr ? StackFrame() : *function,
            last_reason, &event);
  Emit(std::move(event));
}

}  // namespace pt2triage
