// Values that need their report to be understood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "pt2triage/finding.h"
#include "report/fields.h"
#include "report/source_name.h"

namespace pt2triage {

// An immutable report that its findings share.
using SharedReport = std::shared_ptr<const Report>;

// One finding; keeps its report alive. Cheap to copy.
struct FindingView {
  SharedReport report;
  size_t index = 0;

  const Finding& finding() const { return report->findings[index]; }
};

// Evidence with its source by name.
struct Place {
  std::string source;
  uint64_t line = 0;
  uint64_t offset = 0;
  uint64_t length = 0;

  Place() = default;
  Place(const Report& report, const Evidence& at)
      : source(SourceName(report, at)),
        line(at.line),
        offset(at.offset),
        length(at.length) {}
  bool operator==(const Place&) const = default;
};

template <>
struct FieldsOf<Place> {
  static constexpr auto kFields = std::tuple{
      Field{"source", &Place::source, "Name of the source."},
      Field{"line", &Place::line, "First line, counted from 1."},
      Field{"offset", &Place::offset,
            "Byte offset in the source, decompressed."},
      Field{"length", &Place::length, "Number of bytes."},
  };
};

}  // namespace pt2triage
