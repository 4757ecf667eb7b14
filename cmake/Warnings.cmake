# Link this privately to our own targets only.
add_library(pt2triage_warnings INTERFACE)
target_compile_options(pt2triage_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  $<$<BOOL:${PT2TRIAGE_WERROR}>:-Werror>)

# GCC 12 warns of its own std::string once that is inlined (bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(pt2triage_warnings INTERFACE -Wno-restrict)
endif()
