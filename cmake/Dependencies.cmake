# Where simdjson, RE2, Abseil, zlib, zstd, GoogleTest and Google Benchmark come from:
# installed packages first, pinned and hashed archives second.
#
#   -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER     always the archives
#   -DFETCHCONTENT_SOURCE_DIR_<NAME>=DIR           an unpacked tree instead
#   -DPT2TRIAGE_<NAME>_URL=URL -DPT2TRIAGE_<NAME>_SHA256=...   another archive
#
# where NAME is SIMDJSON, ABSL, RE2, ZLIB, ZSTD, GOOGLETEST or BENCHMARK. The core
# links pt2triage_dependencies; nothing else names a library.
include(FetchContent)
find_package(Threads REQUIRED)

# pt2triage_declare(NAME URL SHA256 [arguments of FetchContent_Declare])
function(pt2triage_declare name url sha256)
  string(TOUPPER "${name}" _upper)
  set(PT2TRIAGE_${_upper}_URL "${url}" CACHE STRING "Archive of ${name}")
  set(PT2TRIAGE_${_upper}_SHA256 "${sha256}" CACHE STRING "Its SHA-256")
  mark_as_advanced(PT2TRIAGE_${_upper}_URL PT2TRIAGE_${_upper}_SHA256)
  FetchContent_Declare(${name}
    URL "${PT2TRIAGE_${_upper}_URL}"
    URL_HASH "SHA256=${PT2TRIAGE_${_upper}_SHA256}"
    ${ARGN})
endfunction()

pt2triage_declare(simdjson
  https://github.com/simdjson/simdjson/archive/refs/tags/v3.12.3.tar.gz
  d0af071f2f4187d8b26b556e83ef832b634bd5feb4e2f537b9dabbd334d4e334
  SOURCE_SUBDIR no-cmake)  # its two amalgamated files are all that we build
pt2triage_declare(absl
  https://github.com/abseil/abseil-cpp/releases/download/20260526.0/abseil-cpp-20260526.0.tar.gz
  6e1aee535473414164bf83e4ebc40240dec71a4701f8a642d906e95bea1aea0c)
pt2triage_declare(re2
  https://github.com/google/re2/releases/download/2025-11-05/re2-2025-11-05.tar.gz
  87f6029d2f6de8aa023654240a03ada90e876ce9a4676e258dd01ea4c26ffd67)
pt2triage_declare(googletest
  https://github.com/google/googletest/releases/download/v1.17.0/googletest-1.17.0.tar.gz
  65fab701d9829d38cb77c14acdc431d2108bfdbf8979e40eb8ae567edf10b27c)
pt2triage_declare(benchmark
  https://github.com/google/benchmark/archive/refs/tags/v1.9.5.tar.gz
  9631341c82bac4a288bef951f8b26b41f69021794184ece969f8473977eaa340)

