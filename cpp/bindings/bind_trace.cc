// The tables of structured traces.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind_struct.h"
#include "bindings.h"
#include "convert.h"
#include "pt2triage/trace.h"
#include "report/trace_fields.h"
#include "result.h"
#include "scan/source_result.h"
#include "trace_tables.h"

namespace pt2triage::python {
namespace {

py::tuple Metrics(const MetricStore& store) {
  py::tuple rows(store.entries.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = py::cast(store.Row(i));
  return rows;
}

py::tuple Rows(const TraceTables& tables, std::string_view name) {
  if (name == "metrics") return Metrics(tables.metrics);
  py::object rows = py::none();
  ForEachTraceTable([&](std::string_view table, auto member) {
    if (table == name) rows = ToPython(tables.*member);
  });
  if (rows.is_none()) throw py::value_error("no such table");
  return rows;
}

py::dict Counts(const TraceTables& tables) {
  py::dict counts;
  ForEachTraceTable([&](std::string_view table, auto member) {
    counts[Text(table)] = (tables.*member).size();
  });
  counts["metrics"] = tables.metrics.entries.size();
  return counts;
}

std::shared_ptr<TraceTables> Merge(const py::list& results) {
  std::vector<std::shared_ptr<TraceTables>> parts;
  for (py::handle item : results) {
    auto& result = item.cast<Result&>();
    if (result.result == nullptr) {
      throw py::value_error("the result is merged into a report already");
    }
    if (auto tables = TakeTables(result.result.get())) {
      parts.push_back(std::move(tables));
    }
  }
  py::gil_scoped_release release;
  return std::make_shared<TraceTables>(MergeTraces(std::move(parts)));
}

}  // namespace

void BindTrace(py::module_& module) {
  BindStruct<ProcessRow>(module, "TraceProcess",
                         "A process that wrote a trace.");
  BindStruct<CompileRow>(module, "Compile", "One compile of one frame.");
  BindStruct<BreakRow>(module, "TraceBreak", "A graph break in a trace.");
  BindStruct<RecompileRow>(module, "TraceRecompile",
                           "A guard that failed before a recompile.");
  BindStruct<CacheRow>(module, "CacheEvent", "A lookup in a compile cache.");
  BindStruct<MetricRow>(module, "Metric", "A field of CompilationMetrics.");
  BindStruct<SymbolRow>(module, "Symbol", "A symbol of a shape.");
  BindStruct<CollectiveRow>(module, "Collective", "A collective operation.");
  BindStruct<ArtifactRow>(module, "TraceRecord", "A record of a trace.");
  BindStruct<KindRow>(module, "TraceKind", "How many records of a name.");
  py::class_<TraceTables, std::shared_ptr<TraceTables>>(
      module, "TraceTables", "All tables of traces.", py::is_final())
      .def("rows", &Rows, py::arg("table"), "The rows of a table.")
      .def("counts", &Counts, "The number of rows of each table.")
      .def_property_readonly(
          "omitted", [](const TraceTables& tables) { return tables.omitted; },
          "Rows that were too many.");
  module.def("merge_traces", &Merge, py::arg("results"),
             "Takes the tables out of results, which stay for make_report().");
}

}  // namespace pt2triage::python
