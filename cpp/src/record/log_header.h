// The prefix that torch's log formatter puts before each physical line.
#pragma once

#include <optional>
#include <string_view>

#include "pt2triage/compile_id.h"

namespace pt2triage {

// A header found in a line. Views point into the line.
//   glog (2.4 on):  V1129 15:22:18.930000 9036 torch/x.py:12] [0/0] [__art] ...
//   old (up to 2.3): [2023-07-26 06:31:09,284] [0/0] torch._dynamo.x: [ERROR]
//   ...
struct LogHeader {
  char level = 0;              // V I W E C
  std::string_view time;       // as printed
  std::string_view process;    // thread id or pid, empty in the old format
  std::string_view path;       // source path, or the logger's name (old)
  std::string_view path_line;  // digits, empty in the old format
  std::optional<CompileId> compile_id;
  std::string_view artifact;  // without the underscores
  std::string_view identity;  // all of the header but `[__artifact] `
  std::string_view body;      // what the record says on this line
  size_t start = 0;           // where the header begins in the line
};

// Searches `text` for a header: at its start, or after anything that does not
// look like one (a progress bar, another program's time stamp). The search
// costs one vectorised pass over a line without a time of torch's, else three.
std::optional<LogHeader> FindLogHeader(std::string_view text);

// The length of the level and time at the front of `text` if they are those of
// a header that is not a warning's or worse: what differs between the records
// of one logging call. 0 if there are none.
size_t DullTimeLength(std::string_view text);

// True if `text` begins with a header (of the newer format) of a warning or
// worse.
bool IsWarning(std::string_view text);

// False only if no line of `text` holds a prefix of torch. One vectorised pass
// for the times of the two formats.
bool MayHoldLogHeader(std::string_view text);

}  // namespace pt2triage
