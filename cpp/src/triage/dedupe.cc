#include "triage/dedupe.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/strings.h"
#include "event/guard.h"
#include "triage/chain.h"

namespace pt2triage {
namespace {

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
      key.append(Trim(FirstLine(event.reason)));
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

// A frame that was skipped for a break whose reason the log leaves out; empty
// for all else.
std::string SkipKey(const Event& event) {
  bool skip = event.kind == EventKind::kGraphBreak && event.name == "skip";
  return skip ? CompileKey(event) : std::string();
}

// The exceptions that a text shows, by class. A trace has no process for them,
// and some versions write the message without its wrapped class, or not at all.
class SeenExceptions {
 public:
  void Add(const Event& event) {
    for (const ChainMember& member : BuildChain(event.blocks)) {
      seen_[std::string(AfterLast(member.type, '.'))].push_back(
          {std::string(Trim(FirstLine(member.message))), std::nullopt, false});
    }
  }

  // True if the text shows the exception of a trace; keeps its compile.
  bool Find(const Event& event) {
    const std::vector<ChainMember> chain = BuildChain(event.blocks);
    if (chain.empty()) return false;
    auto found = seen_.find(std::string(AfterLast(chain.front().type, '.')));
    if (found == seen_.end()) return false;
    const std::string_view traced = Trim(FirstLine(chain.front().message));
    bool any = false;
    for (Seen& seen : found->second) {
      if (!seen.message.ends_with(traced)) continue;
      any = true;
      if (traced.empty()) break;  // no proof of more
      seen.clash |= seen.compile && event.compile_id != seen.compile;
      if (!seen.compile) seen.compile = event.compile_id;
    }
    return any;
  }

  // The compile that the trace names for an exception of the text; none where
  // it names several.
  std::optional<CompileId> CompileOf(const Event& event) const {
    for (const ChainMember& member : BuildChain(event.blocks)) {
      auto found = seen_.find(std::string(AfterLast(member.type, '.')));
      if (found == seen_.end()) continue;
      for (const Seen& seen : found->second) {
        if (!seen.compile || seen.message != Trim(FirstLine(member.message))) {
          continue;
        }
        return seen.clash ? std::nullopt : seen.compile;
      }
    }
    return std::nullopt;
  }

 private:
  struct Seen {
    std::string message;
    std::optional<CompileId> compile;
    bool clash = false;
  };
  FlatMap<std::string, std::vector<Seen>> seen_;
};

bool HasExceptions(const Event& event) {
  return event.kind == EventKind::kException ||
         event.kind == EventKind::kSkippedFrame;
}

}  // namespace

void DropSeenTwice(std::vector<Event>* events) {
  bool any_trace = false;
  FlatMap<std::string, uint64_t> in_text;
  FlatSet<std::string> compiles;
  FlatSet<std::string> skips;  // whose reason the text leaves out
  SeenExceptions exceptions;
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
    if (std::string skip = SkipKey(event);
        !skip.empty() && event.reason.empty()) {
      skips.insert(std::move(skip));
    }
    if (HasExceptions(event)) exceptions.Add(event);
  }
  std::erase_if(*events, [&](const Event& event) {
    if (!event.from_trace) return false;
    if (HasExceptions(event)) return exceptions.Find(event);
    if (skips.contains(SkipKey(event))) return true;
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
    event.compile_id = exceptions.CompileOf(event);
  }
}

}  // namespace pt2triage
