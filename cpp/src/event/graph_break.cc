#include "event/graph_break.h"

#include <array>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/frames.h"
#include "event/messages/exception_table.h"
#include "event/messages/tails.h"
#include "event/traceback.h"

namespace pt2triage {
namespace {

// Sentences that stand before the gb message proper.
constexpr std::array<std::string_view, 3> kLeadIns = {
    "Encountered graph break when attempting to trace ",
    "Failed to handle graph break gracefully.",
    "Encountered intentional debugging graph break",
};
PT2TRIAGE_WATCH_TABLE(kLeadIns, row);
// Where the message ends and stacks begin.
constexpr std::array<std::string_view, 2> kMessageEnds = {
    "User code traceback:",
    "Stack variable source attribution:",
};
PT2TRIAGE_WATCH_TABLE(kMessageEnds, row);

bool IsLeadIn(std::string_view line) {
  for (const std::string_view& lead : kLeadIns) {
    if (!line.starts_with(lead)) continue;
    NoteRule(&lead);
    return true;
  }
  return false;
}

bool EndsMessage(std::string_view line) {
  for (const std::string_view& end : kMessageEnds) {
    if (!line.starts_with(end)) continue;
    NoteRule(&end);
    return true;
  }
  return false;
}

// Between the two parts of a stack, with TORCHDYNAMO_VERBOSE=1.
bool IsStackRule(std::string_view line) {
  return Trim(line).empty() ||
         line.starts_with("========== most recent `torch.compile` tracing");
}

// GB0059 of `.../gb/gb0059.html`.
std::string IdFromUrl(std::string_view line) {
  size_t at = line.find("/gb/gb");
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + 6);
  std::string_view digits = ConsumeDigits(&rest);
  return digits.empty() ? std::string() : "GB" + std::string(digits);
}

void Append(std::string* out, std::string_view line) {
  if (!out->empty()) *out += '\n';
  out->append(line);
}

// `FILE:LINE` at the end of a first line.
void ReadPlace(std::string_view place, Event* event) {
  place = Trim(place);
  size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return;
  StackFrame frame;
  frame.file.assign(place.substr(0, colon));
  frame.line = ToInt(place.substr(colon + 1)).value_or(0);
  event->user_frame = std::move(frame);
}

void FillMessage(std::string_view text, Event* event) {
  GbMessage message = ParseGbMessage(text);
  event->reason = std::move(message.reason);
  event->explanation = std::move(message.explanation);
  event->hints = std::move(message.hints);
  event->context = std::move(message.context);
  event->graph_break_id = std::move(message.id);
}

// The reason of a record that prints a traceback instead: its last exception.
void ReasonFromTraceback(std::string_view text, Event* event) {
  size_t at = text.find(kTracebackHead);
  if (at == std::string_view::npos) return;
  event->blocks = ParseTracebackText(text.substr(at));
  if (event->reason.empty() && !event->blocks.empty()) {
    FillMessage(event->blocks.back().message, event);
  }
}

// torch.compile will skip tracing the frame NAME (FILE line N) and ...
void ReadSkippedFrame(std::string_view line, Event* event) {
  constexpr std::string_view kHead =
      "torch.compile will skip tracing the frame ";
  if (!Consume(&line, kHead)) return;
  size_t open = line.find(" (");
  size_t close = line.rfind(") and fall back");
  if (open == std::string_view::npos || close == std::string_view::npos) return;
  std::string_view place = line.substr(open + 2, close - open - 2);
  size_t word = place.rfind(" line ");
  if (word == std::string_view::npos) return;
  StackFrame frame;
  frame.function.assign(PlainFunctionName(line.substr(0, open)));
  frame.file.assign(place.substr(0, word));
  frame.line = ToInt(place.substr(word + 6)).value_or(0);
  event->user_frame = std::move(frame);
}

std::string_view AfterLine(std::string_view text, std::string_view head) {
  size_t at = text.starts_with(head) ? 0 : text.find("\n" + std::string(head));
  if (at == std::string_view::npos) return {};
  if (at != 0) ++at;
  text.remove_prefix(at);
  NextLine(&text);
  return text;
}

// 2.6 on: place, reason, stack.
void ReadLocated(std::string_view text, Event* event) {
  std::string_view rest = text;
  std::string_view first = NextLine(&rest);
  size_t in = first.find("in user code at ");
  ReadPlace(first.substr(in + 16), event);
  if (Consume(&rest, "Graph Break Reason: ") || Consume(&rest, "Reason: ")) {
    if (rest.starts_with("Failed to handle graph break gracefully.")) {
      event->name = "skip";
    }
    FillMessage(rest, event);
  }
  event->frames = ParseStack(AfterLine(rest, "User code traceback:"));
}

// `Graph break: ...`: up to 2.4, and all versions' skips.
void ReadUnlocated(std::string_view text, Event* event) {
  std::string_view rest = text;
  std::string_view first = NextLine(&rest);
  Consume(&first, "Graph break: ");
  constexpr std::string_view kFrom = "from user code at:";
  if (first.starts_with("torch.compile cannot properly resume")) {
    event->name = "skip";
    ReadSkippedFrame(rest.substr(0, rest.find('\n')), event);
    event->frames = ParseStack(
        AfterLine(rest, "The graph break occurred in the following"));
    return;
  }
  if (first.starts_with("skip: ")) event->name = "skip";
  // The reason may run over lines: it ends at "from user code at:".
  size_t from = text.find(kFrom);
  if (from == std::string_view::npos) return;
  std::string_view reason = text.substr(13, from - 13);
  if (event->name.empty()) FillMessage(Trim(reason), event);
  std::string_view stack = text.substr(from + kFrom.size());
  NextLine(&stack);
  event->frames = ParseStack(stack);
}

}  // namespace

