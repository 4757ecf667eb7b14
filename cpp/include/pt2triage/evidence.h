// Where a claim can be looked up, and stack frames.
#pragma once

#include <cstdint>
#include <string>

namespace pt2triage {

// A span of one source: 1-based first line, byte offset and length in the
// (decompressed) bytes. `source` is an index into Report::sources. In a source
// of many files `member` is the place of one in SourceInfo::artifacts, counted
// from 1, and line and offset are that file's.
struct Evidence {
  uint32_t source = 0;
  uint64_t line = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t member = 0;

  bool operator==(const Evidence&) const = default;
};

// One entry of a traceback. `line` is 0 where the print has none.
struct StackFrame {
  std::string file;
  int64_t line = 0;
  std::string function;
  std::string code;  // the source line as printed, empty if none

  bool operator==(const StackFrame&) const = default;
};

}  // namespace pt2triage
