// Files on a pool of threads, their outcomes in order.
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "file_scans.h"
#include "result.h"

namespace pt2triage::python {
namespace {

// How often a waiting thread looks for Ctrl-C and reports its progress.
constexpr std::chrono::milliseconds kLookAround{50};

// Offset, packed size, packing, CRC, size, whether it is in a zip archive.
using MemberState =
    std::tuple<uint64_t, uint64_t, std::string, std::optional<uint32_t>,
               std::optional<uint64_t>, bool>;
// Path, name (empty: the path), only text, depth, job, step, member of an
// archive.
using FileState =
    std::tuple<std::string, std::string, bool, uint32_t, std::string,
               std::string, std::optional<MemberState>>;

Packing PackingFrom(const std::string& word) {
  if (word == "stored") return Packing::kStored;
  if (word == "deflate") return Packing::kDeflate;
  if (word == "zstd") return Packing::kZstd;
  throw py::value_error("no packing: " + word);
}

FileToScan FileFrom(FileState state) {
  FileToScan file;
  std::optional<MemberState> packed;
  std::tie(file.path, file.name, file.only_text, file.depth, file.origin.job,
           file.origin.step, packed) = std::move(state);
  if (packed) {
    FileToScan::Member& member = file.member.emplace();
    std::string packing;
    std::tie(member.offset, member.packed_size, packing, member.crc,
             member.size, member.in_zip) = *std::move(packed);
    member.packing = PackingFrom(packing);
  }
  return file;
}

class Files {
 public:
  Files(std::vector<FileState> states, bool verify, size_t jobs,
        const py::object& limits, bool judge, bool tables) {
    if (jobs < 1) throw py::value_error("jobs must be at least 1");
    std::vector<FileToScan> files;
    files.reserve(states.size());
    for (FileState& state : states) files.push_back(FileFrom(std::move(state)));
    scans_.emplace(
        std::move(files),
        FileScans::Options{verify, tables, judge, LimitsFrom(limits), jobs});
  }
  ~Files() {
    py::gil_scoped_release release;  // while threads are joined
    scans_.reset();
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  py::object Next(const py::object& progress) {
    if (scans_->all_taken()) throw py::stop_iteration();
    py::gil_scoped_release release;
    bool done = false;
    while (!done) {
      done = scans_->Wait(kLookAround);
      if (done && progress.is_none()) break;
      py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(scans_->bytes_done());
    }
    ScanOutcome outcome = scans_->Take();
    py::gil_scoped_acquire acquire;
    if (!outcome.ok()) {
      return py::cast(Failure{outcome.status().code(),
                              std::string(outcome.status().message())});
    }
    if (!outcome->holds.empty()) return Text(outcome->holds);
    return py::cast(std::move(outcome->result));
  }

 private:
  std::optional<FileScans> scans_;
};

}  // namespace

void BindFiles(py::module_& module) {
  py::class_<Files>(module, "FileScans", "Scans files on threads.",
                    py::is_final())
      .def(py::init<std::vector<FileState>, bool, size_t, const py::object&,
                    bool, bool>(),
           py::arg("files"), py::arg("verify"), py::arg("jobs"),
           py::arg("limits") = py::none(), py::arg("judge") = false,
           py::arg("tables") = false)
      .def("next", &Files::Next, py::arg("progress") = py::none(),
           "The outcome of the next file: a Result, a Failure, or the word for "
           "what the caller has to open.");
}

}  // namespace pt2triage::python
