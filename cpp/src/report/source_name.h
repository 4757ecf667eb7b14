// Names the source of a place.
#pragma once

#include <string>

#include "pt2triage/finding.h"

namespace pt2triage {

// The name of the source that `place` points into, with the member's as in
// `folder!run_1/debug.log`; empty for a place that no source of the report has.
inline std::string SourceName(const Report& report, const Evidence& place) {
  if (place.source >= report.sources.size()) return {};
  const SourceInfo& source = report.sources[place.source];
  if (place.member == 0 || place.member > source.artifacts.size()) {
    return source.name;
  }
  return source.name + "!" + source.artifacts[place.member - 1].path;
}

}  // namespace pt2triage
