// Why a source ends before its end: statuses that let what was read be used.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace pt2triage {

// The compressed data stops in the middle.
inline absl::Status CutStatus(const std::string& message) {
  return absl::DataLossError(message);
}
// It is not what it should be.
inline absl::Status DamagedStatus(const std::string& message) {
  return absl::InvalidArgumentError(message);
}
// It becomes more than is allowed.
inline absl::Status LimitStatus(const std::string& message) {
  return absl::OutOfRangeError(message);
}
// This program cannot read it.
inline absl::Status UnsupportedStatus(const std::string& message) {
  return absl::UnimplementedError(message);
}

}  // namespace pt2triage
