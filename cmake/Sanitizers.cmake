# PT2TRIAGE_SANITIZE applies to everything that is compiled from here on,
# fetched dependencies too. PT2TRIAGE_SANITIZED is what base/simd.h asks for:
# code that runs before a sanitizer is ready may not be instrumented.
if(PT2TRIAGE_SANITIZE)
  list(JOIN PT2TRIAGE_SANITIZE "," _sanitizers)
  add_compile_options(
    "-fsanitize=${_sanitizers}" -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${_sanitizers}")
  add_compile_definitions(PT2TRIAGE_SANITIZED=1)
endif()

if(PT2TRIAGE_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR
      "PT2TRIAGE_BUILD_FUZZERS needs clang (libFuzzer). Configure with "
      "-DCMAKE_CXX_COMPILER=clang++; on Debian: apt-get install clang "
      "libclang-rt-dev.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
