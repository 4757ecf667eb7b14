// What the scanning parts of the module hand to each other.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "pt2triage/finding.h"
#include "pt2triage/scanner.h"
#include "pt2triage/source.h"

namespace pt2triage::python {

namespace py = pybind11;

// What one source gave; MakeReport() uses it up. `report` is there instead
// where it was judged for itself already.
struct Result {
  std::shared_ptr<SourceResult> result;
  std::shared_ptr<Report> report;
  std::string unread;  // why it was not read to its end; empty if it was
};

// Judges the source for itself, if that is wanted. Empty for null.
Result ResultFrom(std::shared_ptr<SourceResult> scanned, bool judge = false);

// Why a file could not be scanned.
struct Failure {
  absl::StatusCode code;
  std::string message;
};

// The largest ratio, number of bytes and depth; None: as the core has them.
DecodeLimits LimitsFrom(const py::object& limits);

// A status of io/unread.h as (word, sentence), and back. None for others.
py::object ProblemFrom(const absl::Status& status);
absl::Status StatusFrom(const std::string& word, const std::string& sentence);

}  // namespace pt2triage::python
