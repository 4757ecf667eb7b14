// The records of a buffer, as the tests compare them with their oracle.
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bindings.h"
#include "convert.h"
#include "record/record_stream.h"

namespace pt2triage::python {
namespace {

py::object Optional(const std::string& text) {
  return text.empty() ? py::object(py::none()) : py::object(Text(text));
}

py::object CompileIdText(const std::optional<CompileId>& id) {
  return id ? py::object(py::str(id->ToString())) : py::object(py::none());
}

py::dict Common(const char* kind, const std::string& time,
                const std::string& process,
                const std::optional<CompileId>& compile_id, int32_t rank,
                const Evidence& evidence) {
  py::dict out;
  out["kind"] = kind;
  out["time"] = Optional(time);
  out["process"] = Optional(process);
  out["compile_id"] = CompileIdText(compile_id);
  out["rank"] = rank < 0 ? py::object(py::none()) : py::object(py::int_(rank));
  out["line"] = evidence.line;
  out["offset"] = evidence.offset;
  return out;
}

// All records in the order of their first lines.
py::list ReadRecords(const py::bytes& data, size_t chunk_size) {
  py::list records;
  ParseStats stats;
  RecordStream stream(
      nullptr, /*verify=*/false, &stats,
      {[&](LogRecord& record) {
         py::dict out = Common("log", record.time, record.process,
                               record.compile_id, record.rank, record.evidence);
         out["level"] = std::string(1, record.level);
         out["path"] = Text(record.path);
         out["path_line"] = Optional(record.path_line);
         out["artifact"] = Optional(record.artifact);
         out["text"] = Text(record.text);
         records.append(out);
       },
       [&](TraceRecord& record) {
         py::dict out = Common("trace", record.time, record.process,
                               record.compile_id, record.rank, record.evidence);
         out["level"] = "V";
         size_t colon = record.location.rfind(':');
         out["path"] = Text(record.location.substr(0, colon));
         out["path_line"] = Text(record.location.substr(colon + 1));
         out["artifact"] = py::none();
         out["text"] = Text(std::string(record.name));
         records.append(out);
       },
       [](const Line&) {}});
  std::string_view bytes = data;
  size_t step =
      chunk_size == 0 ? std::max<size_t>(bytes.size(), 1) : chunk_size;
  for (size_t at = 0; at < bytes.size(); at += step) {
    stream.Feed(bytes.substr(at, step));
  }
  stream.Finish();
  records.attr("sort")(
      py::arg("key") =
          py::module_::import("operator").attr("itemgetter")("offset"));
  return records;
}

}  // namespace

void BindRecords(py::module_& module) {
  module.def("read_records", &ReadRecords, py::arg("data"),
             py::arg("chunk_size") = 0,
             "Log and trace records of a buffer, for tests of the grammar.");
}

}  // namespace pt2triage::python
