// Bytes in, results out. The GIL is released while bytes are read.
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "io/encoding.h"
#include "pt2triage/scanner.h"
#include "result.h"
#include "scan/result_codec.h"
#include "scan/scan_source.h"
#include "scan/source_result.h"

namespace pt2triage::python {
namespace {

using Problem = std::optional<std::pair<std::string, std::string>>;

// A SourceScanner that may be called from several Python threads.
class Scanner {
 public:
  Scanner(std::string name, bool verify, std::string job, std::string step,
          std::string attempt, bool tables) {
    ScanOptions options;
    options.verify = verify;
    options.tables = tables;
    options.origin = {std::move(job), std::move(step), std::move(attempt)};
    scanner_.emplace(std::move(name), options);
  }

  void Feed(const py::buffer& data) {
    const py::buffer_info info = data.request();
    const std::string_view chunk = FedBytes(info);
    py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    Open().Feed(chunk);
  }

  // `problem` says why the source ends early, `warning` what was odd.
  Result Finish(const Problem& problem, const std::string& warning) {
    py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<SourceResult> result = Open().Finish();
    scanner_.reset();
    if (problem) {
      NoteUnread(StatusFrom(problem->first, problem->second), result.get());
    }
    if (!warning.empty()) {
      AddNote(ParseIssue::kTrailingBytes, warning, result.get());
    }
    return ResultFrom(std::move(result));
  }

 private:
  SourceScanner& Open() {
    if (!scanner_) throw py::value_error("the scanner is finished");
    return *scanner_;
  }

  std::mutex mutex_;
  std::optional<SourceScanner> scanner_;
};

// One file of a folder as Python hands it over: path, kind, graph, bytes,
// command, graph folder, MD5, and its Result if it was read.
using MemberState =
    std::tuple<std::string, std::string, std::optional<std::string>, uint64_t,
               std::optional<std::string>, std::string, std::string,
               py::object>;

std::shared_ptr<SourceResult> TakeResult(py::handle item) {
  auto& result = item.cast<Result&>();
  if (result.result == nullptr) {
    throw py::value_error("a result can be merged only once");
  }
  return std::exchange(result.result, nullptr);
}

py::bytes ToBytes(const Result& result) {
  if (result.result == nullptr) {
    throw py::value_error("the result is merged into a report already");
  }
  std::string bytes;
  {
    py::gil_scoped_release release;
    bytes = EncodeResult(*result.result);
  }
  return bytes;
}

Result FromBytes(const py::bytes& data) {
  const std::string_view bytes = data;
  absl::StatusOr<std::shared_ptr<SourceResult>> result;
  {
    py::gil_scoped_release release;
    result = DecodeResult(bytes);
  }
  if (!result.ok()) {
    throw py::value_error(std::string(result.status().message()));
  }
  return ResultFrom(*std::move(result));
}

Result MergeMembers(std::string name, std::vector<MemberState> states,
                    uint64_t omitted) {
  std::vector<FolderMember> members;
  members.reserve(states.size());
  for (MemberState& state : states) {
    FolderMember& member = members.emplace_back();
    py::object result;
    std::tie(member.artifact.path, member.artifact.kind, member.artifact.graph,
             member.artifact.bytes, member.artifact.command,
             member.graph_folder, member.md5, result) = std::move(state);
    if (!result.is_none()) member.result = TakeResult(result);
  }
  return ResultFrom(MergeFolder(std::move(name), std::move(members), omitted));
}

std::shared_ptr<Report> MergeResults(const py::list& results) {
  if (results.size() == 1) {
    auto& result = results[0].cast<Result&>();
    if (result.report != nullptr) return std::exchange(result.report, nullptr);
  }
  std::vector<std::shared_ptr<SourceResult>> sources;
  for (py::handle item : results) sources.push_back(TakeResult(item));
  py::gil_scoped_release release;
  return std::make_shared<Report>(MakeReport(std::move(sources)));
}

}  // namespace

void BindScan(py::module_& module) {
  py::class_<Result>(module, "Result", "What one source gave.", py::is_final())
      .def("to_bytes", &ToBytes,
           "All of it, for `from_bytes` of the same version.")
      .def_static(
          "from_bytes", &FromBytes, py::arg("data"),
          "Reads what `to_bytes` gave. ValueError: it is none, or damaged.")
      .def(py::pickle([](const Result& result) { return ToBytes(result); },
                      [](const py::bytes& data) { return FromBytes(data); }))
      .def_property_readonly(
          "unread",
          [](const Result& result) -> py::object {
            if (result.unread.empty()) return py::none();
            return Text(result.unread);
          },
          "Why it was not read to its end; None if it was.");
  py::class_<Failure>(module, "Failure", "Why a file could not be scanned.",
                      py::is_final())
      .def_property_readonly(
          "out_of_memory",
          [](const Failure& failure) {
            return failure.code == absl::StatusCode::kResourceExhausted;
          },
          "Whether memory ran out.")
      .def_property_readonly(
          "message",
          [](const Failure& failure) { return Text(failure.message); },
          "A sentence that names the file.");
  py::class_<Scanner>(module, "Scanner",
                      "Reads one source whose bytes are pushed.",
                      py::is_final())
      .def(py::init<std::string, bool, std::string, std::string, std::string,
                    bool>(),
           py::arg("name"), py::arg("verify") = false, py::kw_only(),
           py::arg("job") = "", py::arg("step") = "", py::arg("attempt") = "",
           py::arg("tables") = false)
      .def("feed", &Scanner::Feed, py::arg("data"),
           "Takes the next bytes, cut anywhere.")
      .def("finish", &Scanner::Finish, py::arg("problem") = py::none(),
           py::arg("warning") = "", "Ends the source.");
  module.def(
      "looks_binary",
      [](std::string_view head) {
        return SniffEncoding(head) == Encoding::kBinary &&
               CompressionName(head).empty();
      },
      py::arg("head"),
      "Whether the first bytes of a file are of no text, packed or not.");
  module.def("is_own_report", &IsOwnReport, py::arg("head"),
             "Whether a file begins as a JSON document of pt2triage does.");
  module.def("merge_folder", &MergeMembers, py::arg("name"), py::arg("members"),
             py::arg("omitted"), "Makes one result of the files of a folder.");
  module.def("make_report", &MergeResults, py::arg("results"),
             "Merges results, in order, into one report.");
}

}  // namespace pt2triage::python
