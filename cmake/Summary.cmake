# One table at the end of configure: what is built, out of what.
if(PROJECT_IS_TOP_LEVEL)
  message(STATUS "pt2triage ${PROJECT_VERSION}")
  message(STATUS "  compiler    ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
  message(STATUS "  simdjson    ${PT2TRIAGE_SIMDJSON_FROM}")
  message(STATUS "  abseil      ${PT2TRIAGE_ABSL_FROM}")
  message(STATUS "  re2         ${PT2TRIAGE_RE2_FROM}")
  message(STATUS "  zlib        ${PT2TRIAGE_ZLIB_FROM}")
  message(STATUS "  zstd        ${PT2TRIAGE_ZSTD_FROM}")
  message(STATUS "  isa-l       ${PT2TRIAGE_ISAL_FROM}")
  if(PT2TRIAGE_BUILD_TESTS)
    message(STATUS "  googletest  ${PT2TRIAGE_GOOGLETEST_FROM}")
  endif()
  if(PT2TRIAGE_BUILD_BENCHMARKS)
    message(STATUS "  benchmark   ${PT2TRIAGE_BENCHMARK_FROM}")
  endif()
  if(PT2TRIAGE_BUILD_BINDINGS)
    message(STATUS "  python      ${Python_VERSION}, pybind11 ${pybind11_VERSION}")
  endif()
  message(STATUS "  tests ${PT2TRIAGE_BUILD_TESTS}, "
    "benchmarks ${PT2TRIAGE_BUILD_BENCHMARKS}, "
    "fuzzers ${PT2TRIAGE_BUILD_FUZZERS}, "
    "bindings ${PT2TRIAGE_BUILD_BINDINGS}, "
    "sanitize \"${PT2TRIAGE_SANITIZE}\", werror ${PT2TRIAGE_WERROR}")
endif()
