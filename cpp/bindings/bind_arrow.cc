// Tables through the Arrow PyCapsule interface.
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "bindings.h"
#include "convert.h"
#include "report/arrow_stream.h"
#include "trace_tables.h"

namespace pt2triage::python {
namespace {

constexpr char kSchemaCapsule[] = "arrow_schema";
constexpr char kStreamCapsule[] = "arrow_array_stream";

// A capsule that owns a struct of the C interface, filled by `fill`. Whoever
// takes the content over sets its `release` to null.
template <typename Struct, typename Fill>
py::object Capsule(const char* name, Fill&& fill) {
  auto content = std::make_unique<Struct>();
  fill(content.get());
  PyObject* capsule = PyCapsule_New(content.get(), name, [](PyObject* object) {
    auto* held = static_cast<Struct*>(
        PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) {
    content->release(content.get());
    throw py::error_already_set();
  }
  content.release();
  return py::reinterpret_steal<py::object>(capsule);
}

// `trace_NAME`, for the tables of traces.
std::unique_ptr<ArrowTable> MakeTableOfTrace(std::string_view name,
                                             const py::sequence& rows) {
  std::unique_ptr<ArrowTable> made;
  if (Consume(&name, "trace_")) {
    if (name == "metrics") {
      return MakeTraceTable(rows.cast<std::vector<MetricRow>>());
    }
    ForEachTraceTable([&]<typename Row>(std::string_view table,
                                        std::vector<Row> TraceTables::*) {
      if (table == name) made = MakeTraceTable(rows.cast<std::vector<Row>>());
    });
  }
  if (made == nullptr) throw py::value_error("no such table");
  return made;
}

std::unique_ptr<ArrowTable> MakeTable(std::string_view name,
                                      const py::sequence& rows) {
  if (name == "findings") {
    return MakeFindingsTable(rows.cast<std::vector<FindingView>>());
  }
  if (name == "sources") {
    return MakeSourcesTable(rows.cast<std::vector<SourceInfo>>());
  }
  if (name != "guard_failures") return MakeTableOfTrace(name, rows);
  std::vector<GuardView> guards;
  for (const auto& [view, index] :
       rows.cast<std::vector<std::pair<FindingView, size_t>>>()) {
    if (index >= view.finding().guard_failures.size()) {
      throw py::index_error("the finding has no such guard failure");
    }
    guards.push_back({view, index});
  }
  return MakeGuardFailuresTable(std::move(guards));
}

// The interface lets a reader ask for another form of the same columns. Words
// can be had as plain text; other wishes are left to the reader's own cast.
void Fulfil(const py::object& request, ArrowTable& table) {
  if (request.is_none()) return;
  if (!PyCapsule_IsValid(request.ptr(), kSchemaCapsule)) {
    throw py::type_error("requested_schema must be an arrow_schema capsule");
  }
  const auto& schema = *static_cast<const ArrowSchema*>(
      PyCapsule_GetPointer(request.ptr(), kSchemaCapsule));
  const std::vector<ArrowType>& columns = table.type().children;
  const auto count = static_cast<int64_t>(columns.size());
  if (schema.format != std::string_view("+s") || schema.n_children != count) {
    throw py::value_error("requested_schema has other columns");
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const ArrowSchema& child = *schema.children[i];
    if (child.name == nullptr || child.name != columns[i].name) {
      throw py::value_error("requested_schema has other columns");
    }
    const std::string_view format = child.format;
    const bool is_text = format == "u" || format == "U" || format == "vu";
    if (columns[i].kind == ArrowKind::kWord && child.dictionary == nullptr &&
        is_text) {
      table.UsePlainText(i);
    }
  }
}

py::object MakeStream(const std::string& name, const py::sequence& rows,
                      const py::object& requested_schema) {
  std::unique_ptr<ArrowTable> table = MakeTable(name, rows);
  Fulfil(requested_schema, *table);
  return Capsule<ArrowArrayStream>(kStreamCapsule,
                                   [&](ArrowArrayStream* stream) {
                                     ExportStream(std::move(table), stream);
                                   });
}

py::object MakeSchema(const std::string& name) {
  const std::unique_ptr<ArrowTable> table = MakeTable(name, py::tuple());
  return Capsule<ArrowSchema>(kSchemaCapsule, [&](ArrowSchema* schema) {
    ExportTableSchema(*table, schema);
  });
}

py::dict Columns(const std::string& name) {
  py::dict columns;
  const std::unique_ptr<ArrowTable> table = MakeTable(name, py::tuple());
  for (const auto& [column, doc] : table->columns()) {
    columns[Text(column)] = Text(doc);
  }
  return columns;
}

}  // namespace

void BindArrow(py::module_& module) {
  module.def("arrow_stream", &MakeStream, py::arg("table"), py::arg("rows"),
             py::arg("requested_schema") = py::none(),
             "Rows as a capsule of an Arrow C stream.");
  module.def("arrow_schema", &MakeSchema, py::arg("table"),
             "The columns of a table as a capsule of an Arrow C schema.");
  module.def("arrow_columns", &Columns, py::arg("table"),
             "The meaning of each column of a table.");
}

}  // namespace pt2triage::python
