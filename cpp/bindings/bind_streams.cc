// Compressed data out of Python's streams.
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "bindings.h"
#include "convert.h"
#include "io/codec.h"
#include "io/decoding_source.h"
#include "io/unread.h"
#include "result.h"

namespace pt2triage::python {
namespace {

Codec CodecFrom(const std::string& word) {
  for (Codec codec : {Codec::kGzip, Codec::kZstd, Codec::kDeflate}) {
    if (word == CodecName(codec)) return codec;
  }
  throw py::value_error("not decoded by the core: " + word);
}

// Reads what an object with `read` gives, and decodes it. The GIL is held only
// while that is called. What `read` raises comes out of read().
class DecodedStream {
 public:
  DecodedStream(py::object stream, const std::string& codec,
                const py::object& limits)
      : stream_(std::move(stream)) {
    auto packed = FromCallback(
        [this](char* buffer, size_t size) { return Pull(buffer, size); },
        "stream");
    auto source =
        Decode(std::move(packed), CodecFrom(codec), LimitsFrom(limits));
    if (source.ok()) {
      source_ = *std::move(source);
    } else {
      status_ = source.status();
    }
  }

  // As much as asked for, less only at the end.
  py::bytes Read(size_t size) {
    PyObject* raw =
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
    if (raw == nullptr) throw py::error_already_set();
    py::object bytes = py::reinterpret_steal<py::object>(raw);
    size_t have = 0;
    {
      char* buffer = PyBytes_AS_STRING(raw);
      py::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      while (have < size && status_.ok()) {
        const absl::StatusOr<size_t> n =
            source_->Read(buffer + have, size - have);
        if (!n.ok()) status_ = n.status();
        if (!n.ok() || *n == 0) break;
        have += *n;
      }
    }
    raw = bytes.release().ptr();
    if (have < size &&
        _PyBytes_Resize(&raw, static_cast<Py_ssize_t>(have)) != 0) {
      throw py::error_already_set();
    }
    return py::reinterpret_steal<py::bytes>(raw);
  }

  py::object problem() const { return ProblemFrom(status_); }
  std::string warning() const { return source_ ? source_->Warning() : ""; }

 private:
  absl::StatusOr<size_t> Pull(char* buffer, size_t size) {
    py::gil_scoped_acquire acquire;
    const py::object chunk = stream_.attr("read")(size);
    if (!PyBytes_Check(chunk.ptr())) {
      throw py::type_error("read() of a compressed stream must give bytes");
    }
    const auto n = static_cast<size_t>(PyBytes_GET_SIZE(chunk.ptr()));
    if (n > size) throw py::value_error("read() gave more than asked for");
    std::memcpy(buffer, PyBytes_AS_STRING(chunk.ptr()), n);
    return n;
  }

  py::object stream_;
  std::unique_ptr<Source> source_;
  absl::Status status_;
  std::mutex mutex_;
};

}  // namespace

DecodeLimits LimitsFrom(const py::object& limits) {
  DecodeLimits result;
  if (limits.is_none()) return result;
  std::tie(result.max_ratio, result.max_bytes, result.max_depth) =
      limits.cast<std::tuple<uint64_t, uint64_t, uint32_t>>();
  if (result.max_ratio < 1) throw py::value_error("the ratio is at least 1");
  return result;
}

py::object ProblemFrom(const absl::Status& status) {
  const char* word = nullptr;
  if (absl::IsDataLoss(status)) word = "cut";
  if (absl::IsInvalidArgument(status)) word = "damaged";
  if (absl::IsOutOfRange(status)) word = "limit";
  if (absl::IsUnimplemented(status)) word = "unsupported";
  if (word == nullptr) return py::none();
  return py::make_tuple(word, Text(std::string(status.message())));
}

absl::Status StatusFrom(const std::string& word, const std::string& sentence) {
  if (word == "cut") return CutStatus(sentence);
  if (word == "damaged") return DamagedStatus(sentence);
  if (word == "limit") return LimitStatus(sentence);
  if (word == "unsupported") return UnsupportedStatus(sentence);
  throw py::value_error("no problem: " + word);
}

void BindStreams(py::module_& module) {
  py::class_<DecodedStream>(module, "DecodedStream",
                            "What the compressed bytes of a stream stand for.",
                            py::is_final())
      .def(py::init<py::object, const std::string&, const py::object&>(),
           py::arg("stream"), py::arg("codec"), py::arg("limits") = py::none())
      .def("read", &DecodedStream::Read, py::arg("size"),
           "The next bytes; fewer than asked for only at the end.")
      .def_property_readonly("problem", &DecodedStream::problem,
                             "Why it ends early: a word and a sentence.")
      .def_property_readonly("warning", &DecodedStream::warning,
                             "What was odd, though all was read.");
  module.def(
      "sniff_codec",
      [](const py::bytes& head) {
        return CodecName(SniffCodec(std::string_view(head)));
      },
      py::arg("head"),
      "What packs a source that begins so: gzip, zip ...; else empty.");
  const DecodeLimits limits;
  module.attr("LIMITS") =
      py::make_tuple(limits.max_ratio, limits.max_bytes, limits.max_depth);
}

}  // namespace pt2triage::python
