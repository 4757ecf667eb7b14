// The parts of the extension module `pt2triage._core`. This folder is the only
// one that knows Python; it holds no logic of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace pt2triage::python {

namespace py = pybind11;

void BindBuild(py::module_& module);
void BindFinding(py::module_& module);
void BindReport(py::module_& module);
void BindScan(py::module_& module);
void BindFiles(py::module_& module);
void BindStreams(py::module_& module);
void BindRecords(py::module_& module);
void BindKnowledge(py::module_& module);
void BindArrow(py::module_& module);
void BindTrace(py::module_& module);
void BindTraceRecords(py::module_& module);

}  // namespace pt2triage::python
