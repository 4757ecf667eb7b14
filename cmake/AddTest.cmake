# pt2triage_add_test(NAME SOURCE...): one GoogleTest program, run by ctest in
# shards: a process for each test would mostly start up, above all under
# sanitizers. Tests find their inputs through PT2TRIAGE_TEST_DATA. One test
# alone: NAME --gtest_filter=Suite.Test, from the root of the project.
set(PT2TRIAGE_TEST_SHARDS 8 CACHE STRING
  "Processes that share the tests of one program")

function(pt2triage_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE
    pt2triage_core pt2triage_warnings GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    PT2TRIAGE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/cpp")
  # Half of the time that a test takes to compile is theirs.
  target_precompile_headers(${name} PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <string> <string_view> <vector>)

  # Out of a precompiled header, GCC takes its own std::string for ours and warns
  # of it (as in bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE
      -Wno-array-bounds -Wno-stringop-overflow)
  endif()

  math(EXPR _last "${PT2TRIAGE_TEST_SHARDS} - 1")
  foreach(_shard RANGE ${_last})
    add_test(NAME ${name}.${_shard}
      COMMAND ${name} --gtest_brief=1
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name}.${_shard} PROPERTIES
      TIMEOUT 600
      ENVIRONMENT
        "GTEST_TOTAL_SHARDS=${PT2TRIAGE_TEST_SHARDS};GTEST_SHARD_INDEX=${_shard}")
  endforeach()
endfunction()
