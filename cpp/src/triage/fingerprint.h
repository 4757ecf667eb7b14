// Stable ids of findings.
#pragma once

#include <string>

#include "pt2triage/finding.h"

namespace pt2triage {

// 12 hex digits over category, cause, exception class, normalised message,
// guard or reason, and the user frame's file name and function.
std::string FingerprintOf(const Finding& finding);

}  // namespace pt2triage
