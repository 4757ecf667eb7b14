// What Python sees of values that need their report to be understood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "pt2triage/finding.h"
#include "report/fields.h"
#include "report/source_name.h"

namespace pt2triage::python {

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

// A diagnostic with its place spread out, as in the JSON.
struct PlacedDiagnostic {
  std::string source;
  uint64_t line = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string kind;
  std::string message;

  PlacedDiagnostic() = default;
  PlacedDiagnostic(const Report& report, const Diagnostic& diagnostic)
      : source(SourceName(report, diagnostic.at)),
        line(diagnostic.at.line),
        offset(diagnostic.at.offset),
        length(diagnostic.at.length),
        kind(diagnostic.kind),
        message(diagnostic.message) {}
  bool operator==(const PlacedDiagnostic&) const = default;
};

}  // namespace pt2triage::python

namespace pt2triage {

template <>
struct FieldsOf<python::Place> {
  static constexpr auto kFields = std::tuple{
      Field{"source", &python::Place::source, "Name of the source."},
      Field{"line", &python::Place::line, "First line, counted from 1."},
      Field{"offset", &python::Place::offset,
            "Byte offset in the source, decompressed."},
      Field{"length", &python::Place::length, "Number of bytes."},
  };
};

template <>
struct FieldsOf<python::PlacedDiagnostic> {
  using D = python::PlacedDiagnostic;
  static constexpr auto kFields = std::tuple{
      Field{"source", &D::source, "Name of the source."},
      Field{"line", &D::line, "First line, counted from 1."},
      Field{"offset", &D::offset, "Byte offset in the source."},
      Field{"length", &D::length, "Number of bytes."},
      Field{"kind", &D::kind, "Stable word."},
      Field{"message", &D::message, "A sentence."},
  };
};

}  // namespace pt2triage
