#include "event/recompile.h"

#include <string>
#include <utility>

#include "base/strings.h"
#include "event/frames.h"

namespace pt2triage {
namespace {

constexpr std::string_view kRecompiling = "Recompiling function ";

// NAME in FILE:LINE
StackFrame ReadFunction(std::string_view text) {
  StackFrame frame;
  size_t in = text.find(" in ");
  frame.function.assign(PlainFunctionName(text.substr(0, in)));
  if (in == std::string_view::npos) return frame;
  std::string_view place = TrimRight(text.substr(in + 4));
  size_t colon = place.rfind(':');
  frame.file.assign(place.substr(0, colon));
  if (colon != std::string_view::npos) {
    frame.line = ToInt(place.substr(colon + 1)).value_or(0);
  }
  return frame;
}

// `0/1: ` in front of a reason.
std::string_view ConsumeEntryId(std::string_view* reason) {
  size_t colon = reason->substr(0, 24).find(": ");
  if (colon == std::string_view::npos) return {};
  std::string_view id = reason->substr(0, colon);
  if (!CompileId::Parse(id)) return {};
  reason->remove_prefix(colon + 2);
  return id;
}

// The user's stack, which 2.13 prints inside the reason.
bool IsStackLine(std::string_view reason) {
  return reason.starts_with("User stack trace:") || reason.starts_with("  ") ||
         Trim(reason).empty();
}

void ReadReasons(std::string_view text, std::vector<GuardText>* guards) {
  bool in_stack = false;
  while (!text.empty()) {
    std::string_view line = NextLine(&text);
    std::string_view reason = TrimLeft(line);
    if (reason.starts_with("guard ") && reason.ends_with(" failures:"))
      continue;
    if (Consume(&reason, "- ")) {
      if (reason.starts_with("User stack trace:")) in_stack = true;
      std::string_view rest = reason;
      if (!ConsumeEntryId(&rest).empty()) in_stack = false;
      if (in_stack || IsStackLine(reason)) continue;
      AppendGuards(reason, guards);
    } else if (reason == "-") {
      continue;
    } else if (!reason.empty() && !guards->empty() && Indent(line) <= 4 &&
               !reason.starts_with("triggered by") && !in_stack) {
      guards->back().text += '\n';  // a reason that runs over lines
      guards->back().text.append(reason);
    }
  }
}

}  // namespace

void AppendGuards(std::string_view reason, std::vector<GuardText>* guards) {
  std::string_view rest = reason;
  std::string id(ConsumeEntryId(&rest));
  char quote = 0;
  size_t start = 0;
  size_t comment = rest.find("  # ");
  for (size_t i = 0; i < rest.size(); ++i) {
    char c = rest[i];
    if (c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ';' && i + 1 < rest.size() && rest[i + 1] == ' ' &&
               i < comment) {
      guards->push_back({id, std::string(rest.substr(start, i - start))});
      start = i + 2;
    }
  }
  guards->push_back({std::move(id), std::string(rest.substr(start))});
}

bool ParseRecompileRecord(std::string_view text, Event* event) {
  std::string_view rest = text;
  std::string_view first = NextLine(&rest);
  if (!Consume(&first, kRecompiling)) return false;
  event->kind = EventKind::kRecompile;
  event->message.assign(text.substr(0, text.find('\n')));
  event->user_frame = ReadFunction(first);
  ReadReasons(rest, &event->guards);
  return true;
}

bool ParseCutRecompile(std::string_view text, Event* event) {
  ReadReasons(text, &event->guards);
  if (event->guards.empty()) return false;
  event->kind = EventKind::kRecompile;
  event->message.assign(Trim(text.substr(0, text.find('\n'))));
  return true;
}

bool ParseStanceError(std::string_view text, Event* event) {
  if (!text.starts_with("Detected recompile when torch.compile stance is")) {
    return false;
  }
  auto after = [&](std::string_view key, std::string_view end) {
    size_t at = text.find(key);
    if (at == std::string_view::npos) return std::string_view();
    std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(end));
  };
  StackFrame frame;
  frame.file.assign(after("filename: '", "'"));
  frame.function.assign(PlainFunctionName(after("function name: '", "'")));
  frame.line = ToInt(after("line number: ", " ,.\n")).value_or(0);
  if (!frame.file.empty()) event->user_frame = std::move(frame);
  size_t triggered = text.find("triggered by");
  if (triggered != std::string_view::npos) {
    std::string_view rest = text.substr(triggered);
    NextLine(&rest);
    ReadReasons(rest, &event->guards);
  }
  return true;
}

bool ParseLimitRecord(std::string_view text, Event* event) {
  std::string_view head_line = TrimLeft(text);
  if (!text.starts_with(kLimitHead) && !head_line.starts_with("function: '") &&
      !head_line.starts_with("last reason: ")) {
    return false;
  }
  event->kind = EventKind::kRecompileLimit;
  event->message.assign(Trim(text.substr(0, text.find('\n'))));
  std::string_view rest = text;
  if (Consume(&rest, kLimitHead)) {
    std::string_view head = NextLine(&rest);
    size_t open = head.find(" (");
    event->name.assign(head.substr(0, open));
    if (open != std::string_view::npos) {
      std::string_view value = head.substr(open + 2);
      event->value.assign(value.substr(0, value.find(')')));
    }
  }
  while (!rest.empty()) {
    std::string_view line = Trim(NextLine(&rest));
    if (Consume(&line, "function: '")) {
      size_t open = line.rfind("' (");
      if (open == std::string_view::npos) continue;
      std::string_view place = line.substr(open + 3);
      if (place.ends_with(')')) place.remove_suffix(1);
      event->user_frame = ReadFunction(std::string(line.substr(0, open)) +
                                       " in " + std::string(place));
    } else if (Consume(&line, "last reason: ")) {
      AppendGuards(line, &event->guards);
    }
  }
  return true;
}

}  // namespace pt2triage
