// Graph-break records and the graph-break ("gb") message inside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/event.h"

namespace pt2triage {

// The parts of a graph-break message of 2.8 on. Of the free text of earlier
// versions only `reason` is filled.
struct GbMessage {
  std::string reason;
  std::string explanation;
  std::vector<std::string> hints;
  std::string context;
  std::string id;             // GB0059, from the URL
  std::string operator_name;  // `Higher Order Operator:`
};

// Reads a message as it stands in a record or in an exception's text.
GbMessage ParseGbMessage(std::string_view text);

// Reads a whole graph_breaks record (any wording from 2.2 to 2.13) into
// `event`: reason, explanation, hints, context, id, frames, user_frame (the
// place on the first line), duplicate, name ("skip" where the whole frame is
// left to eager), blocks (the traceback that some versions print). False, and
// `event` untouched, if the text is none.
bool ParseGraphBreakRecord(std::string_view text, Event* event);

// Frames of a printed stack, outermost first, up to the first line that is
// neither frame nor code.
std::vector<StackFrame> ParseStack(std::string_view text);

// A graph_breaks record of which only the end of its traceback is left.
bool ParseBreakTraceback(std::string_view text, Event* event);

}  // namespace pt2triage
