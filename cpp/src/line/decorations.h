// Peels what terminals, CI systems, launchers and test runners put around a
// line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "line/escapes.h"
#include "line/learned_prefixes.h"
#include "line/line_splitter.h"

namespace pt2triage {

// One cleaned line. Views point into the physical line or into the Cleaner's
// buffers and live until its next call.
struct Line {
  std::string_view text;     // what the program wrote
  std::string_view stream;   // who wrote it: rank, worker and logger prefixes
  std::string_view channel;  // stdout or stderr, where the CI tells
  std::string_view time;     // the CI's time stamp, an IsoTime, if any
  std::string_view job;      // by columns before the line
  std::string_view step;
  int32_t rank = -1;
  bool pytest_error = false;  // had pytest's `E   `
  bool quoted = false;        // had a `> `
  bool buildkite = false;     // had a time stamp of Buildkite's
  PhysicalLine physical;
};

// What is known of a line that was rebuilt (line/wrapped_lines.h).
struct Outside {
  std::string_view time;
  std::string_view stream;
  std::string_view channel;
};

// Peels decorations repeatedly, in any order, by the table in decorations.cc,
// and what a source's own lines have told (line/learned_prefixes.h); before
// that escape sequences, wherever they stand. What is left are bytes of the
// line in their order. Owns its scratch buffers; not thread-safe. A line
// without decorations costs a look at its first characters and one memchr for
// ESC.
class LineCleaner {
 public:
  // What need not be searched for.
  struct Hints {
    bool controls = true;  // false: there is no control character but tabs
    bool tabs = true;      // false: there is no tab
  };
  Line Clean(const PhysicalLine& physical, Hints hints,
             const Outside& outside = {});
  Line Clean(const PhysicalLine& physical) { return Clean(physical, Hints()); }

  // True once the source has prefixes that only Clean() knows.
  bool learned() const { return learned_.any() || columns_.any(); }

  // The length of a CI's time stamp at the front of `text`, 0 if it has none or
  // one that says more than the time.
  static size_t TimeLength(std::string_view text);
  // True if Clean() would take something off the front of `text`, which is not
  // empty, or if it is wrapped or begins a step.
  static bool IsDecorated(std::string_view text);
  // False if no such text begins with `first`.
  static bool CanBeDecorated(char first);

 private:
  std::string stripped_;  // the line without escapes
  std::string stream_;
  std::string time_;  // Buildkite's
  LearnedPrefixes learned_;
  Columns columns_;
};

// The table, for the test that walks its samples.
struct DecorationSample {
  std::string_view name;
  std::string_view decorated;
  std::string_view clean;
};
const std::vector<DecorationSample>& DecorationSamples();

}  // namespace pt2triage
