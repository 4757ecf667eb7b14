// Stack frames in the spellings that tracebacks come in.
#pragma once

#include <optional>
#include <string_view>

#include "pt2triage/evidence.h"

namespace pt2triage {

// How a frame line was spelt; it tells how the lines after it read.
enum class FrameStyle : uint8_t {
  kPython,        //   File "f.py", line 3, in g      (then the code line)
  kFaultHandler,  //   File "f.py", line 3 in g       (no code, newest first)
  kPytest,        // f.py:3: in g  /  f.py:3: ValueError
  kJupyter,       // File f.py:3, in g(x)  /  Cell In[2], line 3
  kColab,         // [f.py](url) in g(x): the line is on the arrow below
  kRich,          // f.py:3 in g, between box rules
};

struct FrameMatch {
  StackFrame frame;
  FrameStyle style = FrameStyle::kPython;
};

// Reads a frame line; `text` may be indented and padded with blanks.
std::optional<FrameMatch> ParseFrame(std::string_view text);
// `path:line: in f` or the last line of a pytest entry, `path:line: Error`.
std::optional<FrameMatch> ParsePytestFrame(std::string_view text);
// `path:line in f` inside a box whose sides were taken off.
std::optional<FrameMatch> ParseRichFrame(std::string_view text);
// The number and code of `---> 12 code` or `12 code` lines.
struct ListingLine {
  bool arrow = false;
  int64_t line = 0;
  std::string_view code;
};
std::optional<ListingLine> ParseListingLine(std::string_view text);

// Function name without arguments, and a resume function as the function that
// it resumes: `torch_dynamo_resume_in_forward_at_40` is `forward`.
std::string_view PlainFunctionName(std::string_view name);

}  // namespace pt2triage
