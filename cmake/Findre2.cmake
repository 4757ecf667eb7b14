# Finds RE2 and defines re2::re2: its CMake package first; Debian ships none, so
# header and library second. (re2.pc would name every library of Abseil, which
# takes pkg_check_modules half a minute to look up; the linker needs none of
# them, since Debian's RE2 is a shared library.)
#
#   re2_FOUND, re2_VERSION (empty if unknown)
find_package(re2 CONFIG QUIET)
if(re2_FOUND AND TARGET re2::re2)
  return()
endif()

find_path(re2_INCLUDE_DIR re2/re2.h)
find_library(re2_LIBRARY re2)
mark_as_advanced(re2_INCLUDE_DIR re2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(re2
  REQUIRED_VARS re2_LIBRARY re2_INCLUDE_DIR)

if(re2_FOUND AND NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES
    IMPORTED_LOCATION "${re2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${re2_INCLUDE_DIR}")
endif()
