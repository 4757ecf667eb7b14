// Lets a source be read by a thread of its own.
#pragma once

#include <memory>

#include "pt2triage/source.h"

namespace pt2triage {

// Reads `source` on a thread, up to a megabyte ahead of the reader, so that
// decompression goes on beside the scan. Gives the same bytes and the same
// status. Where no thread can be had, it is read as it is.
std::unique_ptr<Source> ReadAhead(std::unique_ptr<Source> source);

}  // namespace pt2triage
