#include "event/trace_facts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "event/frames.h"
#include "event/graph_break.h"
#include "event/messages/exception_table.h"
#include "event/traceback.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxMessage = TracebackParser::kMaxMessage;

// Unsupported and its subclasses in any version, and UserError, which was one
// up to 2.10.
constexpr std::array<std::string_view, 10> kSoftFailures = {
    "ArgsMismatchError",
    "AttributeMutationError",
    "CacheLimitExceeded",
    "CondOpArgsMismatchError",
    "InfiniteGeneratorError",
    "RecompileLimitExceeded",
    "SideEffectsError",
    "UnknownPropertiesDuringBackwardTrace",
    "Unsupported",
    "UserError"};

template <size_t N>
bool Holds(const std::array<std::string_view, N>& names,
           std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The text in the arguments `("text")` of an exception, as reprs print them.
std::string_view Unquoted(std::string_view text) {
  if (Consume(&text, "(") && text.ends_with(')')) text.remove_suffix(1);
  const size_t open = text.find_first_of("'\"");
  if (open == text.npos) return text;
  const size_t close = text.rfind(text[open]);
  return close > open ? text.substr(open + 1, close - open - 1) : text;
}

// `KeyError` of `torch._dynamo.exc.ObservedKeyError`.
std::string_view ObservedName(std::string_view type) {
  std::string_view name = AfterLast(type, '.');
  if (!Consume(&name, "Observed")) return {};
  if (name == "UserStopIteration") return "StopIteration";
  return name == "Exception" ? std::string_view() : name;
}

}  // namespace

Event EventFrom(const TraceRecord& record, EventKind kind, char level) {
  Event event;
  event.kind = kind;
  event.evidence = record.evidence;
  event.compile_id = record.compile_id;
  event.rank = record.rank;
  event.process = record.process;
  event.time = record.time;
  event.from_trace = true;
  event.level = level;
  event.logged = kind == EventKind::kGraphBreak ||
                 kind == EventKind::kRecompile ||
                 kind == EventKind::kRecompileLimit;
  return event;
}

std::string QualifiedType(std::string_view type) {
  const bool bare = type.find('.') == type.npos;
  const ExceptionClass* known = bare ? FindExceptionClass(type) : nullptr;
  if (known == nullptr || known->module.empty()) return std::string(type);
  return std::string(known->module) + "." + std::string(type);
}

bool IsSoftFailure(std::string_view type) {
  return Holds(kSoftFailures, AfterLast(type, '.'));
}

bool IsControlFlow(std::string_view type) {
  const ExceptionClass* known = FindExceptionClass(type);
  return known != nullptr && (known->flags & ExceptionClass::kInternal) != 0;
}

std::vector<ExceptionBlock> BlocksFromMetrics(const CompileMetrics& metrics) {
  std::vector<ExceptionBlock> blocks = ParseTracebackText(metrics.traceback);
  if (blocks.empty()) {
    blocks.emplace_back();
    blocks.back().type = QualifiedType(metrics.fail_type);
    std::string_view message = metrics.fail_reason;
    if (metrics.fail_type == "KeyError") message = Unquoted(message);
    blocks.back().message = message.substr(0, kMaxMessage);
  }
  ExceptionBlock& last = blocks.back();
  if (last.user_frames.empty() && !metrics.fail_frame.file.empty()) {
    last.user_frames.push_back(metrics.fail_frame);
  }
  return blocks;
}

void WrapForeign(bool keeps_type, ExceptionBlock* block) {
  constexpr std::array<std::string_view, 3> kOwn = {
      "torch._dynamo.", "torch._inductor.", "torch.fx.experimental."};
  const bool own =
      block->type == "AssertionError" ||
      std::any_of(kOwn.begin(), kOwn.end(), [block](std::string_view module) {
        return block->type.starts_with(module);
      });
  if (own || block->type.empty()) return;
  if (keeps_type) {
    block->message =
        std::string(AfterLast(block->type, '.')) + ": " + block->message;
  }
  block->type = QualifiedType("InternalTorchDynamoError");
}

const StackFrame* CompiledFunction(const std::vector<StackFrame>& stack) {
  if (stack.empty() || Contains(stack.back().file, "torch/_dynamo/")) {
    return nullptr;
  }
  return &stack.back();
}

CompileId WithoutAttempt(CompileId id) {
  id.attempt = 0;
  return id;
}

bool SameCompile(const CompileId& a, const CompileId& b) {
  return WithoutAttempt(a) == WithoutAttempt(b);
}

void AddCallers(const std::vector<StackFrame>& callers,
                std::vector<ExceptionBlock>* blocks) {
  if (blocks->empty()) return;
  std::vector<StackFrame>& frames = blocks->back().frames;
  frames.insert(frames.begin(), callers.begin(), callers.end());
}

void FillBreak(std::string_view text, Event* event) {
  GbMessage message = ParseGbMessage(text);
  event->reason = std::move(message.reason);
  event->explanation = std::move(message.explanation);
  event->hints = std::move(message.hints);
  event->context = std::move(message.context);
  event->graph_break_id = std::move(message.id);
  event->message = event->reason.substr(0, event->reason.find('\n'));
}

std::optional<ExceptionBlock> ObservedException(const Event& graph_break) {
  if (!graph_break.reason.starts_with("Observed exception")) {
    return std::nullopt;
  }
  ExceptionBlock block;
  block.frames = graph_break.frames;
  // 2.8 on: raised exception RuntimeError("text") in the context.
  std::string_view raised = graph_break.context;
  if (Consume(&raised, "raised exception ")) {
    const size_t open = std::min(raised.find('('), raised.size());
    block.type = raised.substr(0, open);
    block.message = Unquoted(Trim(raised.substr(open)));
  }
  if (block.type == "ExceptionVariable") block.type = block.message = "";
  for (const ExceptionBlock& cause : graph_break.blocks) {
    if (block.type.empty()) block.type = ObservedName(cause.type);
  }
  return block;
}

}  // namespace pt2triage
