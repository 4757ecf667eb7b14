#include "triage/dedupe.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/strings.h"
#include "event/guard.h"
#include "triage/chain.h"

namespace pt2triage {
namespace {

std::string_view FirstLine(std::string_view text) {
  return Trim(text.substr(0, text.find('\n')));
}

void AddPlace(const std::optional<StackFrame>& frame, std::string* key) {
  if (!frame) return;
  key->append(BaseName(frame->file));
  *key += ':' + std::to_string(frame->line);
}

// The compile that an event belongs to, whatever its attempt; empty where the
// event's kind or version does not print it.
std::string CompileKey(const Event& event) {
  if (!event.compile_id) return {};
  CompileId id = *event.compile_id;
  id.attempt = 0;
  return std::to_string(static_cast<int>(event.kind)) + '|' + event.process +
         '|' + id.ToString();
}

// True for an event of which the trace of an old version tells no more than
// that it happened in a compile.
bool SaysLittle(const Event& event) {
  bool recompile = event.kind == EventKind::kRecompile ||
                   event.kind == EventKind::kRecompileLimit;
  return recompile
             ? event.guards.empty()
             : event.kind == EventKind::kGraphBreak && event.frames.empty();
}

// Empty: the event is never in both.
std::string KeyOf(const Event& event) {
  std::string key =
      std::to_string(static_cast<int>(event.kind)) + '|' + event.process + '|';
  switch (event.kind) {
    case EventKind::kGraphBreak:
      if (event.compile_id) key += event.compile_id->ToString();
      key += '|';
      if (!event.frames.empty()) {
        AddPlace(event.frames.back(), &key);
      } else {
        AddPlace(event.user_frame, &key);
      }
      key += '|';
      key.append(FirstLine(event.reason));
      return key;
    case EventKind::kRecompile:
    case EventKind::kRecompileLimit:
      AddPlace(event.user_frame, &key);
      key += '|';
      for (const GuardText& guard : event.guards) {
        key += ParseGuard(guard).guard + ';';
      }
      return key;
    default:
      return {};
  }
}

// Any exception of a chain; a trace has no process for an uncaught one.
std::vector<std::string> ExceptionKeys(const Event& event) {
  std::vector<std::string> keys;
  for (const ChainMember& member : BuildChain(event.blocks)) {
    keys.push_back(std::string(AfterLast(member.type, '.')) + '|' +
                   std::string(FirstLine(member.message)));
  }
  return keys;
}

bool HasExceptions(const Event& event) {
  return event.kind == EventKind::kException ||
         event.kind == EventKind::kSkippedFrame;
}

}  // namespace

void DropSeenTwice(std::vector<Event>* events) {
  bool any_trace = false;
  FlatMap<std::string, uint64_t> in_text;
  FlatSet<std::string> compiles;
  // The compile of each exception in text, as far as the trace tells one.
  FlatMap<std::string, std::optional<CompileId>> exceptions;
  for (const Event& event : *events) {
    any_trace = any_trace || event.from_trace;
  }
  if (!any_trace) return;
  for (const Event& event : *events) {
    if (event.from_trace) continue;
    if (std::string key = KeyOf(event); !key.empty()) {
      in_text[key] += event.repeats + 1;
      if (std::string id = CompileKey(event); !id.empty()) {
        compiles.insert(std::move(id));
      }
    }
    if (!HasExceptions(event)) continue;
    for (std::string& key : ExceptionKeys(event)) {
      exceptions.try_emplace(std::move(key));
    }
  }
  FlatSet<std::string> clashes;  // exceptions of several compiles
  std::erase_if(*events, [&](const Event& event) {
    if (!event.from_trace) return false;
    if (HasExceptions(event)) {
      std::vector<std::string> keys = ExceptionKeys(event);
      if (keys.empty()) return false;
      const auto same = exceptions.find(keys.front());
      if (same == exceptions.end()) return false;
      std::optional<CompileId>& id = same->second;
      if (id && event.compile_id != id) clashes.insert(keys.front());
      if (!id) id = event.compile_id;
      return true;
    }
    if (SaysLittle(event) && compiles.contains(CompileKey(event))) return true;
    std::string key = KeyOf(event);
    if (key.empty()) return false;
    auto found = in_text.find(key);
    if (found == in_text.end() || found->second == 0) return false;
    found->second -= std::min(found->second, event.repeats + 1);
    return true;
  });
  for (Event& event : *events) {
    if (event.from_trace || event.compile_id || !HasExceptions(event)) continue;
    for (const std::string& key : ExceptionKeys(event)) {
      const auto same = exceptions.find(key);
      if (same == exceptions.end() || !same->second) continue;
      if (!clashes.contains(key)) event.compile_id = same->second;
      break;
    }
  }
}

}  // namespace pt2triage
