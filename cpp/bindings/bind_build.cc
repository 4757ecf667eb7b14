// What the core was built of, for `pt2triage --version -v`.
#include <simdjson.h>
#include <zlib.h>

#include <string>
#ifdef PT2TRIAGE_ZSTD
#include <zstd.h>
#endif

#include "bindings.h"

namespace pt2triage::python {
namespace {

std::string Compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

// simdjson chooses by what the processor can do when it is first used.
std::string Simd() {
  if (!simdjson::validate_utf8("a", 1)) return "none";
  return simdjson::get_active_implementation()->name();
}

// Libraries that tell their version tell that of what is loaded.
py::dict BuildFacts() {
  py::dict facts;
  facts["compiler"] = Compiler() + ", " PT2TRIAGE_BUILD_TYPE;
  facts["pybind11"] = PT2TRIAGE_PYBIND11;
  facts["simdjson"] = PT2TRIAGE_SIMDJSON;
  facts["simd"] = Simd();
  facts["re2"] = PT2TRIAGE_RE2;
  facts["abseil"] = PT2TRIAGE_ABSL;
  facts["zlib"] = zlibVersion();
#ifdef PT2TRIAGE_ZSTD
  facts["zstd"] = ZSTD_versionString();
#else
  facts["zstd"] = py::none();
#endif
#ifdef PT2TRIAGE_ISAL
  facts["isa-l"] = "yes";
#else
  facts["isa-l"] = py::none();
#endif
  return facts;
}

}  // namespace

void BindBuild(py::module_& module) {
  module.def("build_facts", &BuildFacts,
             "What the core was built of; None is what it was built without.");
}

}  // namespace pt2triage::python
