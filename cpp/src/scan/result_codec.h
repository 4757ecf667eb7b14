// What one source gave, as bytes: to keep it in a file, or to send it to the
// process that merges all sources.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "pt2triage/scanner.h"

namespace pt2triage {

// Everything of a result. The bytes are of this version of pt2triage alone;
// they hold no pointers and run nothing when they are read.
std::string EncodeResult(const SourceResult& result);

// Reads it back; the report that it gives is the same. An error if the bytes
// are damaged or of another version. Any bytes are safe to read: memory is
// within a small multiple of their number.
absl::StatusOr<std::shared_ptr<SourceResult>> DecodeResult(
    std::string_view bytes);

}  // namespace pt2triage
