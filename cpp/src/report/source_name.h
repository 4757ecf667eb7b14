// Names the source of a place.
#pragma once

#include <string>

#include "pt2triage/finding.h"

namespace pt2triage {

// The name of the source that `place` points into; empty for a place that no
// source of the report has. The reference lives as long as the report.
inline const std::string& SourceName(const Report& report,
                                     const Evidence& place) {
  static const std::string kNoName;
  return place.source < report.sources.size()
             ? report.sources[place.source].name
             : kNoName;
}

}  // namespace pt2triage