namespace {

// Graph break from `Tensor.item()`, consider setting: ... (a warning without
// TORCH_LOGS, 2.0 on)
bool ReadWarning(std::string_view text, Event* event) {
  constexpr std::string_view kFrom = "Graph break: from user code at:";
  size_t from = text.find(kFrom);
  if (from == std::string_view::npos) return false;
  event->kind = EventKind::kGraphBreak;
  event->message.assign(text.substr(0, text.find('\n')));
  event->reason.assign(text.substr(0, text.find(", consider")));
  std::string_view stack = text.substr(from + kFrom.size());
  NextLine(&stack);
  event->frames = ParseStack(stack);
  return true;
}

}  // namespace

GbMessage ParseGbMessage(std::string_view text) {
  GbMessage out;
  enum class Part { kReason, kExplanation, kHint, kContext, kOver };
  Part part = Part::kReason;
  while (!text.empty()) {
    std::string_view line = TrimRight(NextLine(&text));
    if (EndsMessage(line) || line.starts_with("*** While handling")) break;
    std::string_view s = line;
    if (out.reason.empty() && IsLeadIn(line)) {
      continue;
    }
    if (Consume(&s, "  Higher Order Operator: ")) {
      out.operator_name.assign(s);
    } else if (Consume(&s, "  Explanation:")) {
      part = Part::kExplanation;
      out.explanation.assign(Trim(s));
    } else if (Consume(&s, "  Hint: ")) {
      part = Part::kHint;
      out.hints.emplace_back(Trim(s));
    } else if (Consume(&s, "  Developer debug context:")) {
      part = Part::kContext;
      out.context.assign(Trim(s));
    } else if (line.starts_with(" For more details about this graph break")) {
      out.id = IdFromUrl(line);
      part = Part::kOver;
    } else if (part == Part::kReason) {
      if (Trim(line).empty()) {
        if (!out.reason.empty()) part = Part::kOver;
      } else {
        Consume(&s, "Unsupported: ");
        if (out.reason.size() < 4000) Append(&out.reason, s);
      }
    } else if (part == Part::kExplanation && out.explanation.size() < 8000) {
      Append(&out.explanation, Trim(line));
    } else if (part == Part::kHint && !Trim(line).empty()) {
      Append(&out.hints.back(), Trim(line));
    } else if (part == Part::kContext && out.context.size() < 4000 &&
               !Trim(line).empty()) {
      Append(&out.context, Trim(line));
    }
  }
  out.explanation = std::string(TrimRight(out.explanation));
  return out;
}

bool ParseGraphBreakRecord(std::string_view text, Event* event) {
  bool located = text.starts_with("Graph break in user code at ") ||
                 (text.starts_with("Graph break (") &&
                  Contains(text.substr(0, 200), ") in user code at "));
  if (text.starts_with("Graph break from `")) return ReadWarning(text, event);
  if (!located && !text.starts_with("Graph break: ")) return false;
  event->kind = EventKind::kGraphBreak;
  event->message.assign(text.substr(0, text.find('\n')));
  if (located) {
    event->duplicate = text.starts_with("Graph break (");
    ReadLocated(text, event);
  } else {
    ReadUnlocated(text, event);
  }
  ReasonFromTraceback(text, event);
  return true;
}

std::vector<StackFrame> ParseStack(std::string_view text) {
  std::vector<StackFrame> frames;
  bool want_code = false;
  while (!text.empty()) {
    std::string_view line = NextLine(&text);
    std::optional<FrameMatch> match = ParseFrame(line);
    if (match) {
      frames.push_back(std::move(match->frame));
      want_code = true;
    } else if (want_code && Indent(line) >= 3) {
      frames.back().code.assign(Trim(line));
      want_code = false;
    } else if (IsStackRule(line)) {
      continue;  // the frames of the compile follow those of its caller
    } else if (frames.empty() ? !Trim(line).empty() : Indent(line) < 3) {
      break;
    }
  }
  return frames;
}

bool ParseBreakTraceback(std::string_view text, Event* event) {
  std::vector<ExceptionBlock> blocks = ParseTracebackText(
      std::string(kTracebackHead) + ":\n" + std::string(text));
  if (blocks.empty() || FindExceptionClass(blocks.back().type) == nullptr) {
    return false;
  }
  event->kind = EventKind::kGraphBreak;
  event->message.assign(text.substr(0, text.find('\n')));
  FillMessage(blocks.back().message, event);
  event->frames = blocks.back().user_frames;
  event->blocks = std::move(blocks);
  return true;
}

}  // namespace pt2triage
