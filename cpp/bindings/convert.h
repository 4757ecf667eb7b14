// C++ values as Python objects: text is decoded as in the JSON, unknown is
// None, lists are tuples, so that nothing handed out can be changed.
#pragma once

#include <pybind11/pybind11.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/words.h"
#include "views.h"

namespace pt2triage::python {

namespace py = pybind11;

// Decodes UTF-8; what is not UTF-8 becomes U+FFFD.
inline py::str Text(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

// What was given to a feed(), which stays where it is while `info` lives.
inline std::string_view FedBytes(const py::buffer_info& info) {
  if (info.ndim != 1 || info.itemsize != 1 || info.strides[0] != 1) {
    throw py::type_error("feed() needs contiguous bytes");
  }
  return {static_cast<const char*>(info.ptr), static_cast<size_t>(info.size)};
}

// The word of an enum; its empty word means unknown.
inline py::object Name(std::string_view name) {
  return name.empty() ? py::object(py::none()) : py::object(Text(name));
}

inline py::object ToPython(const std::string& text) { return Text(text); }
inline py::object ToPython(bool value) { return py::bool_(value); }
inline py::object ToPython(std::integral auto value) { return py::int_(value); }
inline py::object ToPython(double value) { return py::float_(value); }
inline py::object ToPython(HasWords auto value) { return Name(WordOf(value)); }

// A struct is a bound class of its own.
template <HasFields T>
py::object ToPython(const T& value) {
  return py::cast(value);
}

template <typename T>
py::object ToPython(const std::optional<T>& value) {
  return value ? ToPython(*value) : py::object(py::none());
}

template <typename T>
py::tuple ToPython(const std::vector<T>& values) {
  py::tuple result(values.size());
  for (size_t i = 0; i < values.size(); ++i) result[i] = ToPython(values[i]);
  return result;
}

// The values of `T`s as `View`s, which name their sources.
template <typename View, typename T>
py::tuple ToViews(const Report& report, const std::vector<T>& values) {
  py::tuple result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = py::cast(View(report, values[i]));
  }
  return result;
}

// One field of a struct.
template <typename T, typename Member>
py::object FieldToPython(const T& value, const Field<T, Member>& field) {
  const Member& member = value.*field.member;
  if constexpr (std::equality_comparable<Member>) {
    if (field.empty == Empty::kUnknown && member == Member{}) return py::none();
  }
  return ToPython(member);
}

}  // namespace pt2triage::python
