// A Python class of a struct that has a table of fields.
#pragma once

#include <pybind11/operators.h>

#include <string>

#include "convert.h"
#include "state.h"

namespace pt2triage::python {

// `Name(field=value, ...)`, leaving out what is unknown.
template <HasFields T>
std::string Repr(const char* name, const T& value) {
  std::string text = std::string(name) + "(";
  const char* separator = "";
  ForEachField<T>([&](const auto& field) {
    const py::object member = FieldToPython(value, field);
    if (member.is_none()) return;
    text += separator + std::string(field.name) + "=" +
            py::repr(member).template cast<std::string>();
    separator = ", ";
  });
  return text + ")";
}

// A read-only class with a property for each field of T.
template <HasFields T>
void BindStruct(py::module_& module, const char* name, const char* doc) {
  py::class_<T> bound(module, name, doc, py::is_final());
  ForEachField<T>([&](const auto& field) {
    bound.def_property_readonly(
        field.name,
        [field](const T& value) { return FieldToPython(value, field); },
        field.doc);
  });
  bound
      .def("__repr__",
           [name](const T& value) { return Text(Repr(name, value)); })
      .def(
          "__eq__",
          [](const T& a, const T& b) { return ToState(a).equal(ToState(b)); },
          py::is_operator())
      .def("__hash__", [](const T& value) { return py::hash(ToState(value)); })
      .def(PickleFields<T>());
}

}  // namespace pt2triage::python
