// Peels what terminals, CI systems, launchers and test runners put around a
// line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "line/line_splitter.h"

namespace pt2triage {

// One cleaned line. Views point into the physical line or into the Cleaner's
// buffers and live until its next call.
struct Line {
  std::string_view text;    // what the program wrote
  std::string_view stream;  // who wrote it: rank, worker and logger prefixes
  std::string_view time;    // the CI's time stamp, if any
  int32_t rank = -1;
  bool pytest_error = false;  // had pytest's `E   `
  bool quoted = false;        // had a `> `
  PhysicalLine physical;
};

// Peels decorations repeatedly, in any order, by the table in decorations.cc:
// BOM, ANSI/OSC/APC escapes, CI time stamps, launcher and rank prefixes,
// worker prefixes, logger prefixes, pytest's `E   `. What is left are bytes of
// the line in their order. Owns two scratch buffers; not thread-safe. A line
// without decorations costs a look at its first characters and one memchr for
// ESC.
class LineCleaner {
 public:
  // `controls` false promises that the line holds no control character but
  // tabs, so that it need not be searched for escapes.
  Line Clean(const PhysicalLine& physical, bool controls = true);

  // The length of a CI's time stamp at the front of `text`, 0 if it has none.
  static size_t TimeLength(std::string_view text);
  // True if Clean() would take something off the front of `text`.
  static bool IsDecorated(std::string_view text);
  // False if no decorated text begins with `first`.
  static bool CanBeDecorated(char first);

 private:
  void StripEscapes(std::string_view text);

  std::string stripped_;  // the line without escapes
  std::string stream_;
};

// Removes escape sequences (CSI, OSC, APC, two-byte ones) from `text`.
std::string WithoutEscapes(std::string_view text);

// The table, for the test that walks its samples.
struct DecorationSample {
  std::string_view name;
  std::string_view decorated;
  std::string_view clean;
};
const std::vector<DecorationSample>& DecorationSamples();

}  // namespace pt2triage
