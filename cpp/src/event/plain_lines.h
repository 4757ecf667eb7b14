// Single lines of plain text that are evidence by themselves.
#pragma once

#include <optional>
#include <string_view>

#include "pt2triage/event.h"

namespace pt2triage {

// A kernel's assertion, an accuracy verdict, a note of the minifier; nullopt
// for all else. Fills kind, message, name and reason. Texts are in the table
// of plain_lines.cc.
std::optional<Event> ParsePlainLine(std::string_view text);

}  // namespace pt2triage
