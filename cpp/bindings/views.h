// What only Python sees of values that need their report to be understood.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "pt2triage/finding.h"
#include "report/fields.h"
#include "report/source_name.h"
#include "report/views.h"

namespace pt2triage::python {

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
