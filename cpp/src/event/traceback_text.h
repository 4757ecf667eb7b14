// What lines of tracebacks look like; for traceback*.cc and fault_handler.cc.
#pragma once

#include <optional>
#include <string_view>

namespace pt2triage {

inline constexpr std::string_view kFrameHead = "File \"";
// Foreign lines borne before a chain ends.
inline constexpr int kMaxUnknown = 8;

// A line of `^` and `~` that marks a part of the code above it.
bool IsCarets(std::string_view text);

// True for what a program puts before each line (`web-1  | `, `#14 12.3 `, a
// job and a step between tabs), not for a sentence or a list's mark.
bool IsPrefix(std::string_view text);

// What is left of `text` after a prefix of the shape of `prefix`: equal but for
// the digits. nullopt if it has another one.
std::optional<std::string_view> WithoutPrefix(std::string_view text,
                                              std::string_view prefix);

// Rules that end any message: a runner's section or summary.
bool IsSection(std::string_view text);

// True for a message of a built-in class that proves by itself what failed.
bool IsTellingMessage(std::string_view message);

}  // namespace pt2triage