# pt2triage_find(NAME TARGET [arguments of find_package]): looks for an installed
# package unless the archive is asked for, and says where NAME comes from in
# PT2TRIAGE_<NAME>_FROM. A macro, since find_package sets variables.
macro(pt2triage_find name target)
  string(TOUPPER "${name}" _upper)
  set(PT2TRIAGE_${_upper}_FROM "${PT2TRIAGE_${_upper}_URL}")
  if(FETCHCONTENT_SOURCE_DIR_${_upper})
    set(PT2TRIAGE_${_upper}_FROM "${FETCHCONTENT_SOURCE_DIR_${_upper}}")
  elseif(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
    find_package(${ARGN} QUIET)
    if(TARGET ${target})
      string(STRIP "${${ARGV2}_VERSION} (installed)" PT2TRIAGE_${_upper}_FROM)
    endif()
  endif()
endmacro()

# Said before anything is fetched, since CMake's own error without network does
# not tell what to do.
function(pt2triage_announce names debian homebrew)
  message(NOTICE
    "pt2triage: no installed ${names} is used; building from source. If that "
    "fails for want of a network: apt-get install ${debian} (Debian, Ubuntu) "
    "or brew install ${homebrew} (Homebrew).")
endfunction()

add_library(pt2triage_dependencies INTERFACE)

# --- simdjson ----------------------------------------------------------------
pt2triage_find(simdjson simdjson::simdjson simdjson CONFIG)
if(NOT TARGET simdjson::simdjson)
  pt2triage_announce(simdjson libsimdjson-dev simdjson)
  FetchContent_MakeAvailable(simdjson)
  find_path(_simdjson_dir simdjson.cpp NO_CACHE REQUIRED NO_DEFAULT_PATH
    PATHS "${simdjson_SOURCE_DIR}/singleheader" "${simdjson_SOURCE_DIR}")
  add_library(pt2triage_simdjson STATIC "${_simdjson_dir}/simdjson.cpp")
  target_include_directories(pt2triage_simdjson SYSTEM PUBLIC "${_simdjson_dir}")
  # Optimised in Debug builds too.
  target_compile_options(pt2triage_simdjson PRIVATE -O2 -w)
  add_library(simdjson::simdjson ALIAS pt2triage_simdjson)
elseif(simdjson_VERSION VERSION_LESS 3.0)
  message(FATAL_ERROR
    "simdjson ${simdjson_VERSION} is too old, 3.0 or newer is needed. Use "
    "-DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER to build it from source.")
endif()

# --- Abseil and RE2: both from one place, never mixed ------------------------
# RE2 links Abseil, and two Abseils in one program clash at run time. Warnings of
# fetched code are silenced: they are not ours to repair.
if(FETCHCONTENT_SOURCE_DIR_ABSL OR FETCHCONTENT_SOURCE_DIR_RE2)
  set(PT2TRIAGE_ABSL_FROM "${FETCHCONTENT_SOURCE_DIR_ABSL}")
  set(PT2TRIAGE_RE2_FROM "${FETCHCONTENT_SOURCE_DIR_RE2}")
else()
  pt2triage_find(absl absl::status absl CONFIG)
  pt2triage_find(re2 re2::re2 re2 MODULE)
endif()

function(pt2triage_fetch_re2)
  set(ABSL_PROPAGATE_CXX_STD ON)
  set(ABSL_ENABLE_INSTALL OFF)
  set(ABSL_BUILD_TESTING OFF)
  set(RE2_INSTALL OFF)
  set(RE2_BUILD_TESTING OFF)
  set(BUILD_TESTING OFF)
  set(BUILD_SHARED_LIBS OFF)
  string(APPEND CMAKE_CXX_FLAGS " -w")
  FetchContent_MakeAvailable(absl re2)
  # Only what is linked is built.
  set_property(DIRECTORY "${absl_SOURCE_DIR}" PROPERTY EXCLUDE_FROM_ALL YES)
  # As system folders, so that only our own warnings are shown.
  target_include_directories(pt2triage_dependencies SYSTEM INTERFACE
    "${absl_SOURCE_DIR}" "${re2_SOURCE_DIR}")
endfunction()

if(NOT TARGET re2::re2 AND NOT TARGET absl::status)
  pt2triage_announce("RE2 and Abseil" "libre2-dev libabsl-dev" "re2 abseil")
  pt2triage_fetch_re2()
elseif(NOT TARGET re2::re2 OR NOT TARGET absl::status)
  message(FATAL_ERROR
    "Only one of RE2 and Abseil is installed. Install both (Debian, Ubuntu: "
    "apt-get install libre2-dev libabsl-dev; Homebrew: brew install re2 abseil) "
    "or use -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER to build both from "
    "source.")
endif()

target_link_libraries(pt2triage_dependencies INTERFACE
  simdjson::simdjson re2::re2
  absl::hash absl::status absl::statusor
  Threads::Threads)

include(Decompression)

# Abseil's targets name dozens of libraries; each that is loaded delays the start.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(pt2triage_dependencies INTERFACE LINKER:--as-needed)
endif()

# --- Only for developers -----------------------------------------------------
function(pt2triage_fetch_googletest)
  set(INSTALL_GTEST OFF)
  set(BUILD_SHARED_LIBS OFF)
  FetchContent_MakeAvailable(googletest)
endfunction()

function(pt2triage_fetch_benchmark)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_WERROR OFF)
  set(BUILD_SHARED_LIBS OFF)
  FetchContent_MakeAvailable(benchmark)
endfunction()

if(PT2TRIAGE_BUILD_TESTS)
  pt2triage_find(googletest GTest::gmock GTest 1.12 CONFIG)
  if(NOT TARGET GTest::gmock)
    pt2triage_announce(GoogleTest "libgtest-dev libgmock-dev" googletest)
    pt2triage_fetch_googletest()
  endif()
endif()
if(PT2TRIAGE_BUILD_BENCHMARKS)
  pt2triage_find(benchmark benchmark::benchmark_main benchmark 1.7 CONFIG)
  if(NOT TARGET benchmark::benchmark_main)
    pt2triage_announce("Google Benchmark" libbenchmark-dev google-benchmark)
    pt2triage_fetch_benchmark()
  endif()
endif()
