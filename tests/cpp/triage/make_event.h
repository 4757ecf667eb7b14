// Events as the event layer would make them, for tests of the triage layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2triage/event.h"

namespace pt2triage {

// A frame of an installed torch: `path` is below the package.
inline StackFrame TorchFrame(std::string_view path, std::string_view function) {
  return {"/v/lib/python3.11/site-packages/torch/" + std::string(path), 1,
          std::string(function), ""};
}

inline StackFrame UserFrame(std::string_view function = "f", int64_t line = 3) {
  return {"/a/main.py", line, std::string(function), "y = g(x)"};
}

inline StackFrame GeneratedFrame(std::string_view code = "") {
  return {"/tmp/torchinductor_me/ab/cab.py", 1, "call", std::string(code)};
}

// The stack of a call while Dynamo traces.
inline std::vector<StackFrame> TracingStack() {
  return {UserFrame(), TorchFrame("_dynamo/eval_frame.py", "compile_wrapper"),
          TorchFrame("_dynamo/symbolic_convert.py", "run")};
}

inline ExceptionBlock MakeBlock(std::string_view type, std::string_view message,
                                std::vector<StackFrame> frames = {}) {
  ExceptionBlock block;
  block.type.assign(type);
  block.message.assign(message);
  block.frames = std::move(frames);
  return block;
}

// An uncaught exception at byte `offset` (also its line) of source 0.
inline Event Raised(std::string_view type, std::string_view message,
                    std::vector<StackFrame> frames = {}, uint64_t offset = 0) {
  Event event;
  event.kind = EventKind::kException;
  event.message.assign(message);
  event.blocks.push_back(MakeBlock(type, message, std::move(frames)));
  event.evidence = {0, offset + 1, offset, 1};
  return event;
}

inline Event MakeEvent(EventKind kind, std::string_view message,
                       uint64_t offset = 0) {
  Event event;
  event.kind = kind;
  event.message.assign(message);
  event.evidence = {0, offset + 1, offset, 1};
  return event;
}

inline Event BreakAt(std::string_view reason, int64_t line,
                     uint64_t offset = 0) {
  Event event = MakeEvent(EventKind::kGraphBreak,
                          "Graph break in user code at /a/main.py", offset);
  event.reason.assign(reason);
  event.frames = {UserFrame("f", line)};
  event.logged = true;
  return event;
}

inline Event RecompileOf(std::string_view function, std::string_view guard,
                         uint64_t offset = 0) {
  Event event = MakeEvent(
      EventKind::kRecompile,
      "Recompiling function " + std::string(function) + " in /a/main.py:1",
      offset);
  event.user_frame = StackFrame{"/a/main.py", 1, std::string(function), ""};
  event.guards = {{"0/0", std::string(guard)}};
  event.logged = true;
  return event;
}

}  // namespace pt2triage
