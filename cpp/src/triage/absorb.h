// Takes repeats and details out from among the drafts.
#pragma once

#include <vector>

#include "triage/classify.h"

namespace pt2triage {

// In each source: a bare exception line that repeats a traceback, a logged
// exception that was raised later, device asserts behind a device error, and
// accuracy lines behind a raised AccuracyError or their verdict go into the
// draft that they belong to. A framework's re-raise without a printed cause
// becomes the outermost exception of the failure before it.
void AbsorbDetails(std::vector<Draft>* drafts);

}  // namespace pt2triage
