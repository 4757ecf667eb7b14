#include "bindings.h"
#include "convert.h"

namespace pt2triage::python {

PYBIND11_MODULE(_core, module, py::mod_gil_not_used()) {
  module.doc() = "The C++ core of pt2triage.";
  module.attr("__version__") = PT2TRIAGE_VERSION;
  py::list categories;
  for (int i = 1; i <= static_cast<int>(Category::kOther); ++i) {
    categories.append(ToPython(static_cast<Category>(i)));
  }
  module.attr("CATEGORIES") = py::tuple(categories);
  BindBuild(module);
  BindFinding(module);
  BindReport(module);
  BindScan(module);
  BindFiles(module);
  BindStreams(module);
  BindRecords(module);
  BindKnowledge(module);
  BindArrow(module);
  BindTrace(module);
  BindTraceRecords(module);
}

}  // namespace pt2triage::python
