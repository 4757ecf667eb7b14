// What holds for the report of any one source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "check.h"
#include "pt2triage/finding.h"
#include "pt2triage/parse_stats.h"

// No byte of `text` is dropped, and each place that could not be read is named.
inline void CheckAccounts(const pt2triage::Report& report,
                          std::string_view text) {
  const pt2triage::SourceInfo& info = report.sources.at(0);
  Check(
      info.bytes_parsed + info.bytes_plain + info.bytes_malformed == info.bytes,
      "bytes add up");
  // UTF-16 counts as the UTF-8 that it was turned into.
  const bool utf16 =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  Check(utf16 || info.bytes == text.size(), "all bytes are counted");
  Check(report.diagnostics.size() ==
            std::min<size_t>(info.malformed + info.unrecognised,
                             pt2triage::ParseStats::kMaxKept),
        "malformed places and unrecognised records are named");
  for (const pt2triage::Diagnostic& place : report.diagnostics) {
    Check(utf16 || place.at.offset + place.at.length <= info.bytes,
          "places lie in the source");
    Check(place.at.line >= 1, "lines count from 1");
  }
}
