# pt2triage_add_test(NAME SOURCE...): one GoogleTest program, each of its tests
# a ctest case. Tests find their inputs through PT2TRIAGE_TEST_DATA.
include(GoogleTest)

function(pt2triage_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE
    pt2triage_core pt2triage_warnings GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    PT2TRIAGE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/cpp")
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES TIMEOUT 300)
endfunction()
