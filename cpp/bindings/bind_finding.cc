// Finding and the small values that it is made of.
#include <functional>
#include <memory>
#include <utility>

#include "bind_struct.h"
#include "bindings.h"
#include "convert.h"
#include "pt2triage/report.h"
#include "state.h"
#include "views.h"

namespace pt2triage::python {
namespace {

// One line: what, how often and where.
std::string Summary(const Finding& finding) {
  std::string text = "<Finding " + finding.fingerprint + " " +
                     std::string(CategoryName(finding.category)) + "/" +
                     finding.cause + " " +
                     std::string(SeverityName(finding.severity)) + " x" +
                     std::to_string(finding.count);
  if (finding.user_frame) {
    text += " at " + finding.user_frame->file + ":" +
            std::to_string(finding.user_frame->line);
  }
  return text + ">";
}

std::string ToJson(const FindingView& view) {
  return FindingToJson(*view.report, view.finding());
}

// A finding travels with the names of the sources that its evidence is in.
py::tuple FindingState(const FindingView& view) {
  Finding finding = view.finding();
  py::list names;
  for (size_t i = 0; i < finding.evidence.size(); ++i) {
    names.append(py::bytes(SourceName(*view.report, finding.evidence[i])));
    finding.evidence[i].source = static_cast<uint32_t>(i);
    finding.evidence[i].member = 0;  // its name has it
  }
  return py::make_tuple(ToState(finding), names);
}

FindingView FindingFromState(const py::tuple& state) {
  if (state.size() != 2) {
    throw py::value_error("pickle is of another version of pt2triage");
  }
  auto report = std::make_shared<Report>();
  FromState(state[0], report->findings.emplace_back());
  for (py::handle name : state[1]) {
    report->sources.emplace_back().name = name.cast<std::string>();
  }
  return {std::move(report), 0};
}

void BindFindingClass(py::module_& module) {
  py::class_<FindingView> bound(module, "Finding",
                                "One or more equal events, classified.",
                                py::is_final());
  ForEachField<Finding>([&](const auto& field) {
    bound.def_property_readonly(
        field.name,
        [field](const FindingView& view) -> py::object {
          const auto& member = view.finding().*field.member;
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>,
                                       std::vector<Evidence>>) {
            return ToViews<Place>(*view.report, member);
          } else {
            return ToPython(member);
          }
        },
        field.doc);
  });
  bound
      .def(
          "to_json", [](const FindingView& view) { return Text(ToJson(view)); },
          "This finding as one line of JSON.")
      .def(
          "_repr_html_",
          [](const py::object& self) {
            return py::module_::import("pt2triage.report.html")
                .attr("finding_html")(self);
          },
          "What a notebook shows.")
      .def(
          "__repr__",
          [](const FindingView& view) { return Text(Summary(view.finding())); })
      .def(
          "__eq__",
          [](const FindingView& a, const FindingView& b) {
            return ToJson(a) == ToJson(b);
          },
          py::is_operator())
      .def("__hash__",
           [](const FindingView& view) {
             return std::hash<std::string>()(view.finding().fingerprint);
           })
      .def(py::pickle(&FindingState, &FindingFromState));
}

}  // namespace

void BindFinding(py::module_& module) {
  BindStruct<Place>(module, "Evidence", "Where a claim can be looked up.");
  BindStruct<StackFrame>(module, "StackFrame", "One entry of a traceback.");
  BindStruct<GuardFailure>(module, "GuardFailure", "One guard that failed.");
  BindStruct<ChainLink>(module, "ChainLink",
                        "One exception of an exception chain.");
  BindStruct<Remedy>(module, "Remedy", "One step towards a repair.");
  BindStruct<Counts>(module, "Counts", "How many events of each kind.");
  BindStruct<Artifact>(module, "Artifact", "One file of a debug folder.");
  BindStruct<SourceInfo>(module, "Source", "What was read of one source.");
  BindStruct<PlacedDiagnostic>(module, "Diagnostic",
                               "A place that could not be read.");
  BindFindingClass(module);
}

}  // namespace pt2triage::python
