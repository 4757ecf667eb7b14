// Pickling: a struct is the tuple of its fields, text is bytes, an enum its
// number. Reading checks shapes and ranges, since a pickle may come from a
// different version.
#pragma once

#include <pybind11/pybind11.h>

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "report/fields.h"
#include "report/words.h"

namespace pt2triage::python {

namespace py = pybind11;

inline py::object ToState(const std::string& text) { return py::bytes(text); }
inline py::object ToState(bool value) { return py::bool_(value); }
inline py::object ToState(std::integral auto value) { return py::int_(value); }
inline py::object ToState(double value) { return py::float_(value); }

template <typename T>
  requires std::is_enum_v<T>
py::object ToState(T value) {
  return py::int_(static_cast<int>(value));
}

template <HasFields T>
py::object ToState(const T& value);

template <typename T>
py::object ToState(const std::optional<T>& value) {
  return value ? ToState(*value) : py::object(py::none());
}

template <typename T>
py::object ToState(const std::vector<T>& values) {
  py::tuple state(values.size());
  for (size_t i = 0; i < values.size(); ++i) state[i] = ToState(values[i]);
  return state;
}

template <HasFields T>
py::object ToState(const T& value) {
  py::list state;
  ForEachField<T>(
      [&](const auto& field) { state.append(ToState(value.*field.member)); });
  return py::tuple(state);
}

inline void FromState(py::handle state, std::string& text) {
  text = state.cast<std::string>();
}
inline void FromState(py::handle state, std::integral auto& value) {
  value = state.cast<std::remove_reference_t<decltype(value)>>();
}

inline void FromState(py::handle state, double& value) {
  value = state.cast<double>();
}

template <typename T>
  requires std::is_enum_v<T>
void FromState(py::handle state, T& value);

template <HasFields T>
void FromState(py::handle state, T& value);

template <typename T>
void FromState(py::handle state, std::optional<T>& value) {
  value.reset();
  if (!state.is_none()) FromState(state, value.emplace());
}

template <typename T>
void FromState(py::handle state, std::vector<T>& values) {
  values.clear();
  for (py::handle item : state.cast<py::tuple>()) {
    FromState(item, values.emplace_back());
  }
}

template <typename T>
  requires std::is_enum_v<T>
void FromState(py::handle state, T& value) {
  const int number = state.cast<int>();
  if (number < 0 || number > static_cast<int>(LastOf(T{}))) {
    throw py::value_error("pickle is of another version of pt2triage");
  }
  value = static_cast<T>(number);
}

template <HasFields T>
void FromState(py::handle state, T& value) {
  const auto items = state.cast<py::tuple>();
  size_t next = 0;
  ForEachField<T>([&](const auto& field) {
    if (next >= items.size()) {
      throw py::value_error("pickle is of another version of pt2triage");
    }
    FromState(items[next++], value.*field.member);
  });
}

// How pybind11 pickles a struct that has a table of fields.
template <HasFields T>
auto PickleFields() {
  return py::pickle([](const T& value) { return ToState(value); },
                    [](const py::tuple& state) {
                      T value;
                      FromState(state, value);
                      return value;
                    });
}

}  // namespace pt2triage::python
