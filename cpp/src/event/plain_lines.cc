#include "event/plain_lines.h"

#include <array>

#include "base/rule_watch.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

struct LineRule {
  EventKind kind;
  std::string_view name;
  std::string_view head;  // the text begins so
};
// torch/_dynamo/utils.py (same), repro/after_aot.py, repro/after_dynamo.py,
// debug_utils.py, _inductor/debug.py, 2.2 to 2.13.
constexpr std::array<LineRule, 13> kRules = {{
    {EventKind::kAccuracy, "rmse", "RMSE (res-fp64): "},
    {EventKind::kAccuracy, "not-close", "Accuracy failed: "},
    {EventKind::kAccuracy, "not-close", "Accuracy failed for "},
    {EventKind::kAccuracy, "not-close", "Accuracy failed ("},
    {EventKind::kAccuracy, "check-did-not-run",
     "While minifying the program in accuracy minification mode, ran into a "
     "runtime exception"},
    {EventKind::kAccuracy, "not-close", "IoU accuracy failed: "},
    {EventKind::kNotice, "minifier", "Writing minified repro to:"},
    {EventKind::kNotice, "checkpoint", "Writing checkpoint with "},
    {EventKind::kNotice, "repro", "Copying repro file for convenience to "},
    {EventKind::kNotice, "repro", "Found an example that reproduces the error"},
    {EventKind::kNotice, "minifier",
     "Compiled Fx GraphModule failed. Creating script to minify the error."},
    {EventKind::kNotice, "cudagraphs", "skipping cudagraphs "},
    {EventKind::kNotice, "repro", "Input graph does not fail accuracy testing"},
}};
PT2TRIAGE_WATCH_TABLE(kRules, row.head);

// `...: block: [1,0,0], thread: [2,0,0] Assertion `cond` failed.`
std::optional<Event> ParseDeviceAssert(std::string_view text) {
  size_t at = text.find("Assertion `");
  if (at == std::string_view::npos) return std::nullopt;
  bool device = Contains(text.substr(0, at), "thread: [") ||
                Contains(text.substr(0, at), "local id: [");
  if (!device) return std::nullopt;
  std::string_view condition = text.substr(at + 11);
  Event event;
  event.kind = EventKind::kDeviceAssert;
  event.message.assign(Trim(text));
  event.reason.assign(condition.substr(0, condition.rfind("` failed")));
  // The kernel's file; a drive's colon is part of it.
  event.name.assign(text.substr(0, text.find(':', 2)));
  return event;
}

// The benchmark harness's verdict: alone, or the last cell of a row.
bool IsFailAccuracy(std::string_view text) {
  std::string_view s = Trim(text);
  constexpr std::string_view kVerdict = "fail_accuracy";
  if (s == kVerdict) return true;
  size_t at = s.find(kVerdict);
  if (at == std::string_view::npos || at == 0) return false;
  char before = s[at - 1];
  std::string_view after = s.substr(at + kVerdict.size());
  bool cell = after.empty() || after[0] == ',';
  return cell && (before == ',' || before == ' ' || before == '\t') &&
         !Contains(s, "::");
}

}  // namespace

std::optional<Event> ParsePlainLine(std::string_view text) {
  std::string_view s = TrimLeft(text);
  for (const LineRule& rule : kRules) {
    if (!s.starts_with(rule.head)) continue;
    NoteRule(&rule);
    Event event;
    event.kind = rule.kind;
    event.name.assign(rule.name);
    event.message.assign(TrimRight(s));
    return event;
  }
  if (std::optional<Event> event = ParseDeviceAssert(text)) return event;
  if (IsFailAccuracy(text)) {
    Event event;
    event.kind = EventKind::kAccuracy;
    event.name = "verdict";
    event.message.assign(Trim(text));
    return event;
  }
  return std::nullopt;
}

}  // namespace pt2triage
