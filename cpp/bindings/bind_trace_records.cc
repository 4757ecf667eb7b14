// The records of a trace with their payloads.
#include <pybind11/stl.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "trace/record_feed.h"

namespace pt2triage::python {
namespace {

// A RecordFeed that may be called from several Python threads.
class Feed {
 public:
  Feed(std::vector<std::string> names, size_t max_payload,
       std::vector<std::string> without)
      : feed_(std::move(names), std::move(without), max_payload) {}

  std::vector<FullRecord> Take(const py::buffer& data) {
    const py::buffer_info info = data.request();
    const std::string_view chunk = FedBytes(info);
    py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    feed_.Feed(chunk);
    return feed_.Take();
  }

  std::vector<FullRecord> Finish() {
    py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    feed_.Finish();
    return feed_.Take();
  }

  size_t processes() {
    const std::lock_guard lock(mutex_);
    return feed_.processes();
  }

 private:
  std::mutex mutex_;
  RecordFeed feed_;
};

}  // namespace

void BindTraceRecords(py::module_& module) {
  using R = FullRecord;
  const auto text = [](std::string R::* member) {
    return [member](const R& record) { return Text(record.*member); };
  };
  const auto known = [](std::string R::* member) {
    return [member](const R& record) { return Name(record.*member); };
  };
  py::class_<R>(module, "FullRecord", "A record with its payload.",
                py::is_final())
      .def_readonly("process", &R::process)
      .def_property_readonly(
          "rank", [](const R& record) { return ToPython(record.rank); })
      .def_property_readonly("pid", text(&R::pid))
      .def_property_readonly("time", text(&R::time))
      .def_property_readonly("location", text(&R::location))
      .def_property_readonly("compile_id", known(&R::compile_id))
      .def_property_readonly(
          "attempt", [](const R& record) { return ToPython(record.attempt); })
      .def_property_readonly("record", text(&R::record))
      .def_property_readonly("name", known(&R::name))
      .def_property_readonly("metadata", text(&R::metadata))
      .def_property_readonly(
          "stack", [](const R& record) { return ToPython(record.stack); })
      .def_property_readonly("payload",
                             [](const R& record) -> py::object {
                               if (!record.has_payload) return py::none();
                               return py::bytes(record.payload);
                             })
      .def_readonly("too_long", &R::too_long)
      .def_property_readonly("checksum", known(&R::checksum))
      .def_property_readonly("md5", known(&R::md5))
      .def_readonly("line", &R::line)
      .def_readonly("offset", &R::offset);
  py::class_<Feed>(module, "RecordFeed",
                   "Reads the records of one source, whose bytes are pushed.",
                   py::is_final())
      .def(py::init<std::vector<std::string>, size_t,
                    std::vector<std::string>>(),
           py::arg("names") = std::vector<std::string>(),
           py::arg("max_payload") = 0,
           py::arg("without") = std::vector<std::string>())
      .def("feed", &Feed::Take, py::arg("data"),
           "Takes the next bytes; returns the records that are whole by now.")
      .def("finish", &Feed::Finish, "The records that were still open.")
      .def_property_readonly("processes", &Feed::processes,
                             "Processes seen until now.");
}

}  // namespace pt2triage::python
