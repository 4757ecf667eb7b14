// Tracebacks that a logger wrote into one line.
#pragma once

#include <string>
#include <string_view>

namespace pt2triage {

// The traceback of a line that holds one as an escaped string: the value of a
// JSON field, the repr() of a text, a text whose newlines a logger wrote as
// `\n`, also escaped twice. Its lines are parted by real newlines; empty where
// the line holds none. It ends where the string does. O(line).
std::string UnescapedTraceback(std::string_view line);

}  // namespace pt2triage
