// Report: what a scan returns.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "bindings.h"
#include "convert.h"
#include "pt2triage/report.h"
#include "state.h"
#include "views.h"

namespace pt2triage::python {
namespace {

py::tuple Findings(const SharedReport& report) {
  py::tuple findings(report->findings.size());
  for (size_t i = 0; i < report->findings.size(); ++i) {
    findings[i] = py::cast(FindingView{report, i});
  }
  return findings;
}

// The report with the findings of `categories` only; the others are counted as
// omitted.
SharedReport Only(const SharedReport& report,
                  const std::unordered_set<std::string>& categories) {
  auto result = std::make_shared<Report>(*report);
  const auto dropped =
      std::erase_if(result->findings, [&](const Finding& finding) {
        return !categories.contains(
            std::string(CategoryName(finding.category)));
      });
  result->omitted_findings += dropped;
  result->category = Category::kNone;
  result->finding.reset();
  if (!result->findings.empty()) {
    result->category = result->findings.front().category;
    result->finding = result->findings.front().fingerprint;
  }
  return result;
}

}  // namespace

void BindReport(py::module_& module) {
  // pybind11 holds a report by a pointer to non-const; it is never changed.
  py::class_<Report, std::shared_ptr<Report>>(
      module, "Report", "What a scan returns.", py::is_final())
      .def_property_readonly(
          "category",
          [](const Report& report) { return ToPython(report.category); },
          "Category of the failure to look at first, None if nothing failed.")
      .def_property_readonly(
          "finding",
          [](const Report& report) { return ToPython(report.finding); },
          "Fingerprint of the failure to look at first.")
      .def_property_readonly(
          "counts", [](const Report& report) { return report.counts; },
          "How many events of each kind.")
      .def_property_readonly(
          "sources",
          [](const Report& report) { return ToPython(report.sources); },
          "What was read.")
      .def_property_readonly(
          "findings",
          [](const std::shared_ptr<Report>& report) {
            return Findings(report);
          },
          "What is wrong, most important first.")
      .def_property_readonly(
          "omitted_findings",
          [](const Report& report) { return report.omitted_findings; },
          "Number of findings that are not listed.")
      .def_property_readonly(
          "diagnostics",
          [](const Report& report) {
            return ToViews<PlacedDiagnostic>(report, report.diagnostics);
          },
          "Places that could not be read, at most 1,000.")
      .def(
          "to_json",
          [](const Report& report, int indent) {
            std::string json;
            {
              py::gil_scoped_release release;
              json = ReportToJson(report, indent);
            }
            return Text(json);
          },
          py::arg("indent") = 2, "The report as one JSON document.")
      .def(
          "write_json",
          [](const Report& report, const py::object& write, int indent) {
            WriteReportJson(report, indent, [&write](std::string_view piece) {
              write(py::bytes(piece.data(), piece.size()));
            });
          },
          py::arg("write"), py::arg("indent") = 2,
          "Calls `write` with the pieces of the JSON document, as UTF-8.")
      .def(
          "only",
          [](const std::shared_ptr<Report>& report,
             const std::unordered_set<std::string>& categories) {
            return std::const_pointer_cast<Report>(Only(report, categories));
          },
          py::arg("categories"),
          "The report with the findings of these categories only.")
      .def(
          "__eq__",
          [](const Report& a, const Report& b) {
            return ReportToJson(a, 0) == ReportToJson(b, 0);
          },
          py::is_operator())
      .def(py::pickle([](const Report& report) { return ToState(report); },
                      [](const py::tuple& state) {
                        auto report = std::make_shared<Report>();
                        FromState(state, *report);
                        return report;
                      }));
}

}  // namespace pt2triage::python
