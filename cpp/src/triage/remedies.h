// What to do next, per cause.
#pragma once

#include "pt2triage/finding.h"

namespace pt2triage {

// Fills remedy and next_command with the names of this finding.
void AddRemedies(Finding* finding);

}  // namespace pt2triage
