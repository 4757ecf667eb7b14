// Stable ids of findings.
#pragma once

#include <string>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// Takes out of a text what differs between equal failures: addresses, folders
// of paths, line numbers, process ids, temporary names, thread indices.
std::string NormaliseText(std::string_view text);

// 12 hex digits over category, cause, exception class, normalised message,
// guard or reason, and the user frame's file name and function.
std::string FingerprintOf(const Finding& finding);

}  // namespace pt2triage
